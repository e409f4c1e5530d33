"""Corpora: labelled cases that a stranger can score a rule on, and what commits to them."""
