"""The live preview: what would be left, by what an attacker may know and by k."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.studio import HERE, Visitor, baskets_csv, visited
from shoal.errors import ShoalError
from shoal.evaluate.advise.forecast import Measured
from shoal.studio import preview
from shoal.studio.column_roles import previewed
from shoal.studio.preview import FIRST_COUNTED, Preview
from shoal.studio.previews import Previews
from shoal.studio.states import EVERYTHING
from shoal.studio.store import OpenedFile


class InsidePreviews(Previews):
    """Answers in this process."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[int, int, str, int]] = []

    async def ask(self, source: OpenedFile, k: int, knows: int, goal: str, again: int = 0) -> dict[str, Any] | None:
        self.asked.append((k, knows, goal, again))
        return {"rows": [], "seconds": 0}


@pytest.fixture(scope="module")
def visitor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    with visited(tmp_path_factory.mktemp("studio")) as found:
        found.studio.previews = InsidePreviews()
        yield found


def left(path: Path, knows: int, k: int = 4, **options: str) -> list[float]:
    return [row["kept"] for row in Preview(path, options).of(k, knows)["rows"]]


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preview, "SECONDS", 60.0)  # so that everybody is tried, however slow the machine is


@pytest.mark.usefixtures("patient")
def test_what_is_left_is_what_a_release_would_have(tmp_path: Path) -> None:
    path = tmp_path / "b.csv"
    goods = "".join(f"{n},milk\n" for n in range(20)) + "1,salt\n2,salt\n3,salt\n"  # salt is held by 3 people
    path.write_text("customer,product\n" + goods)
    assert left(path, 1, k=3)[0] == 1.0
    assert left(path, 1, k=4)[0] == pytest.approx(20 / 23)
    found = Preview(path, {}).of(4, 1)["rows"][0]
    assert (found["method"], found["settings"], found["people"], found["whole"]) == ("coherence", {"k": "4", "p": "1"}, 20, True)


@pytest.mark.usefixtures("patient")
def test_more_knowledge_leaves_less_and_whole_records_have_their_own_method(tmp_path: Path) -> None:
    path = tmp_path / "b.csv"
    path.write_text(baskets_csv())
    two = Preview(path, {"taxonomy": "generated"})
    kept = [two.of(8, knows)["rows"][0]["kept"] for knows in (1, 2, 3)]
    assert kept == sorted(kept, reverse=True)
    (whole,) = two.of(8, EVERYTHING)["rows"]
    assert whole["method"] == "shoal"


@pytest.mark.usefixtures("patient")
def test_the_goal_decides_what_a_record_is(tmp_path: Path) -> None:
    """Everybody buys milk and tea, but nobody in one basket: together they are rare only in records that have both."""
    path = tmp_path / "b.csv"
    people = "".join(f"{n},a{n},milk\n{n},b{n},{'tea' if n % 4 else 'salt'}\n" for n in range(20))
    path.write_text("customer,basket,product\n" + people)
    found = Preview(path, {"record": "basket"})
    kept = {goal: found.of(6, 2, goal)["rows"][0]["kept"] for goal in ("baskets", "histories")}
    assert kept["baskets"] == pytest.approx(35 / 40)  # salt is in 5 baskets
    assert kept["histories"] == Preview(path, {}).of(6, 2)["rows"][0]["kept"]
    (counted,) = found.of(6, 2, "counts")["rows"]
    assert (counted["method"], counted["settings"]) == ("dp-queries", {"unit": "item"})


@pytest.mark.usefixtures("patient")
def test_single_queries_are_records_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "log.tsv"
    rows = [(n, text) for n in range(12) for text in ("red shoes", f"{'violin' if n % 2 else 'river'} map")]
    path.write_text("AnonID\tQuery\tQueryTime\n" + "".join(f"{n}\t{text}\t2006-03-01 10:00:00\n" for n, text in rows))
    found = Preview(path, {})
    assert found.of(5, 2, "queries")["rows"][0]["kept"] == 1.0  # every pair of words in one query is of 6 people or more
    assert found.of(7, 2, "queries")["rows"][0]["kept"] < 1.0


@pytest.mark.parametrize(
    ("format", "goal", "about"),
    [
        ("table", "baskets", "records, one per “basket”"),
        ("table", "histories", "records, one per person"),
        ("querylog", "queries", "records, one per query"),
        ("accesslog", "histories", "records, one per session of a visitor"),
        ("table", "counts", "counts with noise"),
        ("microdata", "table", "records, one per row"),
    ],
)
def test_the_page_says_what_a_preview_is_about(format: str, goal: str, about: str) -> None:
    assert previewed(format, {"record": "basket"} if format == "table" else {}, goal) == about


def test_a_question_that_is_asked_again_gets_more_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    class Slow:
        def __init__(self, *_: object) -> None:
            pass

        def go_on(self, seconds: float) -> Measured:
            given.append(seconds)
            return Measured(0.0, why_not="it takes too long")

    monkeypatch.setattr(preview, "Attempt", Slow)
    monkeypatch.setattr(preview, "SECONDS", 1000.0)
    (tmp_path / "b.csv").write_text(baskets_csv())
    found = Preview(tmp_path / "b.csv", {"taxonomy": "generated"})
    for again in range(4):
        assert found.of(5, EVERYTHING, again=again)["rows"][0]["left"] == "not measured: it takes too long"
    assert [round(seconds, -3) for seconds in given] == [1000, 2000, 4000, 8000]


