#!/usr/bin/env bash
# Runs the wheel for aarch64 on an emulated processor, and compares its published records with those of this machine, for every method.
#
#   scripts/aarch64.sh dist/shoal_privacy-*-cp311-cp311-manylinux*aarch64*.whl [DIR]
#
# It needs Debian's qemu-user-static, and a `python3.11` here in which shoal is installed (PYTHON names another). Python for aarch64 comes from
# Debian's packages and the dependencies from the package index; both are unpacked below DIR (build/aarch64), and nothing is installed.
set -euo pipefail
wheel=$(realpath "$1")
here=$(cd "$(dirname "$0")/.." && pwd)
place=$(realpath -m "${2:-$here/build/aarch64}")
python=${PYTHON:-python3.11}
mkdir -p "$place"/{state/lists/partial,cache/archives/partial,root,packages}
cd "$place"

if [ ! -x root/usr/bin/python3.11 ]; then
  : >status
  cat >apt.conf <<END
APT::Architecture "arm64";
APT::Architectures "arm64";
APT::Sandbox::User "";
Dir::State "$place/state";
Dir::State::status "$place/status";
Dir::Cache "$place/cache";
Acquire::Languages "none";
END
  export APT_CONFIG=$place/apt.conf
  apt-get -qq update
  apt-get -qq --yes --no-install-recommends --download-only install python3.11 libstdc++6
  for package in cache/archives/*.deb; do dpkg -x "$package" root; done
fi

if [ ! -d packages/polars ]; then
  systems=()
  for version in 17 24 27 28; do systems+=(--platform "manylinux_2_${version}_aarch64"); done
  "$python" -m pip install --quiet --target packages "${systems[@]}" --platform manylinux2014_aarch64 --python-version 3.11 \
    --implementation cp --only-binary :all: "$wheel"
fi
rm -rf packages/shoal packages/shoal_privacy-*
"$python" -m zipfile -e "$wheel" packages

emulated() { QEMU_LD_PREFIX=$place/root PYTHONPATH=$place/packages qemu-aarch64-static root/usr/bin/python3.11 "$@"; }
emulated -c 'import platform, shoal; print("shoal", shoal.__version__, "on", platform.machine())'
emulated -m shoal demo --out demo-release
emulated "$here/scripts/compare_machines.py" make "$place/aarch64"
"$python" "$here/scripts/compare_machines.py" make "$place/here"
"$python" "$here/scripts/compare_machines.py" compare "$place/here" "$place/aarch64"
