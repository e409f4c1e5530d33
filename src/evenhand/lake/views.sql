-- What the tables of the lake mean, before any figure counts them. Portable: no JSON, no time arithmetic.
-- What several figures read is kept as a narrow table, so that millions of events are scanned a few times, not twenty.
-- Policy values come as one-column tables (excluded_provenance, auto_actions, allowlist), so that every
-- engine reads them alike.

-- A person's verdict on a rule's firing. Anything but the two exact words is unrecognized.
-- Provenance that copied another rule's verdicts is not attributable and counts nowhere. A type without a colon has
-- the family but names no rule.
CREATE TABLE human_overrides AS
SELECT
    id, rule_id, COALESCE(target_key, '') AS target_key, ts_us, day, week, basis,
    CASE WHEN verdict IN ('confirmed', 'reversed') THEN verdict ELSE 'unrecognized' END AS verdict,
    (provenance IS NULL OR provenance NOT IN (SELECT provenance FROM excluded_provenance)) AS attributable
FROM audit_events
WHERE family = 'signal.human_override' AND rule_id IS NOT NULL;

CREATE VIEW rule_firings AS
SELECT id, rule_id, COALESCE(target_key, '') AS target_key, ts_us, day, week, signal_outcome, confidence
FROM audit_events
WHERE family = 'signal.rule_fired' AND rule_id IS NOT NULL;

-- Decisions that were undone, by kind, whatever their outcome says.
CREATE TABLE reversals AS
SELECT SUBSTR(family, 10) AS kind, pull_request, ts_us, outcome
FROM audit_events
WHERE family IN ('reversal_reopened', 'reversal_reverted', 'reversal_superseded');

-- Merges and closes that took effect, of repositories that may be named.
CREATE TABLE auto_actioned AS
SELECT repo, pull_request, ts_us, week
FROM audit_events
WHERE family IN (SELECT family FROM auto_actions)
  AND outcome = (SELECT completed FROM action_words)
  AND (mode IS NULL OR mode <> (SELECT dry_run FROM action_words))
  AND pull_request IS NOT NULL
  AND repo IN (SELECT repo FROM allowlist);

-- Events that a pull request's public surface was published, of any repository, and when it first was.
CREATE VIEW surface_events AS
SELECT repo, pull_request, ts_us, review_effort_minutes
FROM audit_events
WHERE family = 'github_app.pr_public_surface_published' AND pull_request IS NOT NULL;

CREATE TABLE published_pull_requests AS
SELECT repo, pull_request, MIN(ts_us) AS first_us
FROM surface_events
GROUP BY repo, pull_request;

-- Runs of a backtest that compare a changed rule with the old one.
CREATE TABLE backtest_runs AS
SELECT id, ts_us, week, stored_at, corpus_checksum, comparison_verdict
FROM audit_events
WHERE family IN ('calibration.threshold_backtest_run', 'calibration.logic_backtest_run');

-- One state a pull request: of two spellings of its repository the newest row, ties the greatest spelling. The columns
-- after it only make two rows of one spelling and one time, which no export should hold, the same choice every time.
-- Merged is merged_at present, whatever it says; a state that is neither merged nor closed is in review.
CREATE TABLE pull_request_states AS
SELECT
    repo, pull_request, author_association, merged_us, merged_week, updated_us, updated_week,
    CASE WHEN merged THEN 'merged' WHEN state = 'closed' THEN 'closed' ELSE 'in_review' END AS state
FROM (
    SELECT
        *,
        ROW_NUMBER() OVER (
            PARTITION BY pull_request
            ORDER BY COALESCE(updated_us, -9000000000000000000) DESC, repo_full_name DESC,
                merged DESC, state, merged_us, author_association
        ) AS newest
    FROM pull_requests
) AS ranked
WHERE newest = 1;

-- Outcomes of registered installations' pull requests.
CREATE VIEW fleet_outcomes AS
SELECT pull_request, outcome, occurred_us, occurred_week
FROM orb_pr_outcomes
WHERE installation_id IN (SELECT installation_id FROM orb_github_installations WHERE registered);

-- Live signals and rolled-up counts in one shape. In rollups '' stands for null.
-- A signal without an instance keeps its place under the empty name, which no registered instance has.
CREATE VIEW fleet_signals AS
SELECT
    COALESCE(instance_id, '') AS instance_id, received_us, received_day AS day, trend_day, trend_week,
    CASE WHEN decided_given THEN decided_us ELSE received_us END AS trend_us, gate_verdict, outcome,
    COALESCE(NULLIF(reversal_flag, ''), 'none') AS reversal_flag, gate_reasoncode_bucket, time_to_close_ms,
    TRUE AS live, 1 AS n
FROM orb_signals
UNION ALL
SELECT
    COALESCE(instance_id, ''), NULL, day, day, week, NULL, NULLIF(gate_verdict, ''), outcome,
    COALESCE(NULLIF(reversal_flag, ''), 'none'), NULLIF(gate_reasoncode_bucket, ''), NULL, FALSE, n
FROM orb_signal_rollups;

-- What a signal says: a merge or close that was confirmed or not, a hold, or a policy action (scored nowhere).
CREATE VIEW scored_signals AS
SELECT
    instance_id, received_us, day, trend_day, trend_week, trend_us, live, time_to_close_ms, n,
    reversal_flag <> 'none' AS flagged,
    CASE
        WHEN gate_reasoncode_bucket = (SELECT bucket FROM policy_bucket) THEN 'policy_action'
        WHEN gate_verdict = 'merge' THEN 'merge'
        WHEN gate_verdict = 'close' THEN 'close'
        ELSE 'hold'
    END AS verdict,
    CASE
        WHEN gate_verdict = 'merge' THEN outcome = 'merged' AND reversal_flag <> 'reverted'
        ELSE outcome = 'closed' AND reversal_flag NOT IN ('reopened', 'superseded')
    END AS confirmed
FROM fleet_signals;
