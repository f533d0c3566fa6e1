"""Measurements that take minutes. They are run by hand, never by the test suite."""
