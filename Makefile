# Every target installs what it needs; you need Python 3.11 or newer and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

GAMES ?= 2000
INPUTS ?= 20000
SPEED := gin indian games
GAMES_OF_RESULTS ?= gin indian contract gin_pass

.PHONY: web browser help setup setup-check setup-test warm-up play test check coverage lowest mutations fuzz signature bench reproduce results docs notebooks clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/.base: pyproject.toml requirements.lock Makefile
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing rummylab into $(VENV) ..."
	@$(PIP) install --no-compile -c requirements.lock -e '.[report,data]'
	@touch $@
	@echo "The first match of a game compiles its kernels for some seconds. To compile all of them now: make warm-up"

$(VENV)/.check: $(VENV)/.base
	@echo "installing the tools for make check ..."
	@$(PIP) install --no-compile -c requirements.lock -e '.[check]'
	@touch $@

$(VENV)/.test: $(VENV)/.base
	@echo "installing the tools for make test (PyTorch, Ray and OpenSpiel among them) ..."
	@$(PIP) install --no-compile -c requirements.lock -e '.[test]'
	@touch $@ $(VENV)/.check

setup: $(VENV)/.base  ## create .venv and install the package

setup-check: $(VENV)/.check

setup-test: $(VENV)/.test

warm-up: setup  ## compile the kernels of all games and agents, on all cores (a minute or two)
	@$(BIN)/rummylab warm-up

$(VENV)/.web: $(VENV)/.base
	@$(PIP) install -c requirements.lock -e '.[web]'
	@touch $@

play: $(VENV)/.web  ## play in the browser; `make play TERMINAL=1` plays Gin Rummy in the terminal
	@$(BIN)/rummylab play $(if $(TERMINAL),gin --terminal)

test: setup  ## run everything, as CI does: style, types, import contracts, all tests
	@PATH="$(abspath $(BIN)):$$PATH" sh tests/run_all.sh all $(MAKE) --silent setup-test

check: setup  ## run style, types, import contracts and the fast tests (1 minute)
	@PATH="$(abspath $(BIN)):$$PATH" sh tests/run_all.sh fast $(MAKE) --silent setup-check

web:  ## rebuild the browser table from web/ into src/rummylab/ui/web/static (needs Node 20; nothing else does)
	@cd web && npm install --no-save --silent && npm run --silent build

browser: setup-test  ## play full matches in headless Chromium, check accessibility, and write docs/images/web (needs Chromium)
	@RUMMYLAB_BROWSER=full $(BIN)/python -m pytest -q -n 2 tests/browser
	@RUMMYLAB_LEAK_HANDS=200 RUMMYLAB_SCHEMA_EXAMPLES=50 $(BIN)/python -m pytest -q -n 2 tests/leaks/test_web_leaks.py tests/unit/test_web_v1.py

coverage: setup-check  ## measure which lines of the Python side the fast tests reach; kernels are left out
	@$(BIN)/python -m coverage run -m pytest -q -m "not slow"
	@$(BIN)/python -m coverage report --skip-covered --sort=cover

lowest: setup  ## run a slice of the tests with the lowest versions that pyproject.toml allows
	@test -x $(VENV)/lowest/bin/python || $(PYTHON) -m venv $(VENV)/lowest
	@$(BIN)/python tests/lowest.py lowest > $(VENV)/lowest/constraints.txt
	@$(VENV)/lowest/bin/python -m pip --disable-pip-version-check --quiet install -c $(VENV)/lowest/constraints.txt -e '.[lowest]'
	@$(VENV)/lowest/bin/python -m pytest -q -n auto -m "not slow" tests/rulebook tests/golden tests/properties/test_cards.py

mutations: setup-test  ## break each sentence of the papers in a copy of the code and check that a test fails (slow)
	@$(BIN)/python tests/mutations.py

fuzz: setup-test  ## run 20,000 bad inputs through every reader and command (INPUTS=20000, a few minutes)
	@$(BIN)/python tests/fuzz/fuzz.py --inputs $(INPUTS)

signature: setup-test  ## print the behavior signatures of rules and agents
	@$(BIN)/python tests/golden/signature.py

bench: setup-test  ## measure speed and write docs/results/*-speed.*; CHECK=1: only report ratios that fell by over 10%
	@failed=0; for part in $(SPEED); do \
	  $(BIN)/python benchmarks/bench_$$part.py $(if $(CHECK),--check,--write) docs/results || failed=1; done; exit $$failed
ifndef CHECK
	@$(BIN)/python benchmarks/bench_cfr.py --write
endif

reproduce: setup-test  ## reproduce the baselines and the published studies and write docs/results
	@$(BIN)/python benchmarks/baselines.py
	@$(BIN)/rummylab reproduce indian
	@$(BIN)/rummylab reproduce keats
	@$(BIN)/rummylab reproduce card-fitness

results: setup-test  ## play every agent against every other and write docs/results/tournament-* (GAMES=2000 a pair)
	@for game in $(GAMES_OF_RESULTS); do \
	  $(BIN)/rummylab tournament $$game all --games $(GAMES) --seed 2026 --self-play --store results-$$game.db \
	  && $(BIN)/rummylab store report results-$$game.db --out docs/results/tournament-$$game || exit 1; done

$(VENV)/.docs: $(VENV)/.base
	@echo "installing the tools for make docs (MkDocs) ..."
	@$(PIP) install -c requirements.lock -e '.[docs]'
	@touch $@

docs: $(VENV)/.docs  ## regenerate the tables in the documents and the pages of the results, and build the site into site/
	@$(BIN)/python -m rummylab.agents.index --write
	@$(BIN)/python -m rummylab.cli.tables --write
	@$(BIN)/python -m rummylab.lab.page docs/results
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet
	@echo "open site/index.html; no server is needed"

notebooks: $(VENV)/.docs  ## run the notebooks and write what they print and draw back into them
	@$(BIN)/python docs/tools/notebooks.py docs/notebooks

clean:  ## remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis site
