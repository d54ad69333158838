"""From a file to a release in the studio: what each step shows and keeps, and that the command it shows makes the same records."""

from __future__ import annotations

import io
import json
import re
import shlex
import tomllib
import zipfile
from pathlib import Path

import pytest

from helpers.cli import Shell, one_line
from helpers.studio import Visitor, baskets_csv, begun, records, shown, unzipped, visited, wait_for
from shoal.io.studio_folder import read_toml
from shoal.studio.processes import Processes
from shoal.studio.states import CANCELLED, CRASHED, DONE, INTERRUPTED, PUBLISH
from shoal.studio.store import OpenedFile

TABLE = "age,income\n" + "".join(f"{20 + n % 7},{1000 + 10 * (n % 9)}\n" for n in range(60))


@pytest.fixture(scope="module")
def measured(visitor: Visitor) -> tuple[str, str]:
    """Baskets whose routes were tried: the address of the file, and the page with the routes."""
    address = visitor.open(baskets_csv(), "my baskets.csv")
    return address, routes(visitor, address, "baskets")


def routes(visitor: Visitor, address: str, goal: str, **fields: str) -> str:
    """Confirm the people and find routes; the page with the routes."""
    assert visitor.post(f"{address}/confirm", people="yes").status_code == 200
    page = visitor.post(f"{address}/advise", goal=goal, **{"k": "4", "seconds": "60", "knows": "1", **fields})
    assert page.status_code == 200, page.text
    return page.text


def published(visitor: Visitor, address: str, page: str, goal: str, route: int = 0, **fields: str) -> tuple[str, str]:
    """Publish with a route of this page; the address of the job and its page."""
    job = re.search(r'name="job" value="([^"]+)"', page)[1]  # type: ignore[index]
    answer = visitor.post(f"{address}/publish", job=job, route=str(route), **{"route-goal": goal}, **fields)
    assert answer.status_code == 200, answer.text
    return answer.url.path, answer.text


def test_baskets_from_the_file_to_the_same_release_as_the_command(
    visitor: Visitor, measured: tuple[str, str], shell: Shell, tmp_path: Path
) -> None:
    address, found = measured
    page = visitor.get(address).text
    assert "40 people" in page
    assert "Each value of the column “customer” is one person" in page
    assert "private: do not publish" in page
    assert "finds" in found
    job, page = published(visitor, address, found, "baskets")
    assert "The claim holds." in page
    assert re.search(r"<iframe[^>]* sandbox src=", page)
    release = unzipped(visitor, job, tmp_path / "studio")
    assert shell("audit", release).code == 0
    shell.file("my baskets.csv", baskets_csv())
    words = shlex.split(shown(page, "command"))
    assert words[:3] == ["shoal", "anonymize", "my baskets.csv"]
    (tmp_path / "typed").mkdir()
    again = [str(shell.directory / word) if word == "my baskets.csv" else word for word in words[1:-1]]
    assert shell(*again, tmp_path / "typed" / "release").code == 0
    assert records(tmp_path / "typed" / "release") == records(release)
    config = shell.file("options.toml", visitor.get(f"{job}/options.toml").content)
    assert tomllib.loads(config.read_text()) == tomllib.loads(shown(page, "config"))
    assert shell("anonymize", shell.directory / "my baskets.csv", "--config", config, "--out", tmp_path / "configured").code == 0
    assert records(tmp_path / "configured") == records(release)


def test_the_first_steps_show_their_commands_too(visitor: Visitor, measured: tuple[str, str], shell: Shell) -> None:
    address, found = measured
    shell.file("my baskets.csv", baskets_csv())
    looked, advised = (shlex.split(shown(page, "command")) for page in (visitor.get(address).text, found))
    assert looked[:3] == ["shoal", "look", "my baskets.csv"]
    answer = shell(*looked[1:], "--json")
    assert (answer.code, json.loads(answer.out)["people"]) == (0, 40)
    assert advised[:3] == ["shoal", "advise", "my baskets.csv"]
    assert advised[-6:] == ["--for", "baskets", "--k", "4", "--seconds", "60"]
    assert shell(*advised[1:-1], "5", "--json").code == 0


