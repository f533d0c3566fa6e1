"""Suites of claims that every adapter of a port must keep."""
