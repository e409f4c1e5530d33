"""Disclosure: what may be shown, and the checks that nothing else is."""
