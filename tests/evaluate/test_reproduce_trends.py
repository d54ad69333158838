"""What the numbers of an experiment are said to show, on numbers made up so that it is plain."""

from __future__ import annotations

import pytest

from shoal.evaluate.reproduce.experiment_page import Experiment, Figure, Lines, PaperFinding, markdown
from shoal.evaluate.reproduce.thesis import CLUMP1, CLUMP2, PARTITION, PRINTED1, PRINTED2, findings
from shoal.evaluate.reproduce.trends import cells_below, falls, of_all, rises, values


@pytest.mark.parametrize(
    ("line", "up", "down"),
    [
        ([1.0, 2.0, 3.0], True, False),
        ([3.0, 2.0, 1.0], False, True),
        ([1.0, 2.0, 1.99, 3.0], True, False),  # a step down of less than 2% of the greatest
        ([1.0, 2.0, 1.5, 3.0], True, False),  # one of six pairs goes down
        ([1.0, 3.0, 2.0, 1.5], False, False),  # three of six do
        ([1.0, 1.0, 1.0], False, False),
        ([1.0], False, False),
        ([-1.0, -4.0, -6.0], False, True),
    ],
)
def test_lines_that_rise_and_fall(line: list[float], up: bool, down: bool) -> None:
    assert (rises(line), falls(line)) == (up, down)


def test_comparing_lines() -> None:
    assert cells_below([1, 2, 3], [2, 2, 4]) == 2
    assert (of_all(2, 3), of_all(3, 3)) == ("in 2 of 3 settings", "in all 3 settings")
    assert values([{"k": 5, "x": 1.0}, {"k": 7, "x": 2.0}], "x", k=7) == [2.0]


def thesis_rows(loss: dict[str, float], length: dict[str, float], level: dict[str, float]) -> list[dict]:
    """Two sizes and two values of k; the reduction against Partition shrinks with both."""
    return [
        {"transactions": n, "k": k, "method": name, "loss": loss[name] * (1 if name == PARTITION else 1 + (k + n / 100) / 200)}
        | {"mean_length": length[name], "mean_level": level[name]}
        for n in (100, 400)
        for k in (5, 10)
        for name in loss
    ]


def told(*, turned: bool) -> dict[tuple[str, str], bool | None]:
    """The verdicts where everything is as the thesis says, or `turned` to its contrary."""
    names = (PRINTED1, PRINTED2, CLUMP1, CLUMP2, PARTITION)
    good = thesis_rows(
        dict(zip(names, (0.68, 0.69, 0.68, 0.69, 1.0), strict=True)),
        dict(zip(names, (20.0, 8.0, 20.0, 8.0, 6.0), strict=True)),
        dict(zip(names, (2.0, 4.0, 2.0, 4.0, 3.0), strict=True)),
    )
    bad = thesis_rows(
        dict(zip(names, (1.2, 1.9, 1.2, 1.9, 1.0), strict=True)),
        dict(zip(names, (6.0, 8.0, 6.0, 8.0, 6.0), strict=True)),
        dict(zip(names, (5.0, 4.0, 5.0, 4.0, 3.0), strict=True)),
    )
    if turned:  # the reduction grows with k and size
        bad = [{**row, "loss": 1.5 - row["loss"] / 10 if row["method"] in (PRINTED1, CLUMP1) else row["loss"]} for row in bad]
    over_r = [{"r": r, "method": PRINTED1, "loss": 0.9 - r / 200 if turned else 0.5 + abs(r - 10) / 200} for r in (5, 10, 100)]
    times = [
        {"method": "Clump", "times Partition": 0.5 if turned else 3.0, "microseconds each": each}
        for each in ((1.0, 5.0) if turned else (5.0, 5.5))
    ]
    densities = [{"density %": d} for d in ((0.1, 0.2) if turned else (0.28, 0.11))]
    found = list(findings(bad if turned else good, over_r, times, densities))
    return {(one.place, one.statement): one.agrees for one in found}


def test_numbers_as_in_the_thesis_agree_with_it() -> None:
    assert [place for place, agrees in told(turned=False).items() if not agrees] == []


def test_numbers_to_the_contrary_differ_in_every_statement() -> None:
    assert [place for place, agrees in told(turned=True).items() if agrees is not False] == []


def test_the_page_has_a_table_of_findings_and_one_column_for_each_line() -> None:
    rows = tuple({"data": "all", "k": k, "method": name, "loss": k / 10} for k in (5, 10) for name in ("A", "B"))
    figure = Figure("loss", "Figure 1", rows, Lines("k", "loss", "method", "data"))
    findings = (
        PaperFinding("Figure 1", "A | B", "so", True),
        PaperFinding("Table 1", "x", "y", None),
        PaperFinding("Table 1", "x", "z", False),
    )
    page = markdown(Experiment("one", "One", "Somebody", "made up", (figure,), findings), folder="there/")
    assert "| Figure 1 | A \\| B | so | **agrees** |" in page
    assert "| Table 1 | x | y | **not comparable** |" in page
    assert "| Table 1 | x | z | **differs** |" in page
    assert "![Figure 1](there/loss.svg)" in page
    assert "| data | k | A | B |\n| --- | --- | --- | --- |\n| all | 5 | 0.5 | 0.5 |\n| all | 10 | 1 | 1 |" in page
