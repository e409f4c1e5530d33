-- Merge and close verdicts of registered instances pooled by the week of the decision.
SELECT trend_week AS week, confirmed, SUM(n) AS n
FROM scored_signals
WHERE verdict IN ('merge', 'close')
  AND instance_id IN (SELECT instance_id FROM orb_instances WHERE registered)
  AND ((live AND trend_us < $as_of_us) OR (NOT live AND trend_day <= $as_of_day))
  AND trend_week >= $window_start_day
GROUP BY trend_week, confirmed
