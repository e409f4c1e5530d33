"""Metrics: one statistic a module, its SQL beside it; SQL counts, Python folds the counts into figures."""
