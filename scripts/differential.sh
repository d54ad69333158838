#!/usr/bin/env bash
# Installs the packages of others that compute what shoal computes, in a directory of their own, and runs the comparisons with them.
#
#   scripts/differential.sh [OPTIONS OF PYTEST...]
#
# They are installed without what they depend on, so that NumPy, SciPy and pandas stay those of the environment.
# PYTHON names an interpreter with the test dependencies.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-.venv/bin/python}
place=build/differential
if [ ! -e "$place/installed" ]; then
  mkdir -p "$place"
  "$python" -m pip install --quiet --no-deps --target "$place" \
    pycanon mlxtend efficient-apriori scikit-learn joblib cloudpickle threadpoolctl narwhals tabulate pymupdf reportlab tqdm beartype rdflib pyparsing || exit 1
  touch "$place/installed"
fi
PYTHONPATH="$PWD/$place${PYTHONPATH:+:$PYTHONPATH}" "$python" -m pytest -q tests/differential "$@"
