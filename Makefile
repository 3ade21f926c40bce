.DEFAULT_GOAL := help
.PHONY: help install run test check bench pictures lock clean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
FETCHED := $(VENV)/.fetched

help:            ## Show what can be made
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

install: $(FETCHED)  ## Make .venv with everything that run and test need

run: $(FETCHED)  ## Serve on 127.0.0.1:8321 (options: make run ARGS="--port 9000")
	$(BIN)/palimpsest serve --sample $(ARGS)

test: $(FETCHED)  ## Run all tests (some of them: make test ARGS="tests/unit -k slots")
	$(BIN)/pytest $(ARGS)

check: $(INSTALLED)  ## Formatting, lint, types and the direction of imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports

bench: $(FETCHED)  ## Measure speed and memory (options: make bench ARGS="--memories 10000")
	$(BIN)/python -m tests.bench $(ARGS)

pictures: $(FETCHED)  ## Take the pictures of docs/analysts.md anew (needs Chromium and chromedriver)
	test -d $(SELENIUM)/selenium || $(BIN)/pip install --quiet --disable-pip-version-check --target $(SELENIUM) 'selenium>=4.20,<5'
	PYTHONPATH=$(SELENIUM):$$PYTHONPATH $(BIN)/python -m tests.pictures

# Apart from .venv, whose packages are locked; its test runs where this is on PYTHONPATH.
SELENIUM := build/pictures

lock:  ## Write the lock files anew from pyproject.toml
	$(PYTHON) -m venv $(VENV)/lock
	$(VENV)/lock/bin/pip install --quiet uv
	$(VENV)/lock/bin/uv pip compile pyproject.toml $(LOCK_OPTIONS) --output-file requirements.txt
	$(VENV)/lock/bin/uv pip compile pyproject.toml $(LOCK_OPTIONS) --extra dev --constraint requirements.txt --output-file requirements-dev.txt
	rm -rf $(VENV)/lock

LOCK_OPTIONS := --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-emit-find-links --no-annotate --quiet --upgrade --custom-compile-command "make lock"

clean:           ## Remove .venv and caches; data and downloads stay
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist
	find service tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): requirements-dev.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

# Neo4j, its Browser and the embedding model go into the user's cache, once.
$(FETCHED): $(INSTALLED)
	$(BIN)/palimpsest fetch
	touch $@
