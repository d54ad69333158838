"""The driver of campaigns, the shrinker, and the failing cases of campaigns, which are kept in `tests/fuzz/kept`."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

import pytest

from campaign import driver
from campaign.driver import Plan, campaign, lines_of
from campaign.figures import BADGE, BEGIN, END, OF_A_SEED, PAGE, Campaign, drawn, figures, read_tally, write_figures
from campaign.shrink import KEPT, Example, shrunk
from campaign.summary import summary
from fuzz.case import Case
from fuzz.make.every import method_of
from fuzz.running import Outcome


def outcome(number: int, wrong: list[str] | None = None) -> Outcome:
    return Outcome(number, method_of(number), "", 0, wrong=wrong or [])


def ends_the_process(number: int) -> dict[str, object]:
    os._exit(7)


@pytest.mark.parametrize("cut", [0, 5])
def test_a_stopped_campaign_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: int) -> None:
    """Also if the last line of its log was cut off: that case is made again, and no other result is lost."""
    made_again = []

    def one(number: int) -> dict[str, object]:
        made_again.append(number)
        return asdict(outcome(number))

    monkeypatch.setattr(driver, "one", one)
    monkeypatch.setattr(driver, "settle", lambda: None)
    log = tmp_path / "log"
    campaign(Plan(0, 3), log)
    content = log.read_bytes()
    log.write_bytes(content[: len(content) - cut])
    made_again.clear()
    campaign(Plan(0, 5), log)
    assert made_again == ([2, 3, 4] if cut else [3, 4])
    assert sorted(line["number"] for line in lines_of(log)) == [0, 1, 2, 3, 4]
    assert campaign(Plan(0, 9, hours=0), log) == 0
    assert len(lines_of(log)) == 5, "no case is made after the time is over"


def test_a_process_that_dies_is_a_failure_of_its_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "one", ends_the_process)
    assert driver._alone(4)["wrong"] == ["the process died"]


def test_a_case_that_raises_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(number: int, directory: Path) -> Outcome:
        raise AssertionError("unreadable")

    monkeypatch.setattr(driver, "run_number", fails)
    assert "unreadable" in driver.one(4)["wrong"][0]


def test_a_case_that_takes_for_ever_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(number: int, directory: Path) -> Outcome:
        while True:
            pass

    monkeypatch.setattr(driver, "CPU_SECONDS", 0.05)
    monkeypatch.setattr(driver, "run_number", endless)
    assert "more than 0.05 s" in driver.one(4)["wrong"][0]


def test_a_failing_case_is_shrunk() -> None:
    """To the rows and the options without which it does not fail; a header stays."""
    rows = b"".join(b"u%d,i%d\n" % (n, n) for n in range(40))
    case = Case(1, "km", "table", ["input.csv"], {"k": "2", "m": "3", "to": "csv"}, then=["audit", "twice"])
    tried = []

    def run(example: Example) -> Outcome:
        tried.append(example)
        data = example.files["input.csv"]
        assert data.startswith(b"user,item\n")
        fails = b"u7,i7\n" in data and b"u31,i31\n" in data and "m" in example.case.said
        return outcome(1, [f"{len(data)} bytes are wrong"] if fails else [])

    example = Example(case, {"input.csv": b"user,item\n" + rows})
    small = shrunk(example, run(example), run)
    assert small.files == {"input.csv": b"user,item\nu7,i7\nu31,i31\n"}
    assert (small.case.said, small.case.then) == ({"m": "3"}, [])
    assert len(tried) < 200


def test_another_failure_is_not_taken_for_the_same() -> None:
    case = Case(1, "km", "lines", ["input.txt"], {})

    def run(example: Example) -> Outcome:
        return outcome(1, ["a claim is false" if b"a\n" in example.files["input.txt"] else "no record is left"])

    example = Example(case, {"input.txt": b"a\nb\n"})
    assert shrunk(example, run(example), run).files == {"input.txt": b"a\n"}


def test_a_kept_case_is_read_as_it_was(tmp_path: Path) -> None:
    example = Example.of_number(17)
    example = Example(example.case, {**example.files, "packed.parquet": b"\xff\x00"})
    example.write(tmp_path / "kept.json", ["a claim is false"])
    assert Example.read(tmp_path / "kept.json") == example


def test_a_summary_counts_releases_and_failures() -> None:
    lines = [asdict(outcome(0)), asdict(outcome(1, ["a claim is false"])), {**asdict(outcome(2)), "code": 1}]
    text = summary(lines)
    assert "3 runs, 2 releases, 1 failures" in text
    assert "a claim is false" in text


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A page with old figures, a tally of one campaign of seven runs, and the place of a badge."""
    page, tally = tmp_path / "page.md", tmp_path / "tally.json"
    page.write_text(f"# Page\n{BEGIN}old\n{END}\nthe rest\n")
    tally.write_text(json.dumps([asdict(Campaign("1", "`abc`", "2026-01-02", 7, 5, 1, 4, {"km": 7}, {"km": 5}))]))
    return page, tally, tmp_path / "badge.svg"


def test_figures_add_up_and_replace_those_before(places: tuple[Path, Path, Path]) -> None:
    page, tally, badge = places
    lines = [asdict(outcome(2 * OF_A_SEED)), {**asdict(outcome(2 * OF_A_SEED + 1, ["a claim is false"])), "claims": ["km-anonymity"]}]
    write_figures(lines, "`def`", "2026-03-04", page, tally, badge)
    assert "9 random runs checked" in badge.read_text()
    text = page.read_text()
    assert "In all 9 runs: 7 releases, 2 refusals, 2 failures, 5 claims recounted" in text
    assert "| 1 | `abc` | 2026-01-02 | 7 | 5 | 1 |" in text
    assert "| 2 | `def` | 2026-03-04 | 2 | 2 | 1 |" in text
    assert "| `km` | 7 | 5 |" in text
    assert "| `km-anonymity` | 1 |" in text
    assert "\nold\n" not in text
    assert text.startswith("# Page\n")
    assert text.endswith("\nthe rest\n")


def test_a_longer_log_of_the_same_seed_replaces_its_counts(places: tuple[Path, Path, Path]) -> None:
    page, tally, badge = places
    write_figures([asdict(outcome(OF_A_SEED + n)) for n in range(8)], "`def`", "2026-03-04", page, tally, badge)
    assert [campaign.runs for campaign in read_tally(tally)] == [8]
    with pytest.raises(ValueError, match="seed 1 has 3 runs in the log and 8 in the tally"):
        write_figures([asdict(outcome(OF_A_SEED + n)) for n in range(3)], "`def`", "2026-03-04", page, tally, badge)
    assert [campaign.runs for campaign in read_tally(tally)] == [8]


def test_page_and_badge_have_the_figures_of_the_tally() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert BADGE.read_text(encoding="utf-8") == drawn(read_tally())
    assert text.partition(BEGIN)[2].partition(END)[0].strip() == figures(read_tally()).strip()


@pytest.mark.parametrize("path", sorted(KEPT.glob("*.json")), ids=lambda path: path.stem)
def test_a_case_that_failed_once_fails_no_more(path: Path) -> None:
    example = Example.read(path)
    result = example.run()
    assert not result.wrong, f"{result.command}: {result.wrong}"
