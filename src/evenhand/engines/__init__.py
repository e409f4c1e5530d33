"""Engines: run the SQL that counts, and nothing else."""
