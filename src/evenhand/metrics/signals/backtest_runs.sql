-- Threshold and logic backtest runs per week, by what their comparison said.
SELECT week, comparison_verdict AS verdict, COUNT(*) AS n
FROM backtest_runs
WHERE ts_us >= $window_start_us AND ts_us < $window_end_us
GROUP BY week, comparison_verdict
