"""A studio in this process: a client with a session, and tasks that run where they are started."""

from __future__ import annotations

import io
import json
import re
import time
import zipfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import httpx2 as httpx
import polars as pl
import pytest
from starlette.testclient import TestClient

from shoal.io.below_root import Root
from shoal.io.studio_folder import EventFile, StudioFolder, read_events
from shoal.studio.app import make_app
from shoal.studio.guard import Sessions
from shoal.studio.processes import Processes
from shoal.studio.shared_state import Studio
from shoal.studio.store import Store
from shoal.studio.worker import FileEvents, Stop, run_task

HOST = "127.0.0.1:8000"
HERE = f"http://{HOST}"
GOODS = "product,group,aisle\nmilk,dairy,cold\nbeer,drinks,cold\nbread,bakery,dry\napple,fruit,dry\n"
CHANGE = re.compile(r'name="shoal-change" content="([0-9a-f]+)"')


class Inside(Processes):
    """Runs a task in this process, to its end, when it is started."""

    def start(self, job: Path) -> None:
        file = EventFile(job)
        events = FileEvents(file)
        events.write(event="end", **run_task(job, events, Stop()))
        file.close()


@dataclass
class Visitor:
    """A browser with a session."""

    client: TestClient
    studio: Studio
    sessions: Sessions
    change: str = ""

    def enter(self) -> Visitor:
        page = self.client.get("/", params={"token": self.sessions.token})
        self.change = CHANGE.search(page.text)[1]  # type: ignore[index]
        return self

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.client.get(path, **more)

    def post(self, address: str, /, **fields: str) -> httpx.Response:
        return self.client.post(address, data={"change": self.change, **fields}, headers={"origin": HERE})

    def upload(self, content: Any, name: str = "data.csv", path: str = "/open/upload", **headers: str) -> httpx.Response:
        given = {"origin": HERE, "x-shoal-change": self.change, "x-file-name": name, "accept": "application/json", **headers}
        return self.client.post(path, content=content, headers=given)

    def open(self, content: str, name: str = "data.csv") -> str:
        """Upload a file; the address of its page."""
        answer = self.upload(content.encode(), name)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["location"])


@contextmanager
def visited(place: Path, *, root: Path | None = None, keep: Path | None = None, processes: Processes | None = None) -> Iterator[Visitor]:
    """A studio with a visitor, whose folder is removed at the end unless it is kept."""
    folder = StudioFolder(keep)
    studio = Studio(Store(folder), None if root is None else Root(root), processes or Inside(1))
    studio.store.mark_interrupted()
    sessions = Sessions()
    app = make_app(studio, sessions, frozenset({HOST, "localhost:8000"}))
    with TestClient(app, base_url=HERE) as client:
        yield Visitor(client, studio, sessions).enter()
    folder.remove()


Receive = Callable[[], Awaitable[dict[str, Any]]]


async def status_of(visitor: Visitor, method: str, path: str, receive: Receive) -> int:
    """Ask the application itself, without a client; the status of its answer."""
    status = 0

    async def send(message: dict[str, Any]) -> None:
        nonlocal status
        status = message.get("status", status)

    given = {"host": HOST, "origin": HERE, "x-shoal-change": visitor.change, "cookie": f"shoal_studio={visitor.sessions.cookies[0]}"}
    headers = [(name.encode(), value.encode()) for name, value in given.items()]
    place = {"path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "", "server": ("127.0.0.1", 8000)}
    scope = {"type": "http", "method": method, "scheme": "http", "headers": headers, **place}
    await visitor.client.app(scope, receive, send)  # type: ignore[arg-type]
    return status


def baskets_csv(people: int = 40) -> str:
    """A table of people and items, in which every item is held by many."""
    goods = ("milk", "bread", "beer", "apple")
    rows = [f"{person},{goods[(person + n) % 4]}" for person in range(people) for n in range(1 + person % 3)]
    return "\n".join(["customer,product", *rows]) + "\n"


# -- what a studio made


def unzipped(visitor: Visitor, job: str, place: Path) -> Path:
    zipfile.ZipFile(io.BytesIO(visitor.get(f"{job}/release.zip").content)).extractall(place)
    return place / "release"


def records(release: Path) -> Counter[str]:
    manifest = json.loads((release / "manifest.json").read_text())
    frames = [pl.read_parquet(release / file["name"]) for file in manifest["files"] if file["name"].endswith(".parquet")]
    rows = [row for frame in frames for row in frame.drop("record", strict=False).to_dicts()]  # records are numbered at random
    return Counter(json.dumps(row, sort_keys=True, default=str) for row in rows)


def shown(page: str, name: str) -> str:
    found = re.search(rf'<pre class="cite" id="{name}"[^>]*>(.*?)</pre>', page, re.DOTALL)
    assert found is not None
    return unescape(re.sub(r"<[^>]+>", "", found[1]))


def wait_for(visitor: Visitor, job: str, seconds: float = 60) -> str:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = visitor.studio.job(job.rpartition("/")[2])
        assert found is not None
        if found.over:
            return found.state
        time.sleep(0.05)
    pytest.fail("the job does not end")


def begun(visitor: Visitor, job: str, stage: str) -> None:
    """Wait until a job has got to a stage."""
    folder = visitor.studio.store.folder.path / "jobs" / job.rpartition("/")[2]
    end = time.monotonic() + 60
    while not any(event.get("name") == stage for event in read_events(folder)[0]):
        assert time.monotonic() < end
        time.sleep(0.02)


def compared_cells(visitor: Visitor, job: str, done: int) -> None:
    """Wait until so many cells of a comparison are finished."""
    folder = visitor.studio.store.folder.path / "jobs" / job.rpartition("/")[2]
    end = time.monotonic() + 60
    while not any(event.get("label") == "comparing" and event["done"] >= done for event in read_events(folder)[0]):
        assert time.monotonic() < end
        time.sleep(0.02)
