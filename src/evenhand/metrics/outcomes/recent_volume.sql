-- Published pull requests that are new in the window, and those merged in it.
SELECT
    COUNT(*) FILTER (WHERE published.first_us >= $window_start_us) AS reviewed,
    COUNT(*) FILTER (WHERE states.merged_us >= $window_start_us AND states.merged_us < $window_end_us) AS merged
FROM (
    SELECT pull_request, MIN(ts_us) AS first_us
    FROM surface_events
    WHERE ts_us < $window_end_us AND repo IN (SELECT repo FROM allowlist)
    GROUP BY pull_request
) AS published
LEFT JOIN pull_request_states AS states ON states.pull_request = published.pull_request
