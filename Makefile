# Two commands do all their own set-up in a private environment: `make demo` and `make test`.
VENV := .venv
PYTHON ?= python3
BIN := $(VENV)/bin
SOURCES := $(shell find cpp src/shoal -type f -not -name '*.pyc' -not -path '*/__pycache__/*') CMakeLists.txt pyproject.toml

.PHONY: demo test spark lint sanitize sanitized-kernels bench clean

demo: $(VENV)/installed
	$(BIN)/shoal demo

# One process more than there are cores: tests wait for files and for programs that they start.
test: $(VENV)/tested
	$(BIN)/python -m pytest -n $$($(BIN)/python -c 'import os; print((os.cpu_count() or 1) + 1)') --dist worksteal

# After this, `make test` runs the tests on Spark too, where Java is installed.
spark: $(VENV)/clustered

lint: $(VENV)/linted
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --diff src tests benchmarks scripts
	$(BIN)/mypy
	$(BIN)/lint-imports

sanitize: $(VENV)/sanitized
	PYTHON=$(BIN)/python scripts/sanitize.sh address

sanitized-kernels: $(VENV)/sanitized
	PYTHON=$(BIN)/python scripts/sanitize.sh address --build

bench: $(VENV)/measured
	$(BIN)/python benchmarks/foundation.py

$(VENV)/installed: $(SOURCES)
	$(PYTHON) -c 'import sys; sys.exit("shoal needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet .
	touch $@

$(VENV)/tested: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --group test
	touch $@

$(VENV)/clustered: $(VENV)/tested
	$(BIN)/python -m pip install --quiet --group spark
	touch $@

$(VENV)/linted: $(VENV)/tested
	$(BIN)/python -m pip install --quiet --group lint
	touch $@

$(VENV)/sanitized: $(VENV)/tested
	$(BIN)/python -m pip install --quiet cmake ninja 'nanobind>=2.7'
	touch $@

$(VENV)/measured: $(VENV)/installed
	$(BIN)/python -m pip install --quiet '.[bench]'
	touch $@

clean:
	rm -rf $(VENV) build dist demo-release
