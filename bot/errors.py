"""Errors of the program itself. Those of memory, tools and models have their own places."""


class OperatorError(Exception):
    """Something only the operator can put right. The text names key, value and remedy, one line
    for each problem."""
