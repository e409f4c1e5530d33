-- Reversal events in the window by kind, whatever their outcome.
SELECT kind, COUNT(*) AS n
FROM reversals
WHERE ts_us >= $window_start_us AND ts_us < $window_end_us
GROUP BY kind
