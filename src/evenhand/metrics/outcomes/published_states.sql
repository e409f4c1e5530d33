-- Published pull requests of the allowlist, of any age, by repository and present state.
-- A pull request without a row is in review: nothing says that it ended.
SELECT published.repo, COALESCE(states.state, 'in_review') AS state, COUNT(*) AS n
FROM published_pull_requests AS published
LEFT JOIN pull_request_states AS states ON states.pull_request = published.pull_request
WHERE published.first_us < $as_of_us AND published.repo IN (SELECT repo FROM allowlist)
GROUP BY published.repo, COALESCE(states.state, 'in_review')
