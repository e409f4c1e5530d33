"""Figures over many reviews: counts of one export, folded into figures with their evidence, one statistic a module."""
