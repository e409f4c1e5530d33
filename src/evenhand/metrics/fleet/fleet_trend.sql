-- Merge and close verdicts of registered instances by the week of the decision (else of arrival), policy actions out.
SELECT
    trend_week AS week,
    SUM(n) AS verdicts,
    SUM(CASE WHEN confirmed THEN n ELSE 0 END) AS confirmed
FROM scored_signals
WHERE verdict IN ('merge', 'close')
  AND instance_id IN (SELECT instance_id FROM orb_instances WHERE registered)
  AND ((live AND trend_us < $as_of_us) OR (NOT live AND trend_day <= $as_of_day))
  AND trend_week IS NOT NULL
GROUP BY trend_week
