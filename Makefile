# These commands do all their own set-up in a private environment.
VENV := .venv
PYTHON ?= python3
BIN := $(VENV)/bin
KERNEL_SOURCES := $(shell find cpp -type f) CMakeLists.txt
KERNEL_BUILD := build/kernels
# The package is used from src/, so its bytecode is written when a module is first imported. The same holds for dependencies:
# compiling all of SciPy would take longer than compiling what is used of it. So bytecode must be written: without it, each program that
# a test starts would compile everything again.
unexport PYTHONDONTWRITEBYTECODE
PIP := $(BIN)/python -m pip install --quiet --no-compile
# PySpark comes as a source archive. Compressing its 400 MB into a wheel that is unpacked at once would take longer than all the rest.
SPARK := $(PIP) --config-settings=--build-option=--compression=stored --group spark
EDITABLE := $(PIP) --no-build-isolation --config-settings=wheel.cmake=false --config-settings=editable.mode=inplace

.PHONY: demo docs test test-all spark lint sanitize sanitized-kernels bench wheels clean

demo: $(VENV)/installed
	$(BIN)/shoal demo

# The documentation as a site, in build/site. A broken link is an error.
docs: $(VENV)/documented
	$(BIN)/python docs/site/build.py

# Of large families of cases `make test` takes a part, another one at each commit; `make test-all` takes all. Results: build/test-results.
test: $(VENV)/tested
	PYTHON=$(BIN)/python scripts/run_tests.sh

test-all: $(VENV)/tested
	PYTHON=$(BIN)/python scripts/run_tests.sh --everything --all-signals

# After this, `make test` runs the tests on Spark too, where Java is installed.
spark: $(VENV)/clustered

lint: $(VENV)/linted
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --diff src tests benchmarks scripts docs/site
	$(BIN)/mypy
	$(BIN)/lint-imports

sanitize: $(VENV)/tested
	PYTHON=$(BIN)/python scripts/sanitize.sh address

sanitized-kernels: $(VENV)/tested
	PYTHON=$(BIN)/python scripts/sanitize.sh address --build

bench: $(VENV)/measured
	$(BIN)/python benchmarks/foundation.py

# The source archive, and wheels for Linux on two kinds of processors with two C libraries, in dist. They need no environment of this directory.
wheels:
	$(PYTHON) scripts/wheels.py

# The dependencies are downloaded while the kernels compile.
$(VENV)/installed: $(VENV)/tools pyproject.toml $(KERNEL_SOURCES)
	+$(MAKE) --no-print-directory --jobs=2 $(VENV)/package $(VENV)/kernels
	touch $@

# The same with the packages of tests, documentation, linters and Spark, which are downloaded meanwhile.
$(VENV)/checked: $(VENV)/tools pyproject.toml $(KERNEL_SOURCES)
	+$(MAKE) --no-print-directory --jobs=2 $(VENV)/packages $(VENV)/kernels
	touch $(addprefix $(VENV)/,package installed tested documented linted) $@

$(VENV)/packages: $(VENV)/tools pyproject.toml
	$(EDITABLE) --editable . --group test --group docs --group lint
	-$(SPARK) # without it, the tests on Spark skip
	touch $@

$(VENV)/tools:
	$(PYTHON) -c 'import sys; sys.exit("shoal needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip
	$(PIP) 'scikit-build-core>=0.11' 'nanobind>=2.7'
	$(BIN)/python -c 'from scikit_build_core.build import get_requires_for_build_editable as needed; print(*needed())' | xargs -r $(PIP)
	touch $@

# An editable installation: a change of a Python file needs no further step.
$(VENV)/package: $(VENV)/tools pyproject.toml
	$(EDITABLE) --editable .
	touch $@

# Only units with changed files are compiled again.
$(VENV)/kernels: $(VENV)/tools $(KERNEL_SOURCES)
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake -S . -B $(KERNEL_BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release \
	  -Dnanobind_DIR="$$($(BIN)/python -m nanobind --cmake_dir)" -DPython_EXECUTABLE="$(CURDIR)/$(BIN)/python" --log-level=WARNING
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake --build $(KERNEL_BUILD)
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake --install $(KERNEL_BUILD) --prefix src
	touch $@

$(VENV)/tested: $(VENV)/installed
	$(PIP) --group test
	touch $@

$(VENV)/documented: $(VENV)/installed
	$(PIP) --group docs
	touch $@

$(VENV)/clustered: $(VENV)/tested
	$(SPARK)
	touch $@

$(VENV)/linted: $(VENV)/tested
	$(PIP) --group lint
	touch $@

$(VENV)/measured: $(VENV)/installed
	$(EDITABLE) --editable '.[bench]'
	touch $@

clean:
	rm -rf $(VENV) build dist demo-release
