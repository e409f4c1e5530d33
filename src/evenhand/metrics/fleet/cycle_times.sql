-- Nearest-rank percentiles of the time to close, over live rows of eligible instances that carry a time.
-- Rank ceil(p/100 * n) without floats: the one position with 100 * position >= p * n > 100 * (position - 1).
SELECT
    MAX(total) AS n,
    MAX(CASE WHEN 100 * position >= 50 * total AND 100 * (position - 1) < 50 * total THEN time_to_close_ms END) AS p50_ms,
    MAX(CASE WHEN 100 * position >= 95 * total AND 100 * (position - 1) < 95 * total THEN time_to_close_ms END) AS p95_ms
FROM (
    SELECT
        time_to_close_ms,
        ROW_NUMBER() OVER (ORDER BY time_to_close_ms) AS position,
        COUNT(*) OVER () AS total
    FROM scored_signals
    WHERE live AND time_to_close_ms IS NOT NULL
      AND day >= $window_start_day AND received_us < $as_of_us
      AND instance_id IN (
          SELECT instance_id
          FROM scored_signals
          WHERE day >= $window_start_day
            AND ((live AND received_us < $as_of_us) OR (NOT live AND day <= $as_of_day))
            AND instance_id IN (SELECT instance_id FROM orb_instances WHERE registered)
          GROUP BY instance_id
          HAVING SUM(n) >= $least_signals
      )
) AS timed
