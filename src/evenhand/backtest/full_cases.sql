-- Every full case of a rule's history in the order of its firings.
SELECT
    firings.rule_id, firings.target_key, firings.stored_at AS fired_at, overrides.stored_at AS decided_at,
    overrides.verdict AS label, firings.metadata_text
FROM case_pairs AS pairs
JOIN signal_firings AS firings ON firings.row_number = pairs.firing_row
JOIN signal_overrides AS overrides ON overrides.row_number = pairs.override_row
ORDER BY firings.rule_id, firings.ts_us, firings.id, firings.target_key, firings.row_number
