"""The size of files and functions, cycles among imports, and who opens users' files: read from the sources themselves."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "shoal"
CPP = ROOT / "cpp"
PYTHON = sorted((ROOT / "src").rglob("*.py"))
CPLUSPLUS = sorted(CPP.rglob("*.?pp"))

LONGEST_FILE, LONGEST_FUNCTION = 800, 60

# A name of a module in a string: of import_module, or a place in a table of named parts, "shoal.methods.clump:Clump".
PLACE = re.compile(r"shoal(\.\w+)+(:\w+)?")

# Calls that open a file, or a directory of files, by its path.
OPENING = {"open", "read_text", "read_bytes", "write_text", "write_bytes", "fdopen", "mkdir", "unlink", "rmtree"}
POLARS = re.compile(r"(read|scan|sink)_(csv|ndjson|json|parquet|ipc|lines)|write_(csv|ndjson|json|parquet|ipc)|read_parquet_\w+")
# Files that are no user's: the null device, and data that came with the package.
OWN_FILES = {"cli/main.py", "cli/start.py", "report/page.py", "taxonomy/wordnet.py", "methods/__init__.py", "methods/catalogue.py"}
OWN_FILES |= {"studio/render_page.py"}


def name_of(file: Path) -> str:
    return str(file.relative_to(ROOT))


@cache
def tree_of(file: Path) -> ast.Module:
    """A file of Python, parsed once for all tests."""
    return ast.parse(file.read_text("utf-8"))


def test_no_file_is_too_long() -> None:
    lines = {name_of(file): len(file.read_text("utf-8").splitlines()) for file in [*PYTHON, *CPLUSPLUS]}
    assert not {name: length for name, length in lines.items() if length > LONGEST_FILE}


# -- functions


def python_functions(file: Path) -> Iterator[tuple[str, int]]:
    """The functions of a file with their lines. Functions of the Python interface describe every argument, which is not counted."""
    public = file.is_relative_to(PACKAGE / "api")
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            described = (ast.get_docstring(node, clean=False) or "").count("\n") + 1 if public else 0
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1 - described


def cpp_functions(file: Path) -> Iterator[tuple[str, int]]:
    """Bodies in formatted C++: from a line that ends in `) {` (perhaps with `const`, or with what a constructor initialises) to the
    closing brace in the column where the function's first line began."""
    lines = file.read_text("utf-8").splitlines()
    for first, line in enumerate(lines):
        if "(" not in line:
            continue
        indent = len(line) - len(line.lstrip())
        begins = re.match(
            r"\s*(?!if|for|while|switch|else|do|return|namespace|struct|class|enum|}|//|: |\w+_\()[\w:~<][^.(\"=]*(\w|operator\S+)\(", line
        )
        if not begins:
            continue
        head = next((i for i in range(first, min(first + 8, len(lines))) if lines[i].rstrip().endswith(("{", ";", "}"))), None)
        if head is None or not lines[head].rstrip().endswith("{"):
            continue
        end = next((i for i in range(head + 1, len(lines)) if re.match(rf"\s{{{indent}}}}}", lines[i])), len(lines) - 1)
        yield line.strip(), end - first + 1


def test_no_function_is_too_long() -> None:
    found = [(file, *one) for file in PYTHON for one in python_functions(file)]
    found += [(file, *one) for file in CPLUSPLUS for one in cpp_functions(file)]
    assert len(found) > 1000
    assert not {f"{name_of(file)}: {name}": lines for file, name, lines in found if lines > LONGEST_FUNCTION}


def test_functions_of_cpp_are_found(tmp_path: Path) -> None:
    body = "    step();\n" * 70
    cases = [
        f"void f(int a) {{\n{body}}}\n",
        f"template <class T>\nstd::vector<T> f(int a,\n                 int b) const {{\n{body}}}\n",
        f"A::A(int a)\n    : a_(a),\n      b_(a) {{\n{body}}}\n",
        f"struct A {{\n  int f() const {{\n{body}  }}\n}};\n",
    ]
    for text in cases:
        place = tmp_path / "a.cpp"
        place.write_text(text)
        assert max(lines for _, lines in cpp_functions(place)) > LONGEST_FUNCTION, text
    assert sum(1 for file in CPLUSPLUS for _ in cpp_functions(file)) > 300


# -- imports


def module_of(file: Path) -> str:
    parts = file.relative_to(ROOT / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(file): file for file in PYTHON}


def nearest(name: str) -> str | None:
    """The module that a dotted name lies in, or None where it is none of ours."""
    while name and name not in MODULES:
        name = name.rpartition(".")[0]
    return name or None


