-- What the fleet adds to the volume: outcomes of registered installations whose pull request has no published
-- event here (else it would count twice), and the sums of older ones.
SELECT FALSE AS rolled_up, outcome, COUNT(*) AS n
FROM fleet_outcomes
WHERE occurred_us < $as_of_us
  AND pull_request NOT IN (SELECT pull_request FROM surface_events WHERE ts_us < $as_of_us)
GROUP BY outcome
UNION ALL
SELECT TRUE AS rolled_up, 'merged' AS outcome, SUM(merged) AS n FROM orb_outcome_rollups HAVING SUM(merged) > 0
UNION ALL
SELECT TRUE AS rolled_up, 'closed' AS outcome, SUM(closed) AS n FROM orb_outcome_rollups HAVING SUM(closed) > 0
UNION ALL
SELECT TRUE AS rolled_up, 'total' AS outcome, SUM(total) AS n FROM orb_outcome_rollups HAVING SUM(total) > 0
