-- Recorded minutes of published pull requests. A pull request is worth the mean of its recorded minutes, so rows
-- are grouped by how many it has: the sum of means is then sum(minutes) / recorded over few integer cells.
-- Usable is what is finite and not negative: -0 is 0, 1e400 is no number. Pull requests without one come as recorded = 0.
SELECT recorded, minutes, COUNT(*) AS n
FROM (
    SELECT
        minutes,
        COUNT(minutes) OVER (PARTITION BY pull_request) AS recorded,
        ROW_NUMBER() OVER (PARTITION BY pull_request ORDER BY minutes) AS position
    FROM (
        SELECT
            pull_request,
            CASE
                WHEN CAST(review_effort_minutes AS DOUBLE) >= 0
                    AND CAST(review_effort_minutes AS DOUBLE) < CAST('Infinity' AS DOUBLE)
                THEN review_effort_minutes
            END AS minutes
        FROM surface_events
        WHERE ts_us < $as_of_us AND repo IN (SELECT repo FROM allowlist)
    ) AS stated
) AS counted
WHERE minutes IS NOT NULL OR (recorded = 0 AND position = 1)
GROUP BY recorded, minutes
