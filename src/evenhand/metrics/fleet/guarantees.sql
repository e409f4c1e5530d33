-- Payloads of registered instances, raw: few rows, read one by one by the fold.
SELECT arms.instance_id, arms.arm, arms.payload_json, arms.updated_us
FROM orb_risk_control_arms AS arms
WHERE arms.instance_id IN (SELECT instance_id FROM orb_instances WHERE registered)
