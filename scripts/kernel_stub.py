"""Write src/shoal/_kernels.pyi, the types of the compiled module, with nanobind's stub generator.

    python scripts/kernel_stub.py [--check]

Run it after a change of the bindings. `--check` writes nothing and ends with exit code 1 where the stub is not current.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from nanobind.stubgen import StubGen

from shoal import _kernels

STUB = Path(__file__).resolve().parents[1] / "src" / "shoal" / "_kernels.pyi"


def stub() -> str:
    """The stub as the module that is built has it."""
    generator = StubGen(_kernels, quiet=True)
    generator.put(_kernels)
    text = generator.get()
    return re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)


def main() -> None:
    """Write or compare."""
    if "--check" not in sys.argv[1:]:
        STUB.write_text(stub())
    elif STUB.read_text() != stub():
        sys.exit(f"{STUB.name} is not current: run python scripts/kernel_stub.py")


if __name__ == "__main__":
    main()
