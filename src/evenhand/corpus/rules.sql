-- Every rule with any override row in the window, excluded provenance included: each has a corpus, perhaps of 0 cases.
SELECT rules.rule_id, COALESCE(cases.n, 0) AS cases
FROM (
    SELECT rule_id
    FROM human_overrides
    WHERE ts_us >= $window_start_us AND ts_us < $window_end_us
    GROUP BY rule_id
) AS rules
LEFT JOIN (SELECT rule_id, COUNT(*) AS n FROM corpus_cases GROUP BY rule_id) AS cases ON cases.rule_id = rules.rule_id
ORDER BY rules.rule_id
