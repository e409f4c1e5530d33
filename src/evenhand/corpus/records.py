"""Eval score records: a rule's score beside the digest of the corpus that it can be checked on.

Belongs here: which rules are committed to, and the record with its digest. Does not: the score itself
(metrics/signals/rule_precision) or the corpus (corpora).

Source: fairness contract, section 3, "Commitment" and "Eval score record".
"""

from typing import Any

from evenhand.canonical import digest
from evenhand.corpus.corpora import RuleCorpus
from evenhand.metrics.registry import Context
from evenhand.metrics.signals.rule_precision import RulePrecision, RulePrecisions
from evenhand.timeline import iso


def score_records(precisions: RulePrecisions, corpora: list[RuleCorpus], context: Context) -> list[dict[str, Any]]:
    """One record for each rule whose corpus is neither empty nor truncated, ordered by rule id."""
    by_rule = {corpus.rule_id: corpus for corpus in corpora}
    committed = ((rule, by_rule.get(rule.rule_id)) for rule in precisions.rules)
    return [
        _record(rule, corpus, context) for rule, corpus in committed if corpus and corpus.cases and not corpus.truncated
    ]


def _record(rule: RulePrecision, corpus: RuleCorpus, context: Context) -> dict[str, Any]:
    policy = context.policy.corpus
    record: dict[str, Any] = {
        "schemaVersion": 1,
        "subject": {"kind": policy.subject_kind, "id": policy.subject_id},
        "workUnit": {"kind": policy.work_unit_kind, "ruleId": rule.rule_id},
        "score": {
            "decided": rule.decided,
            "confirmed": rule.confirmed,
            "precision": rule.precision.value,
            "recall": None,
            "coverage": 1 if rule.decided else None,
            "abstained": 0,
        },
        "commitments": {
            "corpusChecksum": corpus.checksum,
            "scoringRuleVersion": policy.scoring_rule_version,
            "windowStart": iso(corpus.window.start),
            "windowEnd": iso(corpus.window.end),
            "splitSeed": None,
            "heldOutFraction": None,
        },
        "trust": {"tier": policy.trust_tier},
        "issuedAt": iso(context.as_of),
    }
    return {**record, "recordDigest": digest(record)}
