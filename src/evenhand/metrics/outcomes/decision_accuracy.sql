-- Auto-actioned pull requests of the window, and those of them that a person undid at or after the first action.
-- Only an auto-action can be reversed: comments and reopenings of anything else stay out of the denominator.
SELECT
    actions.repo,
    COUNT(*) AS auto_actioned,
    COUNT(*) FILTER (WHERE undone.last_us >= actions.first_us) AS reversed
FROM (
    SELECT repo, pull_request, MIN(ts_us) AS first_us
    FROM auto_actioned
    WHERE ts_us >= $window_start_us AND ts_us < $window_end_us
    GROUP BY repo, pull_request
) AS actions
LEFT JOIN (
    SELECT pull_request, MAX(ts_us) AS last_us
    FROM reversals
    WHERE ts_us < $as_of_us AND outcome = (SELECT completed FROM action_words)
    GROUP BY pull_request
) AS undone ON undone.pull_request = actions.pull_request
GROUP BY actions.repo
