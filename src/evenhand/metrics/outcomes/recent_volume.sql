-- Published pull requests that are new in the window, and those merged in it.
SELECT
    COUNT(*) FILTER (WHERE published.first_us >= $window_start_us) AS reviewed,
    COUNT(*) FILTER (WHERE states.merged_us >= $window_start_us AND states.merged_us < $window_end_us) AS merged
FROM published_pull_requests AS published
LEFT JOIN pull_request_states AS states ON states.pull_request = published.pull_request
WHERE published.first_us < $window_end_us AND published.repo IN (SELECT repo FROM allowlist)
