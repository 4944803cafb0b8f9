# Two doors for a fresh machine with Python 3.11 or later, git and make: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
INPUTS := pyproject.toml constraints.txt
PYTEST := $(BIN)/python -m pytest
# Where pytest collects nothing it exits with 5; no test of a kind is no failure.
OR_NONE := || test $$? -eq 5
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

# The tests start hundreds of processes; each would compile our modules, and pytest its tests, anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test check fast-tests format docs clean

demo: $(VENV)/demo.stamp  ## a report on a shipped sample pipeline
	$(BIN)/dldoctor demo

# The zoo forks the test process for each case, so nothing else runs in that process: packages that other
# tests use start threads, and what a thread holds at a fork is held in the child for good.
ZOO := tests/test_zoo.py

test: $(VENV)/test.stamp  ## all tests, first those that must not share the machine
	$(PYTEST) -m serial --durations=15 $(ZOO) $(OR_NONE)
	$(PYTEST) -m serial --durations=15 --ignore $(ZOO) $(OR_NONE)
	$(PYTEST) -m "not serial" -n $(JOBS) --durations=15 $(ZOO)
	$(PYTEST) -m "not serial" -n $(JOBS) --durations=25 --ignore $(ZOO)

# `make check test` runs the fast tests once: among all tests.
FAST := $(if $(filter test,$(MAKECMDGOALS)),true,$(PYTEST) -q -m "not slow and not serial" -n $(JOBS))

check: $(VENV)/check.stamp  ## format, lint, types, import layers, docs, fast tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(PYTEST) -q tests/test_layers.py
	$(BIN)/python tools/gen_docs.py --check
	$(FAST)

format: $(VENV)/check.stamp  ## put the code into form
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(VENV)/check.stamp  ## write the pages that are made from code
	$(BIN)/python tools/gen_docs.py

clean:  ## everything that the targets above made
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dldoctor needs Python 3.11 or later; set PYTHON=/path/to/it")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/demo.stamp: $(INPUTS) | $(VENV)/bin/python
	$(PIP) install --constraint constraints.txt --editable .
	touch $@

$(VENV)/test.stamp: $(INPUTS) | $(VENV)/bin/python
	$(PIP) install --constraint constraints.txt --editable '.[test]'
	touch $@ $(VENV)/demo.stamp

$(VENV)/check.stamp: $(INPUTS) | $(VENV)/bin/python
	$(PIP) install --constraint constraints.txt --editable '.[test,dev]'
	touch $@ $(VENV)/demo.stamp $(VENV)/test.stamp
