# Every target sets up what it needs; nothing has to be installed by hand but Python 3.11+ and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

GAMES ?= 2000
INPUTS ?= 20000
GAMES_OF_RESULTS ?= gin indian chinese gin-course

.PHONY: help setup setup-test play test check fast mutations signature bench reproduce results docs clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/.base: pyproject.toml requirements.lock Makefile
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing rummylab into $(VENV) ..."
	@$(PIP) install -c requirements.lock -e '.[report,data]'
	@touch $@

$(VENV)/.test: $(VENV)/.base
	@echo "installing the test extra ..."
	@$(PIP) install -c requirements.lock -e '.[test]'
	@touch $@

setup: $(VENV)/.base  ## make .venv and install the package (quick when nothing changed)

setup-test: $(VENV)/.test

play: setup  ## play Gin Rummy in the terminal against `utility-search`
	@$(BIN)/rummylab play gin

test: setup-test  ## run everything: style, types, contracts, all tests
	@PATH="$(abspath $(BIN)):$$PATH" sh tests/run_all.sh

check: setup-test  ## style, types, import contracts and the fast tests
	@PATH="$(abspath $(BIN)):$$PATH" sh tests/run_all.sh fast

mutations: setup-test  ## break the papers' sentences one by one in a copy and see that a test notices (slow)
	@$(BIN)/python tests/mutations.py

fuzz: setup-test  ## run 20,000 bad inputs through every reader and command (INPUTS=20000, some minutes)
	@$(BIN)/python tests/fuzz/fuzz.py --inputs $(INPUTS)

signature: setup-test  ## print the behaviour signatures of rules and agents
	@$(BIN)/python tests/golden/signature.py

bench: setup-test  ## measure speed and write docs/results/*-speed.md
	@$(BIN)/python benchmarks/bench_gin.py --write docs/results
	@$(BIN)/python benchmarks/bench_indian.py --write docs/results
	@$(BIN)/python benchmarks/bench_games.py --write docs/results
	@$(BIN)/python benchmarks/bench_cfr.py --write

reproduce: setup-test  ## play the baselines and the published studies again and write docs/results
	@$(BIN)/python benchmarks/baselines.py
	@$(BIN)/rummylab reproduce indian
	@$(BIN)/rummylab reproduce keats
	@$(BIN)/rummylab reproduce card-fitness

results: setup-test  ## play every agent against every other and write docs/results/tournament-* (GAMES=2000 a pair)
	@for game in $(GAMES_OF_RESULTS); do \
	  $(BIN)/rummylab tournament $$game --agents all --games $(GAMES) --seed 2026 --self-play --store results-$$game.db \
	  && $(BIN)/rummylab report --store results-$$game.db --out docs/results/tournament-$$game || exit 1; done

docs: setup  ## regenerate the tables inside the documents
	@$(BIN)/python -m rummylab.cli.tables --write

clean:  ## remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
