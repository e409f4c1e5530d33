"""A read-only server of a published site and of its API; the standard library alone."""
