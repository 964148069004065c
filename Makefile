# make demo    re-enact the papers          make test    everything CI checks
# make bench   measure, write benchmarks/results/
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_CONSTRAINT := constraints.txt
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable

.PHONY: demo test bench clean

demo: $(VENV)/.base
	$(BIN)/parakin reproduce -o out

test: $(VENV)/.dev
	@command -v gcc >/dev/null || { echo "the tests compile generated C: install gcc (Debian, Ubuntu: apt-get install gcc)"; exit 1; }
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/pytest

bench: $(VENV)/.bench
	@command -v gcc >/dev/null || { echo "the benchmarks compile generated C: install gcc (Debian, Ubuntu: apt-get install gcc)"; exit 1; }
	$(BIN)/python -m benchmarks

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "parakin needs Python 3.11 or later; name one with make PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) .
	@touch $@

$(VENV)/.dev: $(VENV)/.base
	$(INSTALL) '.[dev,identify,parquet,peers]'
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	$(INSTALL) '.[dev,identify,parquet,peers,bench]'
	@touch $@

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis
