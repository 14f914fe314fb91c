# Every target installs what it needs into .venv first.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Modules are compiled when first imported: a quicker installation, and 0.1 GB less.
INSTALL := $(PIP) install -q --no-compile -c constraints.txt
# Without stored bytecode, every process of the tests would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

# Types are checked beside the tests; what mypy found is printed after them.
TYPES := .venv/mypy.txt

.PHONY: help play web test quick check style js coverage soak floors bench baselines format picture clean

help: ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 10

play: .venv/core ## install, then choose a game
	@trap : INT; NUMBERLINE_RESUME='make play' $(BIN)/numberline; code=$$?; \
	echo "To play again, type: make play"; \
	[ $$code -eq 130 ] || exit $$code

web: .venv/web ## install, then open the games in a browser
	@trap : INT; $(BIN)/numberline web --browser; code=$$?; [ $$code -eq 130 ] || exit $$code

test: .venv/dev style ## install, then run all checks and tests
	-@$(BIN)/python tools/browser.py
	@$(BIN)/mypy > $(TYPES) & types=$$!; $(BIN)/python -m pytest -q -n 4 -m "not soak"; tests=$$?; \
	wait $$types; types=$$?; cat $(TYPES); exit $$((tests + types))

quick: .venv/dev ## tests of the packages changed since BASE (default: HEAD)
	$(BIN)/python tools/quick.py $(BASE)

coverage: .venv/dev ## tests with a coverage report in htmlcov/
	$(BIN)/python -m pytest -q -n 4 -m "not soak" --cov=numberline --cov-report=term:skip-covered --cov-report=html

check: style ## style, types and package layers
	$(BIN)/mypy

style: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	@if command -v npm >/dev/null; then $(MAKE) js; else echo 'Node.js is not installed: the JavaScript checks are skipped.'; fi

js: node_modules/.made ## style, types and tests of the JavaScript
	node_modules/.bin/prettier --check .
	node_modules/.bin/tsc
	node --test tests/js/*.test.js

soak: .venv/dev .venv-rl/made .venv-ray/made .venv-spiel/made ## tests that take minutes, including RL clients
	$(BIN)/python -m pytest -q -n 2 -m soak
	$(BIN)/python -m pytest -q -n 2 -m "not soak" --hypothesis-profile=soak tests/properties
	.venv-rl/bin/python -m pytest -q -W ignore -m soak tests/clients/test_rl.py
	.venv-rl/bin/python -m pytest -q -W ignore -k 'duckdb or polars' tests/datasets/test_export.py
	.venv-ray/bin/python -m pytest -q -W ignore -m soak tests/clients/test_ray.py
	.venv-spiel/bin/python -m pytest -q -W ignore tests/envs/test_openspiel.py
	.venv-spiel/bin/python -m pytest -q -W ignore -m soak tests/clients/test_spiel.py

floors: .venv-floors/made ## smoke-test every command with the lowest allowed versions
	.venv-floors/bin/python tools/smoke.py

bench: .venv/dev ## print the benchmark tables
	$(BIN)/python benchmarks/first_prompt.py
	$(BIN)/python benchmarks/engine.py
	$(BIN)/python benchmarks/solving.py
	$(BIN)/python benchmarks/lab.py
	$(BIN)/python benchmarks/lab_chain.py
	$(BIN)/python benchmarks/lab_map.py
	$(BIN)/python benchmarks/review.py
	$(BIN)/python benchmarks/arena.py
	$(BIN)/python benchmarks/export.py
	$(BIN)/python benchmarks/envs.py
	$(BIN)/python benchmarks/web.py
	$(BIN)/python benchmarks/attackers.py

baselines: .venv/dev ## regenerate docs/baselines.md
	$(BIN)/python tools/baselines.py docs/baselines.md --workers 2 $(if $(wildcard .venv-rl/bin/python),--rl .venv-rl/bin/python)

format: .venv/dev ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	@if command -v npm >/dev/null; then $(MAKE) node_modules/.made && node_modules/.bin/prettier --write .; fi

clean: ## remove everything installed or built
	rm -rf .venv node_modules .venv-rl .venv-ray .venv-spiel .venv-floors build dist htmlcov .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis

.venv/bin/python:
	@echo 'Making a Python environment in .venv …'
	@$(PYTHON) -m venv .venv

node_modules/.made: package.json
	npm install --no-package-lock --no-audit --no-fund
	@touch $@

.venv/core: .venv/bin/python pyproject.toml constraints.txt
	@echo 'Setting up Numberline in .venv. This happens only once …'
	@$(INSTALL) -e .
	@touch $@

.venv/web: .venv/bin/python pyproject.toml constraints.txt
	@echo 'Setting up Numberline in .venv. This happens only once …'
	@$(INSTALL) -e '.[web]'
	@touch $@ .venv/core

.venv/dev: .venv/bin/python pyproject.toml constraints.txt
	$(INSTALL) -e '.[dev,fast,envs,data,inspect,textarena,mcp,web,postgres,cluster]'
	@touch $@ .venv/core .venv/web

.venv-floors/made: pyproject.toml
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip --disable-pip-version-check install -q uv
	$(@D)/bin/uv pip install -q --python $(@D)/bin/python --resolution lowest-direct -e '.[fast,envs,data,mcp,web,postgres,cluster]'
	@touch $@

# RL clients are gigabytes and their requirements conflict, so each group has its own environment. PyTorch is installed
# first, so that no client pulls in another build of it.

TORCH ?= torch==2.13.0
NEW_VENV = $(PYTHON) -m venv $(@D)
CLIENTS = $(@D)/bin/python -m pip --disable-pip-version-check install -q

.venv-rl/made: pyproject.toml
	$(NEW_VENV)
	$(CLIENTS) '$(TORCH)'
	$(CLIENTS) -e '.[envs,fast,data]' duckdb hypothesis moviepy polars pytest pytest-timeout sb3-contrib tianshou
	@touch $@

.venv-ray/made: pyproject.toml
	$(NEW_VENV)
	$(CLIENTS) '$(TORCH)'
	$(CLIENTS) -e '.[envs,fast]' hypothesis pytest pytest-timeout 'ray[rllib]'
	@touch $@

.venv-spiel/made: pyproject.toml
	$(NEW_VENV)
	$(CLIENTS) -e '.[envs,fast,openspiel]' hypothesis pytest pytest-timeout chex flax jax optax orbax-checkpoint
	@touch $@

picture: .venv/dev ## regenerate the pictures in docs/
	$(BIN)/python tools/picture.py docs/picture.svg
	$(BIN)/python tools/page.py docs/browser.png
