-- Verdicts of the window by why the pull request was evaluated again; null: it was not.
SELECT NULLIF(reevaluation_reason, '') AS reason, COUNT(*) AS n
FROM decision_records
WHERE ts_us >= $window_start_us AND ts_us < $window_end_us
GROUP BY NULLIF(reevaluation_reason, '')
