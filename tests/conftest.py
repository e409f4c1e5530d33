"""What every test may rely on: the same examples in every run, and nothing left behind by them."""

from hypothesis import settings

settings.register_profile("evenhand", derandomize=True, database=None, deadline=None, max_examples=60)
settings.load_profile("evenhand")
