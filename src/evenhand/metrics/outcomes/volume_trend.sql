-- Pull requests that ended, by week: published ones by their own row, the fleet's by when they ended, the overlap
-- left out. Weeks are those of the merge, of the closed row's last change, or of the fleet's outcome.
SELECT week, what, SUM(n) AS n
FROM (
    SELECT states.merged_week AS week, 'merged' AS what, COUNT(*) AS n
    FROM pull_request_states AS states
    WHERE states.state = 'merged' AND states.merged_us >= $window_start_us AND states.merged_us < $as_of_us
      AND states.repo IN (SELECT repo FROM allowlist)
      AND states.pull_request IN (SELECT pull_request FROM published_pull_requests WHERE first_us < $as_of_us)
    GROUP BY states.merged_week
    UNION ALL
    SELECT states.updated_week AS week, 'closed' AS what, COUNT(*) AS n
    FROM pull_request_states AS states
    WHERE states.state = 'closed' AND states.updated_us >= $window_start_us AND states.updated_us < $as_of_us
      AND states.repo IN (SELECT repo FROM allowlist)
      AND states.pull_request IN (SELECT pull_request FROM published_pull_requests WHERE first_us < $as_of_us)
    GROUP BY states.updated_week
    UNION ALL
    SELECT occurred_week AS week, outcome AS what, COUNT(*) AS n
    FROM fleet_outcomes
    WHERE outcome IN ('merged', 'closed') AND occurred_us >= $window_start_us AND occurred_us < $as_of_us
      AND pull_request NOT IN (SELECT pull_request FROM published_pull_requests WHERE first_us < $as_of_us)
    GROUP BY occurred_week, outcome
) AS ended
GROUP BY week, what