def test_the_report_is_shown_without_script_in_a_frame_of_its_own(visitor: Visitor, measured: tuple[str, str]) -> None:
    job, page = published(visitor, *measured, "baskets", to="csv", attack="yes")
    assert "<h2>Attacks</h2>" in page
    assert "--attack basic" in shown(page, "command")
    for part in ("report", "private"):
        framed = visitor.get(f"{job}/{part}")
        assert framed.status_code == 200
        assert framed.headers["content-security-policy"].endswith("; sandbox")
        assert "script-src" not in framed.headers["content-security-policy"]
        assert framed.headers["cache-control"] == "no-store"
    names = zipfile.ZipFile(io.BytesIO(visitor.get(f"{job}/release.zip").content)).namelist()
    assert "release/report.html" in names
    assert any(name.endswith(".csv") for name in names)
    assert not any("private" in name for name in names)


def test_a_job_is_plain_files_and_its_audit_holds(visitor: Visitor, measured: tuple[str, str]) -> None:
    job, _ = published(visitor, *measured, "baskets")
    stored = visitor.studio.job(job.rpartition("/")[2])
    assert stored is not None
    assert stored.state == DONE
    task = read_toml(stored.folder / "job.toml")
    assert task["kind"] == PUBLISH
    assert task["options"] == {"format": "table", "user": "customer", "item": "product", **task["options"]}
    stages = [event["name"] for event in stored.events if event["event"] == "stage"]
    assert stages[0] == "reading"
    assert stages[-1] == "report"
    audit = visitor.post(f"{job}/audit")
    assert "The claim holds." in audit.text
    assert shown(audit.text, "command") == "shoal audit release"
    assert f'href="{job}"' in audit.text
    assert "Audit of <bdi>release of my baskets.csv</bdi>" in visitor.get("/history").text


def test_a_file_without_people_is_refused_with_a_question(visitor: Visitor) -> None:
    address = visitor.open("colour,shape\n" + "red,round\nblue,square\n" * 9, "shapes.csv")
    page = visitor.get(address).text
    assert "What does the file contain?" in page
    assert "colour" in page
    assert f'action="{address}/confirm"' not in page
    assert visitor.post(f"{address}/confirm", people="yes").status_code == 400


def test_roles_changed_by_hand_are_read_and_published(visitor: Visitor) -> None:
    rows = "".join(f"c{n % 30},b{n},{'tea' if n % 2 else 'milk'}\n" for n in range(60))
    address = visitor.open(f"who,visit,what\n{rows}", "visits.csv")
    assert "What does the file contain?" in visitor.get(address).text
    page = visitor.post(f"{address}/read", **{"format": "table", "role-0": "user", "role-1": "record", "role-2": "item"})
    assert "30 people, 60 records" in page.text
    assert "Each value of the column “who” is one person" in page.text
    source = visitor.studio.store.source(address.rpartition("/")[2])
    assert source is not None
    assert source.options == {"format": "table", "user": "who", "record": "visit", "item": "what"}
    assert "What do you want to publish?" in visitor.post(f"{address}/confirm", people="yes").text
    task = {"path": source.path, "typed": source.typed, "method": "coherence", "options": dict(source.options), "settings": {"k": "3"}}
    job = visitor.studio.begin(PUBLISH, name=source.name, protects="x", expected="x", origin="upload", **task)
    page_text = visitor.get(f"/jobs/{job.name}").text
    assert "The claim holds." in page_text
    assert "Protected: each record, but not a person&#39;s whole history of several records." in page_text
    audit = visitor.post(f"/jobs/{job.name}/audit").text
    assert "60 records." in audit  # nothing about identical records, which this claim does not guarantee
    assert {"--user who", "--record visit", "--item what"} <= set(re.findall(r"--\w+ \w+", shown(page_text, "command")))


