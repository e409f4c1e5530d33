-- Verdicts of the parity window, one row each. A repository that may not be named is 'other'; so is an action that no
-- figure reads. The association becomes a class, and the pull request an ordinal, before anything is published.
SELECT
    records.day, states.author_association AS association, COALESCE(allowlist.repo, 'other') AS repository,
    CASE WHEN records.action IN ('merge', 'close', 'hold') THEN records.action ELSE 'other' END AS action,
    records.findings_count AS findings,
    NULLIF(records.reevaluation_reason, '') AS reevaluation_reason,
    records.pull_request
FROM decision_records AS records
LEFT JOIN pull_request_states AS states ON states.pull_request = records.pull_request
LEFT JOIN allowlist ON allowlist.repo = records.repo
WHERE records.ts_us >= $window_start_us AND records.ts_us < $window_end_us
