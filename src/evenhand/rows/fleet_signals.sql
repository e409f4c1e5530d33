-- Signals of the window pooled over eligible instances. Pooled over three or more; with fewer it is never asked.
SELECT verdict, CASE WHEN verdict = 'hold' THEN NULL ELSE confirmed END AS confirmed, SUM(n) AS n
FROM scored_signals
WHERE verdict IN ('merge', 'close', 'hold')
  AND day >= $window_start_day
  AND ((live AND received_us < $as_of_us) OR (NOT live AND day <= $as_of_day))
  AND instance_id IN (
      SELECT instance_id
      FROM scored_signals
      WHERE day >= $window_start_day
        AND ((live AND received_us < $as_of_us) OR (NOT live AND day <= $as_of_day))
        AND instance_id IN (SELECT instance_id FROM orb_instances WHERE registered)
      GROUP BY instance_id
      HAVING SUM(n) >= $least_signals
  )
GROUP BY verdict, CASE WHEN verdict = 'hold' THEN NULL ELSE confirmed END
