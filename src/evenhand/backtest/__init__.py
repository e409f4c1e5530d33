"""Backtests of a rule change on history: corpora over the full case, scores, comparisons, evidence, recommendations."""
