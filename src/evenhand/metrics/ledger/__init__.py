"""Ledger: what the gate decided, from decision records alone."""
