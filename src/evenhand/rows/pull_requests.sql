-- Every pull request that a figure counts: published in an allowlisted repository, auto-actioned there in the window, or
-- with a verdict. Of one that may not be named nothing is told but that it has a verdict, and its state.
WITH published AS (
    SELECT repo, pull_request, first_us
    FROM published_pull_requests
    WHERE first_us < $as_of_us AND repo IN (SELECT repo FROM allowlist)
),
actions AS (
    SELECT repo, pull_request, MIN(ts_us) AS first_us
    FROM auto_actioned
    WHERE ts_us >= $window_start_us AND ts_us < $window_end_us
    GROUP BY repo, pull_request
),
undone AS (
    SELECT pull_request, MAX(ts_us) AS last_us
    FROM reversals
    WHERE ts_us < $as_of_us AND outcome = (SELECT completed FROM action_words)
    GROUP BY pull_request
),
recorded AS (
    SELECT pull_request, MIN(repo) AS repo
    FROM decision_records
    WHERE ts_us < $as_of_us
    GROUP BY pull_request
),
stated AS (
    SELECT
        pull_request,
        CASE
            WHEN CAST(review_effort_minutes AS DOUBLE) >= 0
                AND CAST(review_effort_minutes AS DOUBLE) < CAST('Infinity' AS DOUBLE)
            THEN review_effort_minutes
        END AS minutes
    FROM surface_events
    WHERE ts_us < $as_of_us AND repo IN (SELECT repo FROM allowlist)
),
minutes AS (
    SELECT pull_request, STRING_AGG(minutes, ' ' ORDER BY minutes) AS minutes
    FROM stated
    WHERE minutes IS NOT NULL
    GROUP BY pull_request
),
keys AS (
    SELECT pull_request FROM published
    UNION
    SELECT pull_request FROM actions
    UNION
    SELECT pull_request FROM recorded
)
SELECT
    keys.pull_request,
    COALESCE(published.repo, actions.repo, allowlist.repo, 'other') AS repository,
    published.pull_request IS NOT NULL AS published,
    recorded.pull_request IS NOT NULL AS recorded,
    COALESCE(states.state, 'in_review') AS state,
    CASE
        WHEN published.pull_request IS NOT NULL AND states.state = 'merged'
            AND states.merged_us >= $trend_start_us AND states.merged_us < $as_of_us
        THEN states.merged_week
    END AS merged_week,
    CASE
        WHEN published.pull_request IS NOT NULL AND states.state = 'closed'
            AND states.updated_us >= $trend_start_us AND states.updated_us < $as_of_us
        THEN states.updated_week
    END AS closed_week,
    COALESCE(published.first_us >= $recent_start_us, FALSE) AS reviewed_lately,
    COALESCE(
        published.pull_request IS NOT NULL AND states.merged_us >= $recent_start_us AND states.merged_us < $as_of_us, FALSE
    ) AS merged_lately,
    actions.pull_request IS NOT NULL AS auto_actioned,
    COALESCE(undone.last_us >= actions.first_us, FALSE) AS reversed,
    CASE WHEN published.pull_request IS NOT NULL THEN minutes.minutes END AS minutes
FROM keys
LEFT JOIN published ON published.pull_request = keys.pull_request
LEFT JOIN actions ON actions.pull_request = keys.pull_request
LEFT JOIN recorded ON recorded.pull_request = keys.pull_request
LEFT JOIN allowlist ON allowlist.repo = recorded.repo
LEFT JOIN undone ON undone.pull_request = keys.pull_request
LEFT JOIN minutes ON minutes.pull_request = keys.pull_request
LEFT JOIN pull_request_states AS states ON states.pull_request = keys.pull_request
