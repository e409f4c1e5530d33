-- What persisted runs said of each rule: threshold, logic and counterfactual runs of any age whose comparison names one.
SELECT comparison_rule AS rule_id, comparison_verdict AS verdict, COUNT(*) AS n
FROM audit_events
WHERE family IN (
        'calibration.threshold_backtest_run', 'calibration.logic_backtest_run', 'calibration.counterfactual_backtest_run'
    )
  AND comparison_rule IS NOT NULL
  AND ts_us < $as_of_us
GROUP BY comparison_rule, comparison_verdict
