-- The newest threshold or logic run before as-of whose corpus checksum is a text that says something.
-- A newest run without a usable checksum does not hide the one before it.
SELECT corpus_checksum, stored_at
FROM (
    SELECT corpus_checksum, stored_at, ROW_NUMBER() OVER (ORDER BY ts_us DESC, id DESC) AS newest
    FROM backtest_runs
    WHERE ts_us < $as_of_us AND corpus_checksum <> ''
) AS runs
WHERE newest = 1
