-- Pull requests with a verdict in the window as counts: the week of the first verdict, and what the verdicts were.
SELECT week, decided, acted, manual, COUNT(*) AS n
FROM (
    SELECT
        pull_request,
        MIN(week) AS week,
        MAX(CASE WHEN action IN ('merge', 'close', 'hold') THEN 1 ELSE 0 END) AS decided,
        MAX(CASE WHEN action IN ('merge', 'close') THEN 1 ELSE 0 END) AS acted,
        MAX(CASE
            WHEN action = 'hold' OR reevaluation_reason = $maintainer_request
              OR LENGTH(TRANSLATE(reevaluation_actor, $white_space, '')) > 0
            THEN 1 ELSE 0
        END) AS manual
    FROM decision_records
    WHERE ts_us >= $window_start_us AND ts_us < $window_end_us
    GROUP BY pull_request
) AS pull_requests_decided
GROUP BY week, decided, acted, manual
