-- Signals of the window per instance: live rows by arrival, rolled-up counts by UTC day. Policy actions are counted
-- apart and scored nowhere; they still are activity (decided, flagged).
SELECT
    signals.instance_id,
    COALESCE(instances.registered, FALSE) AS registered,
    SUM(n) AS decided,
    SUM(CASE WHEN flagged THEN n ELSE 0 END) AS flagged,
    SUM(CASE WHEN verdict = 'merge' THEN n ELSE 0 END) AS merge_verdicts,
    SUM(CASE WHEN verdict = 'merge' AND confirmed THEN n ELSE 0 END) AS merge_confirmed,
    SUM(CASE WHEN verdict = 'close' THEN n ELSE 0 END) AS close_verdicts,
    SUM(CASE WHEN verdict = 'close' AND confirmed THEN n ELSE 0 END) AS close_confirmed,
    SUM(CASE WHEN verdict = 'hold' THEN n ELSE 0 END) AS holds,
    SUM(CASE WHEN verdict = 'policy_action' THEN n ELSE 0 END) AS policy_actions
FROM scored_signals AS signals
LEFT JOIN (
    SELECT instance_id, MAX(CASE WHEN registered THEN 1 ELSE 0 END) = 1 AS registered
    FROM orb_instances
    GROUP BY instance_id
) AS instances ON instances.instance_id = signals.instance_id
WHERE signals.day >= $window_start_day
  AND ((live AND received_us < $as_of_us) OR (NOT live AND signals.day <= $as_of_day))
GROUP BY signals.instance_id, COALESCE(instances.registered, FALSE)
