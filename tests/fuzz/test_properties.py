"""The properties beside the claims can fail: a change that nobody notices, a weaker claim that is not typed, a reader that differs."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fuzz import after, audits, utility
from fuzz.case import TWISTS, Case, Draw
from fuzz.check import readers
from fuzz.check.page import wrong_page
from fuzz.check.release import wrong_metrics
from fuzz.make.inputs import BEGIN
from helpers.checker import Release
from helpers.cli import Answer
from shoal.io.read import event_rows, json_lines, parquet, source

CASE = Case(3, "km", "lines", ["input.txt"], {"k": "3"})


@pytest.fixture
def release(tmp_path: Path) -> Path:
    place = tmp_path / "release"
    place.mkdir()
    (place / "records.csv").write_text("record,items\n1,a;b\n2,a;b\n")
    fact = {"name": "records.csv", "table": "records", "format": "csv", "rows": 2}
    claims = [{"model": "km-anonymity(k=3, m=2)"}, {"model": "support(k=2)"}]
    (place / "manifest.json").write_text(json.dumps({"files": [fact], "claims": claims}))
    return tmp_path


@pytest.mark.parametrize("code", [0, 3])
def test_a_change_that_an_audit_overlooks_is_a_failure(release: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    before = (release / "release" / "records.csv").read_bytes()
    seen = []

    def typed(words: list[str]) -> Answer:
        seen.append((release / words[1] / "records.csv").read_bytes())
        return Answer(code, "", "")

    monkeypatch.setattr(audits, "typed", typed)
    assert bool(audits._tampered(CASE, release)) == (code == 0)
    assert len(seen) == 1
    assert seen != [before]
    assert (release / "release" / "records.csv").read_bytes() == before


def test_every_change_changes_the_file() -> None:
    data = b"record,items\n1,a;b\n2,a;b\n"
    for seed in range(50):
        for packed in (False, True):
            assert audits._changed(random.Random(seed), data, packed=packed) != data


def test_a_weaker_claim_that_does_not_hold_is_a_failure(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed: list[list[str]] = []
    monkeypatch.setattr(audits, "typed", lambda words: typed.append(words) or Answer(3, "does not hold", ""))
    assert audits._weaker(CASE, release)
    assert typed[0][-2:] == ["--claim", "km-anonymity(k=2, m=2)"]
    assert "support(k=1)" not in typed[0], "a claim for one person says nothing"


def test_a_reader_that_differs_is_a_failure(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Release.read(release / "release")
    assert readers.misread(made) == []
    monkeypatch.setitem(readers.READERS, "csv", (readers._csv, lambda path: readers._csv(path)[1:]))
    assert readers.misread(made) == ["records.csv has other rows for another reader"]


@pytest.mark.parametrize("twist", TWISTS)
def test_a_twist_changes_the_input(tmp_path: Path, twist: str) -> None:
    draw, usual = Draw(1, "km", tmp_path), Draw(1, "km", tmp_path)
    draw.twist, usual.twist = twist, ""
    records = [[["a", "b"]], [["c"]], [["d", "e"]], [["a"]]]
    found = [(one.people(3), one.begin(BEGIN), one.twisted(records)) for one in (draw, usual)]
    assert found[0] != found[1]
    assert found[1][2] == records


@pytest.mark.parametrize(
    ("metrics", "wrong"),
    [
        ({"loss": 0.4, "bound": 0.3}, 0),
        ({"loss": 0.3, "bound": 0.4}, 1),
        ({"loss": 1.2}, 1),
        ({"kept": -0.1}, 1),
        ({"kept": 0.0, "mean_length": 7.0}, 0),
    ],
)
def test_a_loss_below_its_bound_and_a_share_that_is_none_are_failures(metrics: dict[str, float], wrong: int) -> None:
    assert len(wrong_metrics(metrics)) == wrong


def test_a_loss_above_1_needs_more_occurrences_than_the_original_has() -> None:
    assert not wrong_metrics({"loss": 2.9}, most_loss=3.0)
    assert wrong_metrics({"loss": 3.1}, most_loss=3.0)
    assert wrong_metrics({"kept": 1.1}, most_loss=3.0)


def answering(monkeypatch: pytest.MonkeyPatch, directory: Path, name: str, **metrics: float) -> list[list[str]]:
    """Let a command make a release with these metrics, and note what is typed."""
    commands: list[list[str]] = []

    def typed(words: list[str]) -> Answer:
        commands.append(words)
        (directory / name).mkdir()
        (directory / name / "manifest.json").write_text(json.dumps({"files": [], "claims": [], "metrics": metrics}))
        return Answer(0, "", "")

    monkeypatch.setattr(utility, "typed", typed)
    return commands


@pytest.mark.parametrize(("after", "fails"), [(0.5, False), (0.4, False), (0.51, True)])
def test_more_effort_that_loses_more_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: float, fails: bool) -> None:
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "manifest.json").write_text(json.dumps({"files": [], "metrics": {"loss": 0.5}}))
    commands = answering(monkeypatch, tmp_path, "further", loss=after)
    assert bool(utility.more_effort(Case(3, "shoal", "lines", ["input.txt"], {"effort": "fast"}), tmp_path)) == fails
    assert commands[0][commands[0].index("--effort") + 1] == "balanced"


@pytest.mark.parametrize("lost", [0.0, 0.1])
def test_a_loss_although_k_people_have_each_record_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: float) -> None:
    (tmp_path / "input.txt").write_text("a b\nc\n")
    commands = answering(monkeypatch, tmp_path, "copied", added_loss=lost)
    assert bool(utility.copied(CASE, tmp_path)) == (lost > 0)
    assert "copies.txt" in commands[0]
    assert (tmp_path / "copies.txt").read_text() == "a b\n" * 3 + "c\n" * 3


@pytest.mark.parametrize(
    ("before", "after", "fails"),
    [
        ({"loss": 0.5}, {"loss": 0.5}, False),
        ({"loss": 0.5}, {"loss": 0.6}, True),
        ({"rows_kept": 0.5}, {"rows_kept": 0.4}, True),
        ({"rows_kept": 0.5}, {"rows_kept": 0.6}, False),
    ],
)
def test_a_loss_that_a_second_person_for_each_increases_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: dict[str, float], after: dict[str, float], fails: bool
) -> None:
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "manifest.json").write_text(json.dumps({"files": [], "metrics": before}))
    (tmp_path / "input.csv").write_text("user,item\nann,tea\nbob,tea\n")
    answering(monkeypatch, tmp_path, "doubled", **after)
    case = Case(3, "optimal", "table", ["input.csv"], {"format": "table"})
    assert bool(utility.doubled(case, tmp_path)) == fails
    people = [json.loads(line)["user"] for line in (tmp_path / "copies.jsonl").read_text().splitlines()]
    assert people == ["ann 0", "ann 1", "bob 0", "bob 1"]


@pytest.mark.parametrize("merged", [0, 1])
def test_losses_are_not_compared_where_items_were_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, merged: int) -> None:
    (tmp_path / "release").mkdir()
    manifest = {"files": [], "metrics": {"loss": 0.5}, "accounting": {"occurrences": {"in": 3, "merged": merged}}}
    (tmp_path / "release" / "manifest.json").write_text(json.dumps(manifest))
    (tmp_path / "input.txt").write_text("a b\nc\n")
    answering(monkeypatch, tmp_path, "doubled", loss=0.6)
    assert bool(utility.doubled(CASE, tmp_path)) == (not merged)


@pytest.mark.parametrize("loss", [0.5, 0.6])
def test_metrics_that_differ_from_those_of_the_files_are_a_failure(release: Path, monkeypatch: pytest.MonkeyPatch, loss: float) -> None:
    manifest = release / "release" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "metrics": {"loss": loss, "mapped": 1}}))
    monkeypatch.setattr(utility, "typed", lambda words: Answer(0, json.dumps({"loss": 0.5, "further": 2}), ""))
    assert bool(utility.measured(CASE, release)) == (loss != 0.5)


HASH = "0" * 64
MANIFEST = {
    "claims": [{"model": "k-anonymity(k=2)"}],
    "accounting": {"records": {"in": 1200, "published": 1100, "withheld": 100, "empty": 0}},
    "files": [{"name": "records.csv", "table": "records", "rows": 1100, "sha256": HASH}],
}
PAGE = (
    "<html><article class='claim good'><code>k-anonymity(k=2)</code></article>"
    "<div class='ledger'><header><b>Records</b><span>1,200 in total</span></header>"
    "<ul class='legend'><li>a <b>1,100</b></li><li>b <b>100</b></li></ul></div>"
    f"<table><tr><td>records.csv</td><td>1,100</td><td>{HASH}</td></tr></table></html>"
)


def test_a_page_with_the_numbers_of_the_manifest_is_right() -> None:
    assert wrong_page(PAGE, MANIFEST) == []


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("k=2", "k=3"),
        ("1,200", "1,300"),
        ("<b>100</b>", "<b>101</b>"),
        ("<td>1,100</td>", "<td>1,101</td>"),
        (HASH, "1" * 64),
        ("</table>", ""),
        ("</div>", "</table>"),
        ("</html>", "<script>x</script></html>"),
        ("</html>", '<a href="https://example.org">x</a></html>'),
    ],
)
def test_a_page_with_other_numbers_or_open_elements_is_wrong(text: str, other: str) -> None:
    assert wrong_page(PAGE.replace(text, other), MANIFEST)


@pytest.mark.parametrize("named", [False, True])
def test_a_private_page_that_the_release_names_is_a_failure(release: Path, named: bool) -> None:
    place = release / "release"
    manifest = {**json.loads((place / "manifest.json").read_text()), "accounting": {}, "claims": []}
    (place / "manifest.json").write_text(json.dumps({**manifest, "files": [], "note": "aside.html" if named else ""}))
    (place / "report.html").write_text("<html></html>")
    (release / "aside.html").write_text("NOT FOR PUBLICATION")
    case = Case(3, "km", "lines", ["input.txt"], {"private-report": "aside.html"})
    assert bool(utility.page(case, release)) == named


def test_pieces_are_small_for_a_while_only() -> None:
    sizes = source.CHUNK, json_lines.FEWEST_LINES, parquet.ROWS_AT_ONCE, parquet.LISTS_AT_ONCE
    with after.in_small_pieces(random.Random(1), 0):
        assert max(source.CHUNK, json_lines.FEWEST_LINES, parquet.ROWS_AT_ONCE, parquet.LISTS_AT_ONCE) <= 300
    assert sizes == (source.CHUNK, json_lines.FEWEST_LINES, parquet.ROWS_AT_ONCE, parquet.LISTS_AT_ONCE)


@pytest.mark.parametrize("loses", [False, True])
def test_a_row_that_is_lost_between_pieces_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loses: bool) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [json.dumps({"user": f"u{n}", "item": "tea"}) for n in range(30)]
    (tmp_path / "input.jsonl").write_text("\n".join(lines) + "\n")
    frames = event_rows.json_frames

    def losing(*given: Any) -> Iterator[tuple[Any, Any]]:
        for frame, places in frames(*given):
            rest = slice(1 if loses and 0 < len(frame) < len(lines) else 0, None)
            yield frame[rest], places[rest]

    monkeypatch.setattr(event_rows, "json_frames", losing)
    case = Case(3, "km", "table", ["input.jsonl"], {"k": "2", "taxonomy": "generated", "format": "table", "to": "jsonl"})
    assert bool(after._pieces(case, tmp_path)) == loses
