-- Firings and verdicts per rule and week of the event.
SELECT rule_id, week, 'fired' AS what, COUNT(*) AS n
FROM rule_firings
WHERE ts_us >= $window_start_us AND ts_us < $window_end_us
GROUP BY rule_id, week
UNION ALL
SELECT rule_id, week, verdict AS what, COUNT(*) AS n
FROM human_overrides
WHERE ts_us >= $window_start_us AND ts_us < $window_end_us AND attributable
GROUP BY rule_id, week, verdict
