# LoopX Web: `make` lists what there is. Needs Python 3.11 or newer and nothing else.

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

BIN := .venv/bin
# More arguments for the command behind a target: make run ARGS="--port 9000"
ARGS ?=
# How many tests run at once.
JOBS ?= 2
# The interpreter for a new .venv: make run PYTHON=/path/to/python3.12
PYTHON ?=
export PYTHON
# A company's own authority is known to the system alone; where it has no store, uv brings one.
ifneq ($(wildcard /etc/ssl/certs/* /etc/pki/tls/certs/* /System/Library/Keychains/*),)
export UV_SYSTEM_CERTS := true
endif
# Checks that load the settings write nothing into anybody's data directory.
CHECK := LOOPX_SECRET_KEY=check LOOPX_DATA_DIR=.venv/check DJANGO_SETTINGS_MODULE=loopx_web.settings

.PHONY: help run setup setup-run test test-slow test-postgres e2e bench bench-full lint fmt types lock

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: setup-run ## install if needed and start LoopX (ARGS="--port 9000")
	@exec $(BIN)/loopx serve $(ARGS)

setup-run:
	@.ci/setup run

setup: ## install what tests and checks need
	@.ci/setup test

test: setup ## unit, transition, API and browser tests of the main paths
	@.ci/browser
	@$(BIN)/python -m pytest -n $(JOBS) -m "not slow" $(ARGS)

test-slow: setup ## long walks, races, faults, end-to-end runs, PostgreSQL
	@.ci/browser
	@postgres=0; .ci/postgres || postgres=$$?; \
	$(BIN)/python -m pytest -n $(JOBS) -m slow $(ARGS) && exit $$postgres

test-postgres: setup ## the fast tests on PostgreSQL (LOOPX_TEST_DATABASE=postgresql://…)
	@.ci/postgres

e2e: setup ## the end-to-end tests alone
	@.ci/browser
	@$(BIN)/python -m pytest tests/e2e $(ARGS)

bench: setup ## short benchmark: ratios, not seconds
	@$(BIN)/python -m tests.bench $(ARGS)

bench-full: setup ## the whole benchmark
	@$(BIN)/python -m tests.bench --full $(ARGS)

lint: setup ## style, imports between rooms, missing migrations
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/lint-imports --no-logo
	@$(CHECK) $(BIN)/python manage.py makemigrations --check --dry-run

fmt: setup ## format and fix what can be fixed
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format .

types: setup ## mypy
	@$(CHECK) $(BIN)/mypy

lock: setup ## resolve the dependencies anew into uv.lock
	@$(BIN)/uv lock --upgrade $(ARGS)