def test_a_file_without_column_names_is_read_by_their_numbers(visitor: Visitor, shell: Shell) -> None:
    log = "".join(f"{n:04X}BFB35F5B{n:04X}\t9709161054{n:02}\tred shoes\n" for n in range(20))
    address = visitor.open(log, "excite.log")
    page = visitor.get(address).text
    assert re.findall(r'<option value="(\w+)" selected>', page.partition("Role</th>")[2].partition("</table>")[0]) == [
        "user",
        "time",
        "text",
    ]
    assert "Each value of column 1 is one person" in page
    assert visitor.post(f"{address}/confirm", people="yes").status_code == 200
    source = visitor.studio.store.source(address.rpartition("/")[2])
    assert source is not None
    assert source.options == {"format": "querylog", "user": "1", "time": "2", "text": "3"}
    shell.file("excite.log", log)
    answer = shell(*shlex.split(shown(visitor.get(address).text, "command"))[1:], "--json")
    assert (answer.code, json.loads(answer.out)["people"]) == (0, 20)
    job = visitor.studio.begin(PUBLISH, **begun_of(source), method="threshold", options=dict(source.options), settings={"k": "5"})
    assert "The claim holds." in visitor.get(f"/jobs/{job.name}").text


def begun_of(source: OpenedFile) -> dict[str, str]:
    """The facts of an opened file that the job of a release has."""
    shared = {"path": source.path, "typed": source.typed, "origin": source.origin, "name": source.name}
    return {**shared, "protects": "x", "expected": "x"}


def test_a_change_of_roles_takes_back_the_confirmation_and_the_routes(visitor: Visitor, measured: tuple[str, str]) -> None:
    advice = re.search(r'name="job" value="([^"]+)"', measured[1])[1]  # type: ignore[index]
    route = {"job": advice, "route": "0", "route-goal": "baskets"}
    address = visitor.open(baskets_csv())
    visitor.post(f"{address}/confirm", people="yes")
    assert visitor.post(f"{address}/publish", **route).status_code == 400  # measured for another file
    visitor.post(f"{address}/read", **{"format": "table", "role-0": "item", "role-1": "user"})
    assert visitor.get(f"{address}/choose").status_code == 400
    source = visitor.studio.store.source(address.rpartition("/")[2])
    assert source is not None
    assert not source.confirmed
    assert source.options == {"format": "table", "item": "customer", "user": "product"}


def test_a_table_of_people_is_read_after_a_click(visitor: Visitor) -> None:
    address = visitor.open(TABLE, "people.csv")
    assert "What does the file contain?" in visitor.get(address).text
    page = visitor.post(f"{address}/read", format="microdata").text
    assert "Each row is about one person" in page
    _, page = published(visitor, address, routes(visitor, address, "table"), "table")
    assert "The claim holds." in page
    assert "--quasi age,income" in shown(page, "command")


def test_the_samples_are_read_as_they_are_meant(visitor: Visitor) -> None:
    for name, people in (("baskets", "400 people"), ("access", "240 people"), ("queries", "2,000 people")):
        assert people in visitor.post("/open/sample", sample=name).text
    assert visitor.post("/open/sample", sample="nothing").status_code == 400


def test_a_release_of_another_tool_is_judged(visitor: Visitor, root: Path, shell: Shell) -> None:
    (root / "theirs.txt").write_text("milk\tbread\n" * 3 + "beer\n" * 3)
    page = visitor.post("/audit/path", path="theirs.txt").text
    assert "This release makes no claim." in page
    assert "k = 3" in page
    assert "the whole record" in page
    words = shlex.split(shown(page, "command"))
    assert words == ["shoal", "audit", str(root / "theirs.txt"), "--strength", "5"]
    assert shell(*words[1:]).code == 0


def test_a_release_that_was_changed_does_not_pass(visitor: Visitor, shell: Shell) -> None:
    shell.file("b.csv", baskets_csv())
    words = ("--method", "coherence", "--k", "3", "--to", "csv", "--out", shell.directory / "r")
    assert shell("anonymize", shell.directory / "b.csv", *words).code == 0
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        for file in (shell.directory / "r").iterdir():
            text = file.read_bytes()
            archive.writestr(f"r/{file.name}", text.rstrip().rpartition(b"\n")[0] + b"\n" if file.suffix == ".csv" else text)
    location = visitor.upload(raw.getvalue(), "r.zip", "/audit/upload").json()["location"]
    page = visitor.get(location).text
    assert '<div class="hero bad">' in page
    assert "FAILS: files unchanged" in page
    assert shown(page, "command") == "shoal audit release --strength 5"
    assert "after you unpack the zip file" in page


