-- Recorded minutes of published pull requests. A pull request is worth the mean of its recorded minutes, so rows
-- are grouped by how many it has: the sum of means is then sum(minutes) / recorded over few integer cells.
-- Usable is what is finite and not negative: -0 is 0, 1e400 is no number. Pull requests without one come as recorded = 0.
-- Nearly all have one number or none and need no second look at their events.
WITH stated AS (
    SELECT
        pull_request,
        CASE
            WHEN CAST(review_effort_minutes AS DOUBLE) >= 0
                AND CAST(review_effort_minutes AS DOUBLE) < CAST('Infinity' AS DOUBLE)
            THEN review_effort_minutes
        END AS minutes
    FROM surface_events
    WHERE ts_us < $as_of_us AND repo IN (SELECT repo FROM allowlist)
),
counted AS (
    SELECT pull_request, COUNT(minutes) AS recorded, MIN(minutes) AS one
    FROM stated
    GROUP BY pull_request
)
SELECT recorded, minutes, COUNT(*) AS n
FROM (
    SELECT recorded, one AS minutes
    FROM counted
    WHERE recorded <= 1
    UNION ALL
    SELECT counted.recorded, stated.minutes
    FROM stated
    JOIN counted ON counted.pull_request = stated.pull_request
    WHERE counted.recorded > 1 AND stated.minutes IS NOT NULL
) AS weighed
GROUP BY recorded, minutes
