-- Verdicts of the window by repository (null: may not be named) and the author's association as stored.
-- A pull request has one repository and one association, so distinct pull requests add up over the cells.
SELECT
    allowlist.repo AS repo,
    states.author_association AS association,
    COUNT(*) AS verdicts,
    COUNT(DISTINCT records.pull_request) AS pull_requests,
    COUNT(records.findings_count) AS findings_basis,
    SUM(records.findings_count) AS findings,
    COUNT(*) FILTER (WHERE records.action = 'close') AS closes,
    COUNT(*) FILTER (WHERE records.action = 'hold') AS holds
FROM decision_records AS records
LEFT JOIN pull_request_states AS states ON states.pull_request = records.pull_request
LEFT JOIN allowlist ON allowlist.repo = records.repo
WHERE records.ts_us >= $window_start_us AND records.ts_us < $window_end_us
GROUP BY allowlist.repo, states.author_association
