#!/usr/bin/env bash
# Builds the fuzzers of the parsers with clang and runs each for some seconds; findings and figures are left in build/fuzzers.
#
#   scripts/fuzz_parsers.sh [SECONDS] [delimited times utf8 access_lines]
#
# PYTHON names an interpreter with the test dependencies and cmake.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-600}
targets=("${@:2}")
[ ${#targets[@]} -gt 0 ] || targets=(delimited times utf8 access_lines)
python=${PYTHON:-.venv/bin/python}
build=build/fuzzers
export PATH="$(dirname "$("$python" -c 'import sys; print(sys.executable)')"):$PATH"
mkdir -p "$build"
PYTHONPATH=tests "$python" -m fuzzers.seeds "$build/seeds"
if [ "${targets[*]}" != access_lines ]; then
  cmake -S tests/fuzzers -B "$build/programs" -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=None >"$build/build.log" 2>&1 \
    && cmake --build "$build/programs" --parallel 1 >>"$build/build.log" 2>&1 || { tail -40 "$build/build.log"; exit 1; }
fi
for target in "${targets[@]}"; do
  mkdir -p "$build/corpus/$target" "$build/found/$target"
  if [ "$target" = access_lines ]; then
    PYTHONPATH=tests "$python" -m fuzzers.access_lines --seconds "$seconds" --found "$build/found/$target"
    continue
  fi
  "$build/programs/fuzz_$target" -max_total_time="$seconds" -max_len=4096 -timeout=10 -print_final_stats=1 \
    -artifact_prefix="$build/found/$target/" "$build/corpus/$target" "$build/seeds/$target" >"$build/$target.log" 2>&1 \
    || { tail -30 "$build/$target.log"; exit 1; }
  grep -E "number_of_executed_units|new_units_added|peak_rss" "$build/$target.log" | sed "s/^/$target /"
  grep -E "cov:" "$build/$target.log" | tail -1
done
