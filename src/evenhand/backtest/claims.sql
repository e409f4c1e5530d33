-- Labelled cases of every rule by what they claim and what came of it: all that a threshold can see of them.
SELECT firings.rule_id, firings.confidence, overrides.verdict AS label, COUNT(*) AS n
FROM case_pairs AS pairs
JOIN signal_firings AS firings ON firings.row_number = pairs.firing_row
JOIN signal_overrides AS overrides ON overrides.row_number = pairs.override_row
GROUP BY firings.rule_id, firings.confidence, overrides.verdict
