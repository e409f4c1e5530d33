-- Pull requests auto-actioned in a week of the trend, and whether they were undone at or after that week's first action.
SELECT actions.week, actions.repo AS repository, actions.pull_request, COALESCE(undone.last_us >= actions.first_us, FALSE) AS reversed
FROM (
    SELECT week, repo, pull_request, MIN(ts_us) AS first_us
    FROM auto_actioned
    WHERE ts_us >= $window_start_us AND ts_us < $window_end_us
    GROUP BY week, repo, pull_request
) AS actions
LEFT JOIN (
    SELECT pull_request, MAX(ts_us) AS last_us
    FROM reversals
    WHERE ts_us < $as_of_us AND outcome = (SELECT completed FROM action_words)
    GROUP BY pull_request
) AS undone ON undone.pull_request = actions.pull_request
