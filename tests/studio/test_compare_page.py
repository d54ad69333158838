"""Comparing methods in the studio: the frontier, cells that fill, resuming, and the release of a point."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from helpers.accesslog import visits
from helpers.cli import Shell
from helpers.studio import Visitor, baskets_csv, compared_cells, records, shown, unzipped, visited, wait_for
from shoal.io.studio_folder import load_json, save_json
from shoal.studio.processes import Processes
from shoal.studio.states import CANCELLED, CELLS, COMPARE, DONE
from shoal.studio.store import StoredJob, end_job

FIELDS = {"k": "3", "m-1": "yes", "quick": "yes"}


@pytest.fixture(scope="module")
def source(visitor: Visitor) -> str:
    address = visitor.open(baskets_csv(), "my baskets.csv")
    assert visitor.post(f"{address}/confirm", people="yes").status_code == 200
    return address


def field_of(visitor: Visitor, source: str, method: str) -> str:
    """The name of the checkbox of a method."""
    return re.search(rf'name="(method-\d+)"[^>]*> <label[^>]*>{method}<', visitor.get(f"{source}/compare").text)[1]  # type: ignore[index]


def stored(visitor: Visitor, job: str) -> StoredJob:
    found = visitor.studio.job(job.rpartition("/")[2])
    assert found is not None
    return found


@pytest.fixture(scope="module")
def compared(visitor: Visitor, source: str) -> str:
    """A comparison of two releases; its address."""
    answer = visitor.post(f"{source}/compare", **{**FIELDS, "k": "3, 200", field_of(visitor, source, "coherence"): "yes"})
    assert answer.status_code == 200, answer.text
    return answer.url.path


def test_the_frontier_has_a_point_for_each_release_and_says_which_are_not_possible(visitor: Visitor, compared: str) -> None:
    page = visitor.get(compared).text
    assert stored(visitor, compared).state == DONE
    assert page.count('class="pick"') == page.count('<details class="cell"') == 1
    assert 'data-release="0"' in page
    assert "<b>coherence k=200 p=1</b> not possible" in page
    assert "comparison.css" in page
    assert visitor.get(f"{compared}/cells").text.strip() in page  # what a script puts into the page
    framed = visitor.get(f"{compared}/report")
    assert framed.headers["content-security-policy"].endswith("; sandbox")
    assert "Counting errors" in framed.text
    assert "Comparison of <bdi>my baskets.csv</bdi>" in visitor.get("/history").text


def test_the_shown_command_makes_the_same_comparison(visitor: Visitor, compared: str, shell: Shell) -> None:
    shell.file("my baskets.csv", baskets_csv())
    words = shlex.split(shown(visitor.get(compared).text, "command"))
    assert words[:3] == ["shoal", "compare", "my baskets.csv"]
    row = json.loads(shell(*words[1:], "--json").out)[0]
    cell = load_json(stored(visitor, compared).folder / CELLS)[0]
    assert (row["kept"], row["attack_high"], row["claims"]) == (cell["found"]["kept"], cell["found"]["attack_high"], cell["claims"])


def test_a_point_becomes_the_release_that_its_command_makes(visitor: Visitor, compared: str, shell: Shell, tmp_path: Path) -> None:
    answer = visitor.post(f"{compared}/publish", cell="0", attack="yes")
    assert "The claim holds." in answer.text
    assert "--method coherence --k 3 --p 1" in shown(answer.text, "command")
    release = unzipped(visitor, answer.url.path, tmp_path / "studio")
    assert shell("audit", release).code == 0
    shell.file("my baskets.csv", baskets_csv())
    assert shell(*shlex.split(shown(answer.text, "command"))[1:-1], tmp_path / "typed").code == 0
    assert records(tmp_path / "typed") == records(release)


@pytest.mark.parametrize("cell", ["1", "2", "-1", "x", "", "0.5"])
def test_only_a_release_that_was_measured_is_published(visitor: Visitor, compared: str, cell: str) -> None:
    assert visitor.post(f"{compared}/publish", cell=cell).status_code == 400


def test_a_comparison_of_a_file_that_is_read_in_another_way_is_not_published(visitor: Visitor) -> None:
    address = visitor.open(baskets_csv())
    visitor.post(f"{address}/confirm", people="yes")
    source = visitor.studio.store.source(address.rpartition("/")[2])
    assert source is not None
    task = {"source": source.identity, "path": source.path, "typed": "x", "origin": "upload", "quick": True, "k": [3], "m": [1]}
    folder = visitor.studio.store.add_job(COMPARE, name="x", **task, methods=["coherence"], options={"format": "table"})
    save_json(folder / CELLS, [{"state": "measured", "label": "x", "per": "user", "method": "x", "found": {}}])
    end_job(folder, DONE)
    for change in ("publish", "resume"):
        assert visitor.post(f"/jobs/{folder.name}/{change}", cell="0").status_code in {400, 409}


@pytest.mark.parametrize(
    "fields", [{"k": "1"}, {"k": "x"}, {"k": ""}, {"k": "5,,6"}, {"k": "9" * 400}, {"k": ",".join(["2"] * 11)}, {"m-1": ""}, {"method": ""}]
)
def test_odd_requests_for_a_comparison_are_refused(visitor: Visitor, source: str, fields: dict[str, str]) -> None:
    jobs = len(visitor.studio.store.jobs((COMPARE,), {}))
    method = {} if "method" in fields else {"method-0": "yes"}
    assert visitor.post(f"{source}/compare", **{**FIELDS, **method, **fields}).status_code == 400
    assert len(visitor.studio.store.jobs((COMPARE,), {})) == jobs


def test_a_comparison_needs_confirmed_people(visitor: Visitor) -> None:
    address = visitor.open(baskets_csv())
    assert visitor.post(f"{address}/compare", **FIELDS, **{"method-0": "yes"}).status_code == 400
    assert visitor.get(f"{address}/compare").status_code == 400


def test_tables_are_compared_by_the_detail_that_they_keep(visitor: Visitor, shell: Shell, tmp_path: Path) -> None:
    rows = "age,income,town\n" + "".join(f"{20 + n % 37},{n * n % 53},{'ab'[n % 2]}\n" for n in range(60))
    address = visitor.open(rows, "people.csv")
    visitor.post(f"{address}/read", **{"format": "microdata", "role-0": "quasi", "role-1": "quasi", "role-2": "keep"})
    assert visitor.post(f"{address}/confirm", people="yes").status_code == 200
    form = visitor.get(f"{address}/compare").text
    assert "An attacker is taken to know all protected columns" in form
    assert 'name="m-1"' not in form
    chosen = {field_of(visitor, address, re.escape(name)): "yes" for name in ("mdav", "mdav(l=2, sensitive=town)")}
    page = visitor.post(f"{address}/compare", k="3", quick="yes", **chosen)
    assert page.status_code == 200, page.text
    assert "detail kept (1 - information loss)" in page.text
    assert page.text.count("% of the detail; the strongest attack finds at most") == 2
    assert "guessed in" in page.text
    published = visitor.post(f"{page.url.path}/publish", cell="1", to="csv")
    assert shell("audit", unzipped(visitor, published.url.path, tmp_path / "studio")).code == 0
    assert "--l 2 --sensitive town" in shown(published.text, "command")
    shell.file("people.csv", rows)
    words = shlex.split(shown(page.text, "command"))
    row = json.loads(shell(*words[1:], "--json").out)[0]
    assert row["detail_kept"] == load_json(stored(visitor, page.url.path).folder / CELLS)[0]["found"]["detail_kept"]


def test_a_column_name_does_not_become_a_parameter_of_a_method(visitor: Visitor) -> None:
    names = ("x)(k=2", "y=1", "../z", "<b>", "l=9, sensitive")
    rows = "age,income," + ",".join(f'"{name}"' for name in names) + "\n"
    rows += "".join(f"{20 + n % 7},{n % 9}" + ",a" * len(names) + "\n" for n in range(60))
    address = visitor.open(rows, "people.csv")
    roles = {"role-0": "quasi", "role-1": "quasi", **{f"role-{n + 2}": "keep" for n in range(len(names))}}
    visitor.post(f"{address}/read", format="microdata", **roles)
    visitor.post(f"{address}/confirm", people="yes")
    form = visitor.get(f"{address}/compare").text
    assert set(re.findall(r'<label for="method-\d+">([^<]*)<', form)) <= {"mdav", "microaggregation"}


def test_access_logs_are_compared_by_pages(visitor: Visitor, shell: Shell, tmp_path: Path) -> None:
    address = visitor.open(visits(24, sessions=2), "access.log")
    assert visitor.post(f"{address}/confirm", people="yes").status_code == 200
    assert "2 pages" in visitor.get(f"{address}/compare").text
    chosen = {field_of(visitor, address, name): "yes" for name in ("coherence", "accesslog-mdav")}
    page = visitor.post(f"{address}/compare", **FIELDS, **chosen)
    assert page.text.count('class="pick"') == 2
    assert "pages as typed" in page.text
    published = visitor.post(f"{page.url.path}/publish", cell="1")
    assert "--method accesslog-mdav" in shown(published.text, "command")
    assert shell("audit", unzipped(visitor, published.url.path, tmp_path / "studio")).code == 0


def test_markup_in_the_results_of_a_comparison_stays_text(visitor: Visitor, source: str, compared: str) -> None:
    script = "<script>alert(1)</script>"
    task = {**stored(visitor, compared).task, "name": script, "typed": script, "methods": [script]}
    folder = visitor.studio.store.add_job(COMPARE, **{name: value for name, value in task.items() if name not in ("kind", "created")})
    cell = {**load_json(stored(visitor, compared).folder / CELLS)[0], "label": script, "method": script, "warnings": [script]}
    save_json(folder / CELLS, [cell, {**cell, "state": "refused", "why": script}])
    for path in (f"/jobs/{folder.name}", f"/jobs/{folder.name}/cells", f"{source}/compare", "/history"):
        assert script not in visitor.get(path).text, path


def test_a_comparison_that_was_cancelled_is_resumed_where_it_stopped(tmp_path: Path) -> None:
    with visited(tmp_path, processes=Processes(1)) as found:
        address = found.open(baskets_csv())
        found.post(f"{address}/confirm", people="yes")
        method = field_of(found, address, "coherence")
        job = found.post(f"{address}/compare", **{**FIELDS, "k": "2,3,4", method: "yes"}).url.path
        compared_cells(found, job, 1)
        assert found.post(f"{job}/resume").status_code == 409  # it runs
        page = found.post(f"{job}/cancel").text
        assert wait_for(found, job) == CANCELLED
        first = load_json(stored(found, job).folder / CELLS)
        finished = [cell["label"] for cell in first if cell["state"] == "measured"]
        kept = len(list(stored(found, job).folder.glob("comparison/cells/[!.]*.json")))
        assert 0 < len(finished) <= kept < 3
        assert "Resume" in page
        again = found.post(f"{job}/resume").url.path
        assert again != job
        assert wait_for(found, again) == DONE
        cells = load_json(stored(found, again).folder / CELLS)
        assert {cell["state"] for cell in cells} == {"measured"}
        assert f"3 runs, {kept} of them from an earlier comparison" in " ".join(stored(found, again).result["notes"])
        assert not list(stored(found, job).folder.rglob(".*"))
