-- What the fleet adds to the weekly volume: outcomes of registered installations, the overlap left out.
SELECT occurred_week AS week, outcome, COUNT(*) AS n
FROM fleet_outcomes
WHERE outcome IN ('merged', 'closed') AND occurred_us >= $window_start_us AND occurred_us < $as_of_us
  AND pull_request NOT IN (SELECT pull_request FROM published_pull_requests WHERE first_us < $as_of_us)
GROUP BY occurred_week, outcome
