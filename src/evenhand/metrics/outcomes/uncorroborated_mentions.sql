-- Pull requests whose body speaks of a revert that nothing bears out, by the reason that the derivation gave.
SELECT detail AS reason, COUNT(*) AS n
FROM audit_events
WHERE family = 'outcomes.uncorroborated_mention' AND ts_us < $as_of_us
GROUP BY detail
