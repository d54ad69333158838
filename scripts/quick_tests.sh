#!/usr/bin/env bash
# Quick tests of an installation: data types, kernels, the papers' examples, and the commands on small files of every kind.
#
#   PYTHON=some/bin/python scripts/quick_tests.sh [OPTIONS OF PYTEST...]
#
# They run on what is installed for that Python: a wheel, a build of the source archive, or the lowest versions of the dependencies. They
# need the packages pytest, hypothesis, pyarrow and pandas.
set -euo pipefail
cd "$(dirname "$0")/.."

exec "${PYTHON:-python3}" -m pytest -q -p no:cacheprovider "$@" tests/data tests/papers tests/test_kernels.py tests/test_parameters.py \
  tests/test_registry.py tests/test_exact_numbers.py tests/cli/test_commands.py tests/cli/test_baskets.py tests/cli/test_reproducible.py \
  tests/cli/test_microdata.py tests/cli/test_accesslog_cli.py tests/cli/test_disassociation_cli.py tests/cli/test_documents_cli.py
