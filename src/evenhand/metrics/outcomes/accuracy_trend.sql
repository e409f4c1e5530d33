-- Auto-actioned pull requests by the week of the action, and those of them undone at or after the first action of
-- that week: a reversal counts in the week of what it reversed, not in its own.
SELECT
    actions.week,
    COUNT(*) AS auto_actioned,
    COUNT(*) FILTER (WHERE undone.last_us >= actions.first_us) AS reversed
FROM (
    SELECT week, pull_request, MIN(ts_us) AS first_us
    FROM auto_actioned
    WHERE ts_us >= $window_start_us AND ts_us < $window_end_us
    GROUP BY week, pull_request
) AS actions
LEFT JOIN (
    SELECT pull_request, MAX(ts_us) AS last_us
    FROM reversals
    WHERE ts_us < $as_of_us AND outcome = (SELECT completed FROM action_words)
    GROUP BY pull_request
) AS undone ON undone.pull_request = actions.pull_request
GROUP BY actions.week
