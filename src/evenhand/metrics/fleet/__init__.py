"""Fleet: what registered instances reported, from their signals alone."""