# -- processes of their own


def started(visitor: Visitor, path: Path) -> str:
    """Start a release of a large log in a process of its own."""
    task = {"name": path.name, "path": str(path), "typed": path.name, "origin": "path", "protects": "x", "expected": "x"}
    folder = visitor.studio.store.add_job(PUBLISH, **task, method="shoal", options={}, settings={"k": "5"})
    assert visitor.client.portal is not None
    visitor.client.portal.call(visitor.studio.processes.start, folder)
    return f"/jobs/{folder.name}"


@pytest.fixture(scope="module")
def sample() -> Path:
    from shoal.studio.open_pages import sample_path

    return sample_path("queries")


def test_jobs_that_are_cancelled_killed_or_interrupted_leave_nothing(tmp_path: Path, sample: Path) -> None:
    with visited(tmp_path, keep=tmp_path / "kept", processes=Processes(2)) as two:
        cancelled, killed, waiting = (started(two, sample) for _ in range(3))
        begun(two, cancelled, "preparing")
        assert two.studio.processes.alive[waiting.rpartition("/")[2]] == "queued"
        assert "Cancel" in two.get(waiting).text
        two.post(f"{cancelled}/cancel")
        begun(two, killed, "reading")
        two.studio.processes._running[killed.rpartition("/")[2]].kill()
        assert (wait_for(two, cancelled), wait_for(two, killed)) == (CANCELLED, CRASHED)
        assert "Nothing was left behind" in two.get(cancelled).text
        assert two.get(f"{cancelled}/release.zip").status_code == 404
        begun(two, waiting, "reading")
    assert two.studio.job(waiting.rpartition("/")[2]).state == INTERRUPTED  # type: ignore[union-attr]
    for job in (cancelled, killed, waiting):
        folder = tmp_path / "kept" / "jobs" / job.rpartition("/")[2]
        assert {path.name for path in folder.iterdir()} <= {"job.toml", "events.jsonl"}


def test_after_a_restart_unfinished_jobs_are_marked_and_finished_ones_shown(tmp_path: Path) -> None:
    with visited(tmp_path, keep=tmp_path / "kept") as found:
        address = found.open(baskets_csv())
        source = found.studio.store.source(address.rpartition("/")[2])
        assert source is not None
        made = {"method": "coherence", "protects": "x", "expected": "x", "settings": {"k": "3"}}
        job = f"/jobs/{found.studio.begin(PUBLISH, name='b.csv', path=source.path, typed='b.csv', origin='upload', **made).name}"
        left = found.studio.store.add_job(PUBLISH, name="x", path="x", typed="x", method="shoal", protects="x", expected="x", settings={})
        (left / "events.jsonl").write_text('{"event": "stage", "name": "writing", "index": 6, "count": 8}\n{"event": "pro')
        from shoal.io.partial_outputs import begin, forget

        partial = begin(left / "release")
        forget(partial)
        assert partial.exists()
    with visited(tmp_path, keep=tmp_path / "kept") as again:
        assert not partial.exists()
        assert again.studio.job(left.name).state == INTERRUPTED  # type: ignore[union-attr]
        assert "interrupted" in again.get("/history").text
        assert "nothing is left of its release" in again.get(f"/jobs/{left.name}").text
        assert "The claim holds." in again.get(job).text
        assert again.get(f"{job}/release.zip").status_code == 200
        assert again.get(address).status_code == 200


def test_the_command_refuses_to_listen_for_others_unasked(shell: Shell) -> None:
    for host in ("0.0.0.0", "192.0.2.1", "::", "example.org", ""):
        assert "--i-understand" in one_line(shell("studio", "--host", host, "--no-browser"))
    assert "is not a folder" in one_line(shell("studio", "--root", "missing", "--no-browser"))
