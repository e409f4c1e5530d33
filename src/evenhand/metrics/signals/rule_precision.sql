-- Human verdicts per rule in the window: one row a rule, verdict and basis.
-- Provenance that copied another rule's verdicts is left out here, so that it can lift
-- neither the count nor the floor (seen in the wild: two rules, one number).
SELECT rule_id, verdict, basis = $implicit_basis AS implicit, COUNT(*) AS n
FROM human_overrides
WHERE ts_us >= $window_start_us AND ts_us < $window_end_us AND attributable
GROUP BY rule_id, verdict, basis = $implicit_basis
