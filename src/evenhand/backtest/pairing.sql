-- One labelled case a firing, over the whole history: the override nearest strictly after it, else the latest of all.
-- The same one sort as the published corpora's pairing, n log n, but it names the rows of both sides, for the full case
-- keeps more of them than a day. Overrides of one key are numbered in (time, id) order; a firing that c of them precede
-- or equal in time takes number c + 1, or the last: with overrides at 10:00 and 12:00 a firing at 11:00 takes number 2,
-- one at 12:00 or later takes number 2 as well.
CREATE OR REPLACE TEMP TABLE case_overrides AS
SELECT row_number, rule_id, target_key, ts_us, id
FROM signal_overrides
WHERE counts AND ts_us >= $since_us AND ts_us < $as_of_us;

-- A key is a rule and a target; its number stands for both from here on.
CREATE OR REPLACE TEMP TABLE case_keys AS
SELECT rule_id, target_key, overrides, only_row, ROW_NUMBER() OVER (ORDER BY rule_id, target_key) AS key_number
FROM (
    SELECT rule_id, target_key, COUNT(*) AS overrides, MIN(row_number) AS only_row
    FROM case_overrides
    GROUP BY rule_id, target_key
) AS keys;

CREATE OR REPLACE TEMP TABLE case_firings AS
SELECT firings.row_number, firings.ts_us, keys.key_number, keys.overrides, keys.only_row
FROM signal_firings AS firings
JOIN case_keys AS keys ON keys.rule_id = firings.rule_id AND keys.target_key = firings.target_key
WHERE firings.ts_us >= $since_us AND firings.ts_us < $as_of_us;

CREATE OR REPLACE TEMP TABLE numbered_case_overrides AS
SELECT
    keys.key_number, many.ts_us, many.row_number,
    ROW_NUMBER() OVER (PARTITION BY keys.key_number ORDER BY many.ts_us, many.id, many.row_number) AS number
FROM case_overrides AS many
JOIN case_keys AS keys ON keys.rule_id = many.rule_id AND keys.target_key = many.target_key AND keys.overrides > 1;

CREATE OR REPLACE TEMP TABLE searched_case_firings AS
SELECT row_number, key_number, LEAST(passed + 1, overrides) AS number
FROM (
    SELECT
        row_number, key_number, overrides, is_firing,
        SUM(1 - is_firing) OVER (
            PARTITION BY key_number ORDER BY ts_us, is_firing ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS passed
    FROM (
        SELECT row_number, key_number, ts_us, overrides, 1 AS is_firing FROM case_firings WHERE overrides > 1
        UNION ALL
        SELECT NULL, key_number, ts_us, NULL, 0 AS is_firing FROM numbered_case_overrides
    ) AS timeline
) AS walked
WHERE is_firing = 1;

CREATE OR REPLACE TEMP TABLE case_pairs AS
SELECT row_number AS firing_row, only_row AS override_row
FROM case_firings
WHERE overrides = 1
UNION ALL
SELECT searched.row_number AS firing_row, numbered.row_number AS override_row
FROM searched_case_firings AS searched
JOIN numbered_case_overrides AS numbered
    ON numbered.key_number = searched.key_number AND numbered.number = searched.number;
