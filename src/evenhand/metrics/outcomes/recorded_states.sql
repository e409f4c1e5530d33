-- Pull requests with a verdict before as-of, by present state: the own part of a deployment that names no
-- repository. The rows carry no name.
SELECT COALESCE(states.state, 'in_review') AS state, COUNT(*) AS n
FROM (
    SELECT pull_request
    FROM decision_records
    WHERE ts_us < $as_of_us
    GROUP BY pull_request
) AS recorded
LEFT JOIN pull_request_states AS states ON states.pull_request = recorded.pull_request
GROUP BY COALESCE(states.state, 'in_review')
