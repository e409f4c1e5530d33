"""Firings and verdicts of the time before firings were recorded, from the decisions of that time.

Belongs here: which historical decisions give rows (decisions.py), and writing them (writing.py). Does not: figures.

Source: fairness contract section 11, "Backfill".
"""