def runs(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but what stands under TYPE_CHECKING, which never runs."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        yield node
        yield from runs(node)


def prefix(node: ast.JoinedStr) -> str:
    """The package in an f-string such as f"shoal.cli.{name}"; empty where it names none."""
    first = node.values[0]
    text = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
    return text.removesuffix(".") if PLACE.fullmatch(text.removesuffix(".")) and text.endswith(".") else ""


def commands(package: str) -> set[str | None]:
    """The modules of a package that define a command: what its name, put together from parts, may stand for."""
    inside = {module: file for module, file in MODULES.items() if module.rpartition(".")[0] == package}
    return {module for module, file in inside.items() if re.search(r"^(def )?command\b", file.read_text("utf-8"), re.MULTILINE)}


def imports(file: Path) -> set[str]:
    """The modules of shoal that a file imports, at its top, inside a function, or by a name in a string."""
    found: set[str | None] = set()
    for node in runs(tree_of(file)):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {nearest(f"{node.module}.{alias.name}") for alias in node.names if node.module.startswith("shoal")}
        elif isinstance(node, ast.Import):
            found |= {nearest(alias.name) for alias in node.names if alias.name.startswith("shoal")}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and PLACE.fullmatch(node.value):
            found.add(nearest(node.value.replace(":", ".")))
        elif isinstance(node, ast.JoinedStr) and (package := prefix(node)):
            found |= commands(package)
    return {module for module in found if module} - {"shoal", module_of(file)}


# A table of named parts stands in the package that holds the parts, and each part imports the package for its base class. The table
# loads a part when it is asked for, never while either is being imported.
def is_own_table(module: str, imported: str) -> bool:
    return MODULES[module].name == "__init__.py" and imported.startswith(f"{module}.")


def test_there_is_no_cycle_of_imports() -> None:
    graph = {
        module: {name for name in imports(file) if not is_own_table(module, name)} for module, file in MODULES.items() if module != "shoal"
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(reversed(error.args[1])))


def test_names_in_strings_are_imports() -> None:
    assert {"shoal.methods.shoal", "shoal.methods.clump"} <= imports(PACKAGE / "methods" / "__init__.py")
    assert "shoal.cli.anonymize" in imports(PACKAGE / "cli" / "main.py")


# -- options


FRONT_ENDS = {"cli", "api", "studio"}
SPELLED = re.compile(r"--[a-z][a-z-]*")
BELOW = [file for file in PYTHON if file.relative_to(PACKAGE).parts[0] not in FRONT_ENDS]


def test_only_front_ends_spell_options() -> None:
    """Below them a message refers to an option with `shoal.errors.option`."""
    assert not {name_of(file): found for file in BELOW if (found := SPELLED.findall(file.read_text("utf-8")))}


# -- files


def opens(file: Path) -> set[str]:
    called = set()
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            on_help = isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "formatter"  # click's, for pages of help
            if (name in OPENING and not on_help) or POLARS.fullmatch(name):
                called.add(name)
    return called


OUTSIDE_IO = [file for file in PYTHON if file.relative_to(PACKAGE).parts[0] not in {"io", "kinds"}]


def test_only_io_and_kinds_touch_files_of_users() -> None:
    others = [file for file in OUTSIDE_IO if str(file.relative_to(PACKAGE)) not in OWN_FILES]
    assert not {name_of(file): found for file in others if (found := opens(file))}


def test_opening_is_recognised() -> None:
    assert "open" in opens(PACKAGE / "io" / "read" / "source.py")
    assert {name for name in OWN_FILES if opens(PACKAGE / name)} == OWN_FILES


def test_one_module_alone_imports_spark() -> None:
    importing = re.compile(r"^\s*(?:from|import) (?:pyspark|py4j)\b", re.MULTILINE)
    assert {name_of(file) for file in PYTHON if importing.search(file.read_text("utf-8"))} == {"src/shoal/cluster/spark.py"}


# -- names of files and modules in comments and docstrings

FILE_NAME = re.compile(r"(?<![\w./-])((?:[\w-]+/)*[\w-]+\.(?:py|hpp|cpp|pyi))(?![\w-])")
MODULE_NAME = re.compile(r"`(?:shoal\.)?((?:[a-z_]+\.)+[a-z_]+)`")


def missing_names(text: str) -> list[str]:
    """Files, and modules of a package of shoal, that a text names and that do not exist."""
    missing = [name for name in FILE_NAME.findall(text) if name not in ends_of_paths()]
    for name in MODULE_NAME.findall(text):
        package, module, *_ = name.split(".")
        at = PACKAGE / package / module
        if at.parent.is_dir() and not (at.is_dir() or at.with_suffix(".py").exists()):
            missing.append(name)
    return missing


@cache
def ends_of_paths() -> set[str]:
    """The ends of the paths of all sources: `b/c.py` and `c.py` for `a/b/c.py`."""
    folders = [ROOT / name for name in ("src", "cpp", "tests", "benchmarks", "scripts", "docs")]
    paths = [path.parts for folder in folders for path in folder.rglob("*.*") if path.suffix in {".py", ".pyi", ".hpp", ".cpp"}]
    return {"/".join(parts[at:]) for parts in paths for at in range(len(parts))}


def test_files_and_modules_that_sources_name_exist() -> None:
    assert not {name_of(file): missing for file in [*PYTHON, *CPLUSPLUS] if (missing := missing_names(file.read_text("utf-8")))}


def test_missing_names_are_found() -> None:
    text = "see `privacy.patience`, growing.py, `data.patience` and io/atomic_file.py"
    assert missing_names(text) == ["growing.py", "privacy.patience"]
