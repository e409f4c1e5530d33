-- One labelled case a firing: the firing with the override nearest strictly after it, else the latest of all.
-- Overrides of one key are numbered in (time, id) order. A firing that c overrides precede or equal in time takes
-- number c + 1: the nearest after it, ties the smallest id; when there is none, the last: the latest, ties the
-- greatest id. So pairing is one sort, n log n, and never a search over pairs. With overrides at 10:00 and 12:00 a
-- firing at 11:00 takes number 2, one at 12:00 or later takes number 2 as well.
-- Keys with one override, nearly all of them, are paired without the sort.
CREATE TEMP TABLE corpus_overrides AS
SELECT rule_id, target_key, ts_us, day, verdict, id
FROM human_overrides
WHERE ts_us >= $window_start_us AND ts_us < $window_end_us AND attributable AND verdict <> 'unrecognized';

-- A key is a rule and a target; its number stands for both from here on.
CREATE TEMP TABLE override_keys AS
SELECT
    rule_id, target_key, overrides, decided_day, label,
    ROW_NUMBER() OVER (ORDER BY 0) AS key_number
FROM (
    SELECT rule_id, target_key, COUNT(*) AS overrides, MIN(day) AS decided_day, MIN(verdict) AS label
    FROM corpus_overrides
    GROUP BY rule_id, target_key
) AS keys;

CREATE TEMP TABLE corpus_firings AS
SELECT
    keys.key_number, keys.rule_id, firings.ts_us, firings.day AS fired_day,
    COALESCE(firings.signal_outcome, '') AS outcome, firings.confidence,
    keys.overrides, keys.decided_day, keys.label
FROM rule_firings AS firings
JOIN override_keys AS keys ON keys.rule_id = firings.rule_id AND keys.target_key = firings.target_key
WHERE firings.ts_us >= $window_start_us AND firings.ts_us < $window_end_us;

CREATE TEMP TABLE numbered_overrides AS
SELECT
    keys.key_number, many.ts_us, many.day, many.verdict,
    ROW_NUMBER() OVER (PARTITION BY keys.key_number ORDER BY many.ts_us, many.id) AS number
FROM corpus_overrides AS many
JOIN override_keys AS keys ON keys.rule_id = many.rule_id AND keys.target_key = many.target_key AND keys.overrides > 1;

CREATE TEMP TABLE searched_firings AS
SELECT key_number, rule_id, fired_day, outcome, confidence, LEAST(passed + 1, overrides) AS number
FROM (
    SELECT
        key_number, rule_id, fired_day, outcome, confidence, overrides, is_firing,
        SUM(1 - is_firing) OVER (
            PARTITION BY key_number ORDER BY ts_us, is_firing ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS passed
    FROM (
        SELECT key_number, rule_id, ts_us, fired_day, outcome, confidence, overrides, 1 AS is_firing
        FROM corpus_firings
        WHERE overrides > 1
        UNION ALL
        SELECT key_number, NULL, ts_us, NULL, NULL, NULL, NULL, 0 AS is_firing
        FROM numbered_overrides
    ) AS timeline
) AS walked
WHERE is_firing = 1;

CREATE TEMP TABLE corpus_cases AS
SELECT rule_id, fired_day, decided_day, outcome, label, confidence
FROM corpus_firings
WHERE overrides = 1
UNION ALL
SELECT
    searched.rule_id, searched.fired_day, numbered.day AS decided_day, searched.outcome, numbered.verdict AS label,
    searched.confidence
FROM searched_firings AS searched
JOIN numbered_overrides AS numbered ON numbered.key_number = searched.key_number AND numbered.number = searched.number;
