"""Benchmarks: seconds, ratios and peak memory from generated exports; `make bench` prints them."""
