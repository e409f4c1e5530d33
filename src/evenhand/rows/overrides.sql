-- Human verdicts of the window as counts per rule, day, verdict and basis; what is excluded is shown as such.
SELECT
    rule_id, day, verdict,
    CASE WHEN basis = $implicit_basis THEN 'implicit' ELSE 'explicit' END AS basis,
    NOT attributable AS excluded,
    COUNT(*) AS n
FROM human_overrides
WHERE ts_us >= $window_start_us AND ts_us < $window_end_us
GROUP BY rule_id, day, verdict, CASE WHEN basis = $implicit_basis THEN 'implicit' ELSE 'explicit' END, NOT attributable