def test_a_question_that_is_stopped_is_answered_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted, asked = threading.Event(), []

    class Endless:
        found = Measured(0.0, why_not="there was no time left")

        def __init__(self, *_: object) -> None:
            pass

        def go_on(self, seconds: float) -> Measured:
            asked.append(seconds)
            threading.Thread(target=stopped.stop).start()  # as the line that a newer question sends
            assert interrupted.wait(60)
            return self.found

        interrupt = staticmethod(interrupted.set)

    (tmp_path / "b.csv").write_text(baskets_csv())
    stopped = Preview(tmp_path / "b.csv", {"taxonomy": "generated"})
    monkeypatch.setattr(preview, "Attempt", Endless)
    rows = stopped.of(5, 2)["rows"]
    assert [row["left"] for row in rows] == ["not measured: there was no time left"] * 2
    assert len(asked) == 1  # the second method is not begun
    stopped.of(6, EVERYTHING)
    assert len(asked) == 2  # the next question is measured again


def test_samples_begin_with_fewer_people_for_queries_and_with_more_for_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.tsv"
    rows = "".join(f"{n}\tred shoes {n % 7}{m}\t2006-03-01 10:{m:02}:00\n" for n in range(300) for m in range(20))
    path.write_text("AnonID\tQuery\tQueryTime\n" + rows)
    found, first = Preview(path, {}), list[int | None]()

    class Counted:
        found = Measured(0.0)

        def __init__(self, samples: object, route: object, total: int, people: int | None) -> None:
            first.append(people)

        def go_on(self, seconds: float) -> Measured:
            return self.found

    monkeypatch.setattr(preview, "Attempt", Counted)
    for goal in ("queries", "histories", "counts"):
        found.of(5, EVERYTHING, goal)
    found.of(40, EVERYTHING, "queries")
    assert first == [50, None, FIRST_COUNTED, 80]


@pytest.mark.parametrize(
    ("samples", "people", "left"),
    [
        (1, 500, "10.0% of the items in a sample of 500 people; usually more with all people"),
        (2, 54, "10.0% of the items in a sample of 54 people; usually more with all people"),
        (2, 500, "about 40.0% (uncertain: 20.0% to 60.0%) of the items"),
    ],
)
def test_small_samples_give_no_forecast(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, samples: int, people: int, left: str) -> None:
    measured = Measured(0.0, 0.1, "words", expected_kept=0.4, kept_between=(0.2, 0.6), people=people, samples=samples)

    class Fixed:
        def __init__(self, *_: object) -> None:
            pass

        def go_on(self, seconds: float) -> Measured:
            return measured

    (tmp_path / "b.csv").write_text(baskets_csv())
    found = Preview(tmp_path / "b.csv", {"taxonomy": "generated"})
    monkeypatch.setattr(preview, "Attempt", Fixed)
    assert found.of(5, EVERYTHING)["rows"][0]["left"] == left


def test_a_table_has_one_answer_whatever_an_attacker_knows(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age,income\n" + "".join(f"{20 + n % 7},{n % 9}\n" for n in range(60)))
    found = Preview(path, {"format": "microdata"})
    assert [row["method"] for row in found.of(3, 1)["rows"] + found.of(3, EVERYTHING)["rows"]] == ["microaggregation"] * 2


def test_a_file_that_cannot_be_read_has_no_preview(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("colour,shape\n" + "red,round\n" * 9)
    with pytest.raises(ShoalError):
        Preview(tmp_path / "x.csv", {})


def test_the_page_asks_with_its_own_token_only(visitor: Visitor) -> None:
    address = visitor.open(baskets_csv())
    assert visitor.post(f"{address}/preview", k="5", knows="1").status_code == 400  # people are not confirmed
    page = visitor.post(f"{address}/confirm", people="yes").text
    assert f'data-address="{address}/preview"' in page
    found = visitor.post(f"{address}/preview", k="5", knows="99", goal="histories", again="2").json()
    assert found == {"rows": [], "seconds": 0, "about": "records, one per person"}
    bad_goal = {"k": "5", "knows": "1", "goal": "<b>"}
    for fields in (
        bad_goal,
        {"k": "1", "knows": "1"},
        {"k": "5", "knows": "4"},
        {"k": "5"},
        {"k": "5", "knows": "<b>"},
        {"k": "٥", "knows": "1"},
        {"k": "5", "knows": "1", "again": "4"},
        {"k": "5", "knows": "1", "again": "-1"},
    ):
        assert visitor.post(f"{address}/preview", **fields).status_code == 400
    forged = visitor.client.post(f"{address}/preview", data={"k": "5", "knows": "1"}, headers={"origin": HERE})
    assert forged.status_code == 403
    assert visitor.studio.previews.asked == [(5, EVERYTHING, "histories", 2)]  # type: ignore[attr-defined]


def test_a_process_keeps_the_file_and_answers_the_newest_question(tmp_path: Path) -> None:
    place = tmp_path / "source"
    place.mkdir()
    path = tmp_path / "b.csv"
    path.write_text(baskets_csv())
    source = OpenedFile(
        place, "b.csv", str(path), "upload", {"format": "table", "user": "customer", "item": "product", "taxonomy": "generated"}
    )

    async def ask() -> tuple[list[Any], int]:
        previews = Previews()
        answers = await asyncio.gather(*(previews.ask(source, k, 1, "baskets") for k in (3, 4, 5)))
        (kept,) = previews._kept.values()
        assert kept.process is not None
        await previews.end()
        assert kept.process.returncode is not None
        return answers, len(previews._kept)

    answers, left_over = asyncio.run(ask())
    assert answers[1] is None  # outdated before it was asked
    assert answers[2]["rows"][0]["settings"]["k"] == "5"
    assert left_over == 0
