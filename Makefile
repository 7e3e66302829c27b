# The two commands a fresh machine needs: make demo, make test.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
endif
PY := $(BIN)/python

.PHONY: demo test lint bench clean

demo: $(VENV)/.installed
	@$(PY) -m abotn demo --output-dir demo-runs

test: $(VENV)/.installed-test
	@$(PY) -m pytest -n 2 --dist loadfile

lint: $(VENV)/.installed-test
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy
	@$(BIN)/lint-imports --no-cache

bench: $(VENV)/.installed-test
	@$(PY) -m benchmarks

clean:
	rm -rf $(VENV) demo-runs build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
	  || { echo "abotn needs Python 3.10 or newer; say which with PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(PY)
	@echo "installing abotn into $(VENV) ..." >&2
	@$(PY) -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.installed-test: pyproject.toml | $(PY)
	@echo "installing abotn and its test tools into $(VENV) ..." >&2
	@$(PY) -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $(VENV)/.installed $@
