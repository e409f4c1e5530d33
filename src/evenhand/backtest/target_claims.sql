-- The same of one rule, target by target: the split into visible and held-out cases goes by the target.
SELECT firings.target_key, firings.confidence, overrides.verdict AS label, COUNT(*) AS n
FROM case_pairs AS pairs
JOIN signal_firings AS firings ON firings.row_number = pairs.firing_row
JOIN signal_overrides AS overrides ON overrides.row_number = pairs.override_row
WHERE firings.rule_id = $rule_id
GROUP BY firings.target_key, firings.confidence, overrides.verdict
