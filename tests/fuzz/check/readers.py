"""Whether other programs read the same rows from the tables of a release: pandas, and DuckDB where it needs no extension."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from helpers.checker import Release, Row

Reader = Callable[[Path], list[Row]]


def misread(release: Release) -> list[str]:
    """The files whose rows differ between two readers."""
    wrong = []
    for fact in release.manifest["files"]:
        if "table" not in fact or fact["format"] not in READERS or not fact["rows"]:
            continue
        first, *others = (_multiset(read(release.directory / fact["name"])) for read in READERS[fact["format"]])
        if any(other != first for other in others):
            wrong.append(f"{fact['name']} has other rows for another reader")
    return wrong


def _multiset(rows: list[Row]) -> Counter[str]:
    """Rows without their order, with the values that readers spell in several ways in one spelling."""
    return Counter(json.dumps({name: _one_spelling(value) for name, value in row.items()}, sort_keys=True, default=str) for row in rows)


def _one_spelling(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return [_one_spelling(item) for item in value]
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)) or str(value) == "NaT":
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return str(value) if hasattr(value, "isoformat") else value


def _csv(path: Path) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _pandas_csv(path: Path) -> list[Row]:
    import pandas as pd

    return pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8").to_dict("records")


def _duckdb_csv(path: Path) -> list[Row]:
    return _duckdb("SELECT * FROM read_csv(?, all_varchar=true, header=true, delim=',', quote='\"', escape='\"')", path)


def _duckdb(query: str, path: Path) -> list[Row]:
    import duckdb

    with duckdb.connect(config={"threads": 1}) as connection:
        found = connection.execute(query, [str(path)])
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def _jsonl(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def _pandas_jsonl(path: Path) -> list[Row]:
    import pandas as pd

    return pd.read_json(path, lines=True, dtype=False, convert_axes=False, precise_float=True).to_dict("records")


def _arrow(path: Path) -> list[Row]:
    import pyarrow.parquet as pq

    rows: list[Row] = pq.read_table(path).to_pylist()
    return rows


def _duckdb_parquet(path: Path) -> list[Row]:
    return _duckdb("SELECT * FROM read_parquet(?)", path)


def _pandas_parquet(path: Path) -> list[Row]:
    import pandas as pd

    return pd.read_parquet(path).to_dict("records")


def _openpyxl(path: Path) -> list[Row]:
    import openpyxl

    names, *rows = openpyxl.load_workbook(path).worksheets[0].iter_rows(values_only=True)
    return [dict(zip(map(str, names), row, strict=True)) for row in rows]


def _pandas_xlsx(path: Path) -> list[Row]:
    import pandas as pd

    return pd.read_excel(path, dtype=object, keep_default_na=False).to_dict("records")


READERS: dict[str, tuple[Reader, ...]] = {
    "csv": (_csv, _pandas_csv, _duckdb_csv),
    "jsonl": (_jsonl, _pandas_jsonl),
    "parquet": (_arrow, _duckdb_parquet, _pandas_parquet),
    "xlsx": (_openpyxl, _pandas_xlsx),
}
