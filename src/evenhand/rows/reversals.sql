-- Reversal events of the window per kind and day, whatever their outcome.
SELECT SUBSTR(family, 10) AS kind, day, COUNT(*) AS n
FROM audit_events
WHERE family IN ('reversal_reopened', 'reversal_reverted', 'reversal_superseded')
  AND ts_us >= $window_start_us AND ts_us < $window_end_us
GROUP BY SUBSTR(family, 10), day
