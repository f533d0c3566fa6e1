"""Several workers on one PostgreSQL: how fast they are beside one with SQLite, and what they lose
when everything goes wrong.

    python -m tests.benchmarks.workers [--json]
    python -m tests.benchmarks.workers --storm [--blows N] [--people N] [--seed S] [--webhook]

The Bot API, the model and the people are in this process; PostgreSQL and each worker are others.
Linux only."""
