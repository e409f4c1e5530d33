-- The whole chain in order, each row beside the record that it commits to.
SELECT
    ledger.seq, ledger.record_id, ledger.record_digest, ledger.prev_hash, ledger.row_hash, ledger.created_at, ledger.ts_us,
    records.id IS NOT NULL AS found, records.record_json, records.record_content
FROM decision_ledger AS ledger
LEFT JOIN (
    SELECT id, MIN(record_json) AS record_json, MIN(record_content) AS record_content
    FROM decision_records
    GROUP BY id
) AS records ON records.id = ledger.record_id
ORDER BY ledger.seq, ledger.row_hash
