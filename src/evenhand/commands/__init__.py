"""Commands with a module of their own: arguments in, one of the rooms called."""
