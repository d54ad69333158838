#!/usr/bin/env bash
# Builds the kernels a second time, with sanitizers, and runs them.
#
#   scripts/sanitize.sh address [TESTS...]    AddressSanitizer and UndefinedBehaviorSanitizer, on the kernels' tests
#   scripts/sanitize.sh thread                ThreadSanitizer, on scripts/race_check.py: the tests need Polars, which cannot be loaded then
#   scripts/sanitize.sh KIND --build          builds the kernels and runs nothing
#
# SHOAL_SANITIZE_POINTERS=ON also checks the alignment of pointers, and whether they are null, which nearly doubles the time of the compiler.
# PYTHON names an interpreter that has the test dependencies, nanobind, cmake and ninja; `make sanitize` sets one up.
set -euo pipefail
cd "$(dirname "$0")/.."

kind=${1:-address}
tests=("${@:2}")
[ ${#tests[@]} -gt 0 ] || tests=(tests/parity tests/test_kernels.py)
python=${PYTHON:-python3}
build=build/sanitize-$kind
tools=$(dirname "$("$python" -c 'import sys; print(sys.executable)')")
export PATH="$tools:$PATH"

mkdir -p "$build"
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSHOAL_SANITIZE="$kind" \
  -DSHOAL_SANITIZE_POINTERS="${SHOAL_SANITIZE_POINTERS:-OFF}" \
  -Dnanobind_DIR="$("$python" -m nanobind --cmake_dir)" -DPython_EXECUTABLE="$tools/$(basename "$python")" >"$build.log" 2>&1 \
  || { cat "$build.log"; exit 1; }
cmake --build "$build" >"$build.log" 2>&1 || { tail -60 "$build.log"; exit 1; }
[ "${2:-}" != --build ] || exit 0

# The package beside its other kernels, so that nothing is taken from an installation.
package=$build/package
rm -rf "$package" && mkdir -p "$package"
cp -a src/shoal "$package/shoal" # with the times of files, by which Python knows that its bytecode is up to date
rm -f "$package"/shoal/_kernels*.so
cp "$build"/_kernels*.so "$package/shoal/"
# An editable installation looks modules up before any path; without its finder, PYTHONPATH decides.
cat >"$package/sitecustomize.py" <<'PYTHON'
import sys

sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__module__ != "_editable_skbc_shoal_privacy"]
PYTHON

# The runtime must be loaded before Python, and the C++ library with it, or exceptions cannot be thrown.
runtime=$(g++ -print-file-name="lib$([ "$kind" = thread ] && echo tsan || echo asan).so")
export LD_PRELOAD="$runtime $(g++ -print-file-name=libstdc++.so.6)"
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=0:exitcode=66:report_signal_unsafe=0:log_path=$PWD/$build/report
export PYTHONPATH="$PWD/$package" SHOAL_SANITIZED="$kind"
if [ "$kind" = thread ]; then
  # Without a fixed layout of memory the runtime may refuse to start.
  exec setarch -R "$python" scripts/race_check.py
fi
"$python" -c 'import shoal._kernels as k, os; assert os.path.dirname(k.__file__) == os.environ["PYTHONPATH"] + "/shoal", k.__file__'
"$python" -m pytest -q -p no:cacheprovider -n "${WORKERS:-2}" "${tests[@]}"
