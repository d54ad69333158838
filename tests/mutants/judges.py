"""The files that are changed, and the tests that must notice it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from mutants.change import Mutant, mutants

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src"
JUDGES = SOURCES / "shoal" / "privacy"
# Tests of judges: their own, the examples of papers, and those of the methods whose releases they judge.
COMPUTE_EARLY = {  # while they are loaded, and so they cannot run in forks
    *("test_chunk_methods.py", "test_group_methods.py", "test_item_table_methods.py", "test_profile_methods.py", "test_table_methods.py"),
    *("test_threshold_mutations.py",),
}
TESTS = tuple(
    str(path.relative_to(ROOT))
    for folder in ("privacy", "papers", "contract")
    for path in sorted((ROOT / "tests" / folder).glob("test_*.py"))
    if path.name not in COMPUTE_EARLY
)
KERNEL_TESTS = tuple(
    f"tests/parity/{name}.py" for name in ("test_judge_kernels", "test_judge_kernels_at_random", "test_rule_kernels", "test_generalization")
)

# Tests of what modules declare, which run for changes outside of functions even where they run no line of a judge.
DECLARATIONS = ("test_declared_models.py::test_defaults", "test_declared_models.py::test_which")


def judges() -> list[Path]:
    """The files of all models, and of what they count with."""
    return sorted(JUDGES.rglob("*.py"))


def module_of(path: Path) -> str:
    """The name under which a file of the package is imported."""
    parts = path.relative_to(SOURCES).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def all_mutants() -> list[tuple[Path, str, Mutant]]:
    """All mutants, each with the path and the short name of its file."""
    names = {path: str(path.relative_to(JUDGES).with_suffix("")) for path in judges()}
    return [(path, name, mutant) for path, name in names.items() for mutant in mutants(path.read_text(encoding="utf-8"))]


def load_judges() -> None:
    """Import all of them."""
    for path in judges():
        import_module(module_of(path))
