"""Fairness figures for an automated code-review gate, each with its evidence."""

__version__ = "0.1.0"
