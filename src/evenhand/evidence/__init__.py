"""Review evidence: what a review's findings are worth, from the export of its copies, one concern a module."""
