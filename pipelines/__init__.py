"""The Dagster code location: the graph that a person sees, over the code that the command line runs.

Belongs here: assets, checks, the job, the schedule and the resource. Does not: any rule; each asset is a thin
call into evenhand.
"""
