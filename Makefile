# Everything that Numberline needs is installed into .venv by the commands below; nothing else has to be set up.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

.PHONY: help play web test check soak bench baselines format picture clean

help: ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 10

play: .venv/core ## set everything up and choose a game
	@trap : INT; $(BIN)/numberline; code=$$?; \
	echo "To play again: $(BIN)/numberline (or install it with: pipx install . and type: numberline)"; \
	[ $$code -eq 130 ] || exit $$code

web: .venv/web ## set everything up and open the games in a browser
	@trap : INT; $(BIN)/numberline web --browser; code=$$?; [ $$code -eq 130 ] || exit $$code

test: .venv/dev check ## set everything up; all checks and tests
	-@$(BIN)/python tools/browser.py
	$(BIN)/python -m pytest -q -n 2 -m "not soak"

check: .venv/dev ## style, types, and which room imports from which
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

soak: .venv/dev .venv-rl/made .venv-ray/made .venv-spiel/made ## the tests that run for minutes, other people's clients too
	$(BIN)/python -m pytest -q -n 2 -m soak
	.venv-rl/bin/python -m pytest -q -W ignore -m soak tests/clients/test_rl.py
	.venv-rl/bin/python -m pytest -q -W ignore -k 'duckdb or polars' tests/datasets/test_export.py
	.venv-ray/bin/python -m pytest -q -W ignore -m soak tests/clients/test_ray.py
	.venv-spiel/bin/python -m pytest -q -W ignore -m soak tests/clients/test_spiel.py

bench: .venv/dev ## the figures, as tables
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

baselines: .venv/dev ## docs/baselines.md, played anew: every bot against every other one
	$(BIN)/python tools/baselines.py docs/baselines.md --workers 2 $(if $(wildcard .venv-rl/bin/python),--rl .venv-rl/bin/python)

format: .venv/dev ## put the code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## remove what was installed and built
	rm -rf .venv .venv-rl .venv-ray .venv-spiel build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/core: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) install -q -c constraints.txt -e .
	@touch $@

.venv/web: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) install -q -c constraints.txt -e '.[web]'
	@touch $@ .venv/core

.venv/dev: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) install -q -c constraints.txt -e '.[dev,fast,plot,envs,openspiel,data,inspect,textarena,mcp,web,postgres,cluster]'
	@touch $@ .venv/core .venv/web

# Clients are gigabytes, and what one of them needs excludes what another does: each group has a place of its own, with
# the versions that it asks for. PyTorch comes first, so that nothing draws in another build of it.

TORCH ?= torch==2.13.0
PLACE = $(PYTHON) -m venv $(@D)
CLIENTS = $(@D)/bin/python -m pip --disable-pip-version-check install -q

.venv-rl/made: pyproject.toml
	$(PLACE)
	$(CLIENTS) '$(TORCH)'
	$(CLIENTS) -e '.[envs,fast,data]' duckdb hypothesis moviepy polars pytest sb3-contrib tianshou
	@touch $@

.venv-ray/made: pyproject.toml
	$(PLACE)
	$(CLIENTS) '$(TORCH)'
	$(CLIENTS) -e '.[envs,fast]' hypothesis pytest 'ray[rllib]'
	@touch $@

.venv-spiel/made: pyproject.toml
	$(PLACE)
	$(CLIENTS) -e '.[envs,fast,openspiel]' hypothesis pytest chex flax jax optax orbax-checkpoint
	@touch $@

picture: .venv/dev ## the pictures of a real game and of the rooms, drawn anew
	$(BIN)/python tools/picture.py docs/picture.svg
	$(BIN)/python tools/rooms.py docs/architecture.svg
	$(BIN)/python tools/page.py docs/browser.png
