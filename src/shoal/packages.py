"""Extras: optional packages, their purposes, and the error that is raised before any work if one is missing.

A plain install runs every command. Packages that are large or serve few users are extras: `pip install 'shoal-privacy[NAME]'`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec

from shoal.errors import ParameterError


@dataclass(frozen=True)
class Extra:
    """An extra: its modules, the names of their packages, what needs them, and other requirements.

    Attributes:
        modules: The modules that are imported.
        packages: The names of the packages, as a user knows them.
        use: What needs them, as the subject of a sentence.
        other: What pip does not install.
    """

    modules: tuple[str, ...]
    packages: str
    use: str
    other: str = ""


EXTRAS: Mapping[str, Extra] = {
    "dp": Extra(("opendp",), "opendp", "noise for differential privacy (dp-queries, dp-ngrams, diffpart)"),
    "excel": Extra(("fastexcel", "xlsxwriter"), "fastexcel and xlsxwriter", "reading and writing Excel workbooks"),
    "arrow": Extra(("pyarrow",), "pyarrow", "Arrow tables in Python"),
    "sql": Extra(("duckdb", "adbc_driver_postgresql", "pyarrow"), "duckdb, adbc-driver-postgresql and pyarrow", "reading from a database"),
    "spark": Extra(("pyspark", "pyarrow"), "pyspark and pyarrow", "running on Spark", "Java 17 or later"),
    "studio": Extra(("starlette", "uvicorn"), "starlette and uvicorn", "shoal studio"),
    "pdf": Extra(("pypdf",), "pypdf", "reading PDF files as documents"),
    "reproduce": Extra(("vl_convert",), "vl-convert-python", "writing the figures of `shoal reproduce`"),
}


def is_installed(extra: str) -> bool:
    """Whether all packages of an extra are installed. Nothing is imported."""
    return all(find_spec(module) is not None for module in EXTRAS[extra].modules)


def insist_on_extra(extra: str) -> None:
    """Raise if a package of an extra is missing.

    Raises:
        ParameterError: A package is missing; the hint has the command that installs it.
    """
    if is_installed(extra):
        return
    found = EXTRAS[extra]
    raise ParameterError(
        f"{found.use} needs {found.packages}, which {'is' if len(found.modules) == 1 else 'are'} not installed",
        code="missing-package",
        hint=f"pip install 'shoal-privacy[{extra}]'" + (f", and {found.other}" if found.other else ""),
        extra=extra,
    )
