#!/usr/bin/env bash
# Runs the test suite in three parts and keeps their results.
#
#   scripts/run_tests.sh [OPTIONS OF PYTEST...]
#
# Tests on Spark run in one process, with one JVM, next to all others. Tests that measure time run at the end, with nothing next to them.
# For each part, build/test-results has JUnit results and the output with the 100 slowest tests. PYTHON names the interpreter.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
results=build/test-results
workers=$("$python" -c 'import os; print(len(os.sched_getaffinity(0)) + 1)') # one more than cores: tests wait for programs, browsers and files
rm -rf "$results" && mkdir -p "$results"

run() { # NAME OPTIONS...: exit code 5 means that the options select no test of this part
  local name=$1 code=0
  shift
  "$python" -m pytest --durations=100 --junitxml="$results/$name.xml" -o junit_suite_name="$name" "$@" >"$results/$name.log" 2>&1 || code=$?
  [ "$code" = 5 ] && return 0 || return "$code"
}

# pytest compiles a file of tests when it is first imported. The workers would all do so at the same time, each for itself; here two processes
# compile half of the files each.
compile_tests() { # REMAINDER
  local files
  mapfile -t files < <(find tests -name 'test_*.py' -not -path 'tests/spark/*' | sort | awk "NR % 2 == $1")
  "$python" -m pytest -n 0 --collect-only -p no:cacheprovider "${files[@]}" >/dev/null 2>&1 || true # the tests report what is wrong
}
compile_tests 0 &
compiling=$!
compile_tests 1
wait "$compiling"

failed=0
run spark -n 0 -m "not timing" "$@" tests/spark &
spark=$!
trap 'kill "$spark" 2>/dev/null || true' EXIT
run main -n "$workers" --dist worksteal -m "not timing" "$@" --ignore=tests/spark &
main=$!
trap 'kill "$spark" "$main" 2>/dev/null || true' EXIT
tail --pid="$main" -n +1 -F "$results/main.log" 2>/dev/null || true
wait "$main" || failed=$?
wait "$spark" || failed=$?
cat "$results/spark.log"
mapfile -t timed < <(grep -rl --include='test_*.py' '^@pytest.mark.timing' tests) # collecting all files would take longer than the tests
run timing -n 0 -m timing "$@" "${timed[@]}" || failed=$?
cat "$results/timing.log"
exit "$failed"
