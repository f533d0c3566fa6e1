# `make run` starts the bot, `make test` runs every check. Both need Python 3.11 or newer and, the
# first time, the network: each installs what it needs into an environment beside this file.

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
PIP_INSTALL = -m pip install --disable-pip-version-check --no-deps
FLOOR = 95
# More than the cores: tests of whole programs mostly wait.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) * 3 // 2)')

.DEFAULT_GOAL := help
.PHONY: help run chat test explore eval bench format lock clean python

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/'

# `exec` leaves no shell that Ctrl-C could end before the bot has said goodbye.
run: .venv/ready ## start the bot: on Telegram if TELEGRAM_BOT_TOKEN is set, else in this terminal
	@exec .venv/bin/mordecai run $(ARGS)

chat: .venv/ready ## chat in this terminal, even if TELEGRAM_BOT_TOKEN is set
	@exec .venv/bin/mordecai chat $(ARGS)

# Without bytecode each worker and each program that a test starts would compile everything anew.
test: export PYTHONDONTWRITEBYTECODE =
test: .venv-test/ready ## lint, types, import rules, tests, coverage
	.venv-test/bin/ruff check .
	.venv-test/bin/ruff format --check .
	.venv-test/bin/mypy
	.venv-test/bin/lint-imports
	.venv-test/bin/python -m pytest --numprocesses $(WORKERS) --dist worksteal --ignore=tests/benchmarks --cov --cov-report= $(ARGS)
	.venv-test/bin/coverage report --fail-under=$(FLOOR) --include='memory/*,tools/*,bot/assistant/*'

explore: export PYTHONDONTWRITEBYTECODE =
explore: .venv-test/ready ## run the property tests once, with examples that no run had before
	.venv-test/bin/python -m pytest --numprocesses $(WORKERS) --dist worksteal --ignore=tests/benchmarks --hypothesis-profile=new -m hypothesis $(ARGS)

eval: .venv-test/ready ## measure recall by small talk, learning from dialogues, the cost of long conversations
	.venv-test/bin/python -m tests.evals.chatter
	.venv-test/bin/mordecai eval learning tests/evals/learning.jsonl
	.venv-test/bin/python -m tests.evals.everyday
	.venv-test/bin/python -m tests.evals.extraction
	.venv-test/bin/python -m tests.evals.window

bench: .venv-test/ready ## measure cost per message, event loop, fifty people at once, kills, AWS
	.venv-test/bin/python -m pytest -q tests/benchmarks
	.venv-test/bin/python -m tests.benchmarks.throughput
	.venv-test/bin/python -m tests.benchmarks.throughput --growth
	.venv-test/bin/python -m tests.benchmarks.engines
	.venv-test/bin/python -m tests.benchmarks.loop
	.venv-test/bin/python -m tests.benchmarks.stay
	.venv-test/bin/python -m tests.benchmarks.killloop
	.venv-test/bin/python -m tests.benchmarks.workers
	.venv-test/bin/python -m tests.benchmarks.workers --storm
	.venv-test/bin/python -m tests.benchmarks.aws
	.venv-test/bin/python -m tests.benchmarks.aws_costs
	.venv-test/bin/python -m tests.benchmarks.simulation

format: .venv-test/ready ## fix lint and format the code
	.venv-test/bin/ruff check --fix .
	.venv-test/bin/ruff format .

lock: .venv-test/ready ## update the pinned dependencies, without index URLs
	.venv-test/bin/python -m pip install --quiet uv
	.venv-test/bin/uv pip compile pyproject.toml -o requirements.lock $(LOCKING)
	.venv-test/bin/uv pip compile pyproject.toml --group dev -o requirements-dev.lock $(LOCKING)

LOCKING = --quiet --upgrade --universal --python-version 3.11 --no-emit-index-url --no-header --no-annotate

clean: ## remove environments and caches, but never data/
	rm -rf .venv .venv-test .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

.venv/ready: requirements.lock pyproject.toml | python
	@echo "Setting up .venv (once, a minute or two) ..."
	@$(PYTHON) -m venv .venv
	@.venv/bin/python $(PIP_INSTALL) -r requirements.lock
	@.venv/bin/python $(PIP_INSTALL) --quiet -e .
	@touch $@

.venv-test/ready: requirements-dev.lock pyproject.toml | python
	@echo "Setting up .venv-test (once, a minute or two) ..."
	@$(PYTHON) -m venv .venv-test
	@.venv-test/bin/python $(PIP_INSTALL) -r requirements-dev.lock
	@.venv-test/bin/python $(PIP_INSTALL) --quiet -e .
	@touch $@

python:
	@test -n "$(PYTHON)" || { echo "Mordecai needs Python 3.11 or newer; found none. Install it, or name it: make run PYTHON=/path/to/python3.12" >&2; exit 1; }
