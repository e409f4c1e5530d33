-- The first cases of every rule in the published order; confidence absent first.
SELECT rule_id, fired_day, decided_day, outcome, label, confidence
FROM (
    SELECT
        *,
        ROW_NUMBER() OVER (
            PARTITION BY rule_id ORDER BY fired_day, decided_day, outcome, label, confidence NULLS FIRST
        ) AS position
    FROM corpus_cases
) AS ordered
WHERE position <= $json_cases
ORDER BY rule_id, position
