"""Counts of web access logs against goaccess."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.io.read.access_logs.access_log_lines import cut

AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"
BROKEN = ["", "not a line", '1.2.3.4 - - [01/Mar/2020:10:00:00 +0000] "GET /a HTTP/1.1" 2x0 5 "-" "-"', "1.2.3.4 - - [x"]


def lines_of(number: int) -> list[str]:
    rng = random.Random(f"access {number}")
    lines = []
    for second in range(rng.randint(5, 60)):
        address = rng.choice(["10.0.0.1", "10.0.0.2", "2001:db8::1", "192.0.2.7"])
        page = rng.choice(["/", "/a", "/a/b.html", "/c?q=1", "/c?q=2"])
        status, size = rng.choice([200, 200, 301, 404, 500]), rng.choice(["-", "0", "17", "4096"])
        clock = f"{10 + second // 60:02}:{second % 60:02}:00"
        lines.append(
            f'{address} - - [01/Mar/2020:{clock} +0000] "{rng.choice(["GET", "POST"])} {page} HTTP/1.1" {status} {size} "-" "{AGENT}"'
        )
    return lines


def goaccess(place: Path) -> dict[str, Any]:
    if shutil.which("goaccess") is None:
        pytest.skip("goaccess is not installed")
    report = place.with_suffix(".json")
    command = ["goaccess", str(place), "--log-format=COMBINED", "--no-progress", "--no-global-config", "-o", str(report)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    content: dict[str, Any] = json.loads(report.read_text())
    return content


@pytest.mark.parametrize("number", range(6))
def test_the_same_hits_as_goaccess(number: int, tmp_path: Path) -> None:
    lines = lines_of(number)
    place = tmp_path / "access.log"
    place.write_text("\n".join([*lines, *BROKEN[1:]]) + "\n")
    theirs = goaccess(place)
    fields = cut(pl.Series([*lines, *BROKEN[1:]])).filter(pl.col("address").is_not_null())
    assert theirs["general"]["valid_requests"] == len(fields)
    assert theirs["general"]["failed_requests"] == len(BROKEN) - 1
    assert theirs["general"]["bandwidth"] == fields["size"].sum()
    found = fields.filter(pl.col("status") != 404)
    pages: Counter[str] = Counter()
    for entry in theirs["requests"]["data"]:  # one for each method of a page
        pages[entry["data"]] += entry["hits"]["count"]
    assert pages == Counter(found["page"].to_list())
    hosts = {entry["data"]: entry["hits"]["count"] for entry in theirs["hosts"]["data"]}
    assert hosts == Counter(fields["address"].to_list())
