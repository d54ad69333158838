#!/usr/bin/env bash
# Builds the fuzzers of the parsers with clang and runs each for some seconds; findings and figures are left in build/fuzzers.
#
#   scripts/fuzz_parsers.sh [SECONDS] [delimited times utf8 access_lines readers]
#
# PYTHON names an interpreter with the test dependencies and cmake; with atheris, the fuzzer of the readers is guided by their coverage.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-600}
targets=("${@:2}")
[ ${#targets[@]} -gt 0 ] || targets=(delimited times utf8 access_lines readers)
python=${PYTHON:-.venv/bin/python}
build=build/fuzzers
export PATH="$(dirname "$("$python" -c 'import sys; print(sys.executable)')"):$PATH"
mkdir -p "$build"
PYTHONPATH=tests "$python" -m fuzzers.seeds "$build/seeds"
if [[ " ${targets[*]} " =~ \ (delimited|times|utf8)\  ]]; then
  cmake -S tests/fuzzers -B "$build/programs" -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=None >"$build/build.log" 2>&1 \
    && cmake --build "$build/programs" --parallel 1 >>"$build/build.log" 2>&1 || { tail -40 "$build/build.log"; exit 1; }
fi
for target in "${targets[@]}"; do
  mkdir -p "$build/corpus/$target" "$build/found/$target"
  if [ "$target" = access_lines ]; then
    PYTHONPATH=tests "$python" -m fuzzers.access_lines --seconds "$seconds" --found "$build/found/$target"
    continue
  fi
  if [ "$target" = readers ]; then
    PYTHONPATH=src:tests "$python" -m fuzzers.readers --seconds "$seconds" --corpus "$build/corpus/readers" --found "$build/found/$target" \
      >"$build/readers.log" 2>&1 || { tail -30 "$build/readers.log"; exit 1; }
    tail -1 "$build/readers.log"
    continue
  fi
  "$build/programs/fuzz_$target" -max_total_time="$seconds" -max_len=4096 -timeout=10 -print_final_stats=1 \
    -artifact_prefix="$build/found/$target/" "$build/corpus/$target" "$build/seeds/$target" >"$build/$target.log" 2>&1 \
    || { tail -30 "$build/$target.log"; exit 1; }
  grep -E "number_of_executed_units|new_units_added|peak_rss" "$build/$target.log" | sed "s/^/$target /"
  grep -E "cov:" "$build/$target.log" | tail -1
done
