-- Every rule with any override row in the window, excluded provenance included: each has a corpus, perhaps of 0 cases.
-- votes: the overrides that label some case. Ten firings that share one override are ten cases of one vote, and an
-- override on a target without a firing is a vote of no case: with both numbers a reader reconciles corpus and precision.
SELECT rules.rule_id, COALESCE(cases.n, 0) AS cases, COALESCE(votes.n, 0) AS votes
FROM (
    SELECT rule_id
    FROM human_overrides
    WHERE ts_us >= $window_start_us AND ts_us < $window_end_us
    GROUP BY rule_id
) AS rules
LEFT JOIN (SELECT rule_id, COUNT(*) AS n FROM corpus_cases GROUP BY rule_id) AS cases ON cases.rule_id = rules.rule_id
LEFT JOIN (
    SELECT rule_id, COUNT(*) AS n
    FROM (
        SELECT rule_id, key_number, 1 AS number FROM corpus_firings WHERE overrides = 1 GROUP BY rule_id, key_number
        UNION ALL
        SELECT rule_id, key_number, number FROM searched_firings GROUP BY rule_id, key_number, number
    ) AS labelling
    GROUP BY rule_id
) AS votes ON votes.rule_id = rules.rule_id
ORDER BY rules.rule_id
