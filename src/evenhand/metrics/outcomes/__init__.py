"""Outcomes: what became of pull requests, from auto-actions, reversals and states."""
