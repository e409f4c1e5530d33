"""The rules of outcome confirmation, one module each, in the order in which an event meets them (derivation.py)."""
