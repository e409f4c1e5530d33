-- Firings and overrides of a lake in the shape that the pairing reads. A NULL id stands before every other, as ''.
CREATE OR REPLACE TEMP TABLE signal_overrides AS
SELECT
    ROW_NUMBER() OVER (ORDER BY 0) AS row_number, rule_id, target_key, ts_us, COALESCE(id, '') AS id, verdict,
    attributable AND verdict <> 'unrecognized' AS counts
FROM human_overrides;

CREATE OR REPLACE TEMP TABLE signal_firings AS
SELECT ROW_NUMBER() OVER (ORDER BY 0) AS row_number, rule_id, target_key, ts_us, COALESCE(id, '') AS id, confidence
FROM rule_firings;
