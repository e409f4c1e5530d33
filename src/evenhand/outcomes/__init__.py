"""Outcome confirmation: from pull-request events to outcomes, reversals and overrides.

Belongs here: reading webhook deliveries and GH Archive lines, the rules of what they confirm or reverse (rules/, one
module each), and the rows that come out. Does not: any figure; derived rows are an export like any other.

Source: fairness contract section 11.
"""
