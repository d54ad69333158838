"""The whole path for releases that are not records: rows of a log and noisy counts, by small methods of the test's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from helpers.errors import refuses
from helpers.spine import PEOPLE, ROWS, Noisy, NoisyQueries, OneQuery, OnlyWeather, a_log
from shoal.auditing.audit import Audit, gather_material
from shoal.cli.print_result import show_outcome
from shoal.data.bags import Bags
from shoal.data.claims import Verdict
from shoal.data.tables import KINDS as TABLES
from shoal.io.write.output_format import OUTPUT_FORMATS
from shoal.kinds import KINDS
from shoal.methods import METHODS
from shoal.privacy import MODELS
from shoal.privacy.k_anonymity import KAnonymity

WEATHER = sum(1 for i in range(ROWS) if i % 3)


def audit(path: Path, claims: str = "") -> Audit:
    return gather_material(path, claims or ()).judged()


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The methods and models of the test, known by name as those of the package are."""
    for table, parts in ((METHODS, (OnlyWeather, NoisyQueries)), (MODELS, (OneQuery, Noisy))):
        places = {part.name: f"helpers.spine:{part.__name__}" for part in parts}
        monkeypatch.setattr(table, "_places", {**table._places, **places})


def written(method: Any, place: Path, format: str = "csv") -> dict[str, Any]:
    return shoal.anonymize(a_log(), method).write(place, to=format)


@pytest.mark.parametrize("format", ["csv", "parquet", "jsonl"])
def test_a_log_in_and_a_log_out(tmp_path: Path, format: str) -> None:
    manifest = written(OnlyWeather(), tmp_path / "release", format)
    table, report = manifest["files"]
    assert (table["table"], table["kind"], table["rows"], table["pseudonyms"]) == ("log", "rows", WEATHER, "user")
    assert table["columns"] == {"user": "integer", "time": "time", "query": "text", "rank": "integer"}
    assert manifest["accounting"] == {"rows": {"in": ROWS, "published": WEATHER, "deleted": ROWS - WEATHER}}
    assert manifest["input"] == {"rows": ROWS, "owners": PEOPLE, "read_as": "log"}
    assert manifest["claims"][0]["verdict"] == "verified"
    page = (tmp_path / "release" / report["name"]).read_text()
    assert "holds, verified" in page
    assert "Group sizes" not in page
    found = audit(tmp_path / "release")
    assert found.holds
    assert found.largest_k is None


def test_without_pseudonyms_nothing_tells_which_rows_belong_together(tmp_path: Path) -> None:
    written(OnlyWeather(linked=False), tmp_path / "release")
    assert pl.read_csv(tmp_path / "release" / "log.csv").columns == ["time", "query", "rank"]


def test_a_rows_method_that_breaks_its_claim_writes_nothing(tmp_path: Path) -> None:
    with refuses("claim-fails"):
        written(OnlyWeather(broken=True), tmp_path / "release")
    assert not list(tmp_path.iterdir())


def test_a_changed_log_is_seen_by_the_audit(tmp_path: Path) -> None:
    written(OnlyWeather(), tmp_path / "release")
    file = tmp_path / "release" / "log.csv"
    file.write_text(file.read_text().replace("weather", "climate", 1))
    found = audit(tmp_path / "release")
    assert not found.holds
    assert [verdict.standing for verdict in found.claims] == ["fails"]


def test_a_single_file_is_read_as_its_claim_needs(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("user,query\n1,weather\n2,weather\n")
    assert audit(tmp_path / "log.csv", "one-query").holds
    (tmp_path / "log.csv").write_text("user,query\n1,weather\n2,climate\n")
    assert not audit(tmp_path / "log.csv", "one-query").holds


def test_models_and_methods_refuse_other_kinds(tmp_path: Path) -> None:
    release = shoal.anonymize(a_log(), OnlyWeather()).release
    with refuses("claim-not-applicable"):
        KAnonymity(k=2).check(release)
    with refuses("wrong-kind-of-input"):
        shoal.anonymize(Bags.from_lists([["a"]] * 3), OnlyWeather())


def test_a_verdict_says_why_it_is_not_checkable_and_only_then() -> None:
    assert not Verdict("some", "fails", {}).holds
    assert Verdict("some", "by construction", {}).as_dict()["verdict"] == "by construction"
    for wrong in ({"standing": "not checkable"}, {"standing": "verified", "unchecked": "why"}):
        with pytest.raises(ValueError, match="not checkable"):
            Verdict("some", achieved={}, **wrong)  # type: ignore[arg-type]


def test_no_exact_count_beside_a_claim_that_forbids_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = shoal.anonymize(a_log(), NoisyQueries())
    manifest = result.write(tmp_path / "release", to="csv")
    show_outcome(result._judged.verdicts, manifest, tmp_path / "release")
    printed = capsys.readouterr().out
    told = (tmp_path / "release" / "manifest.json").read_text()
    page = (tmp_path / "release" / "report.html").read_text()
    without_digests = json.loads(told)
    for file in without_digests["files"]:
        page = page.replace(file.pop("sha256"), "")
    without_digests.pop("sha256")
    style = page[page.index("<style") : page.index("</style>")]
    for text in (json.dumps(without_digests), page.replace(style, ""), printed.replace(str(tmp_path), "")):
        assert str(ROWS) not in text
        assert str(PEOPLE) not in text
    assert manifest["counts"] == "withheld"
    assert manifest["accounting"] == manifest["metrics"] == {}
    assert manifest["claims"][0]["verdict"] == "by construction"
    assert "by construction" in printed
    assert "noise is random" in " ".join(manifest["notes"])
    assert [verdict.standing for verdict in audit(tmp_path / "release").claims] == ["by construction"]


def test_a_manifest_that_tells_counts_after_all_is_refused(tmp_path: Path) -> None:
    manifest = written(NoisyQueries(), tmp_path / "release")
    manifest["accounting"] = {"rows": {"in": ROWS, "counted": ROWS}}
    (tmp_path / "release" / "manifest.json").write_text(json.dumps(manifest))
    with refuses("manifest-invalid"):
        audit(tmp_path / "release")


def test_every_method_publishes_a_known_kind() -> None:
    assert {kind.publishes for kind in METHODS.values()} <= {"sets", *KINDS}


def test_both_tables_of_kinds_have_the_same_classes() -> None:
    assert {name: kind.table for name, kind in KINDS.items()} == dict(TABLES)
    for name, table in TABLES.items():
        assert table.kind == name
        assert table.names
        assert table.default_format in OUTPUT_FORMATS
