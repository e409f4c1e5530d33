-- Every case of every rule in the published order.
SELECT rule_id, fired_day, decided_day, outcome, label, confidence
FROM corpus_cases
ORDER BY rule_id, fired_day, decided_day, outcome, label, confidence NULLS FIRST
