"""Signals: what people said of a rule's firings, from override events alone."""
