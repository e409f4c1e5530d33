-- The decision ledger row by row. A record id names a pull request: it goes out only when the policy publishes it.
SELECT seq, prev_hash, row_hash, record_digest, created_at, record_id
FROM decision_ledger
