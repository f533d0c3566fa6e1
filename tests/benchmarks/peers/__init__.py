"""Mordecai's search beside that of other stores: same texts, same questions, same measures.

`python -m tests.benchmarks.peers.setup` makes an environment for each store, because what they
depend on does not fit together; `python -m tests.benchmarks.peers FILE...` measures them. Each
store runs in a process of its own, so that memory and import time are its own."""
