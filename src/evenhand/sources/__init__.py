"""Sources: one module a kind of export, each yielding raw batches of one table at a time."""
