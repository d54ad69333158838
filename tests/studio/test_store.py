"""The store of a studio: it shows what the files of its folder have now, without reading what has not changed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from shoal.io.studio_folder import EVENTS, JOBS, SOURCES, EventFile, StudioFolder, write_toml
from shoal.studio import store as module
from shoal.studio.store import JOB, SOURCE, UPLOAD, OpenedFile, Store, StoredJob

HOUR = 3600


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    yield Store(StudioFolder(tmp_path / "studio"))


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that were read, in order."""
    found: list[Path] = []
    before = module.read_toml

    def noted(path: Path) -> Mapping[str, Any]:
        found.append(path)
        return before(path)

    monkeypatch.setattr(module, "read_toml", noted)
    return found


def aged(path: Path, seconds: float) -> None:
    """Let a file look as if it was written so long ago."""
    then = time.time() - seconds
    os.utime(path, (then, then))


def opened(store: Store) -> OpenedFile:
    return store.add_source(store.folder.new(SOURCES), "a.csv", Path("a.csv"), UPLOAD)


def job(store: Store, folder: Path) -> StoredJob:
    found = store.job(folder.name, {})
    assert found is not None
    return found


def test_a_file_that_did_not_change_is_read_once(store: Store, read: list[Path]) -> None:
    source = opened(store)
    aged(source.folder / SOURCE, HOUR)
    for _ in range(3):
        assert store.sources() == [source]
    assert read == [source.folder / SOURCE]


def test_a_change_is_seen_even_if_size_and_time_stay(store: Store) -> None:
    source = opened(store)
    for name in ("b.csv", "c.csv", "d.csv"):
        aged(source.folder / SOURCE, HOUR)
        assert store.source(source.identity) == source
        source = source.save(name=name)  # of the same length
        os.utime(source.folder / SOURCE, (time.time() - HOUR, time.time() - HOUR))
        assert store.source(source.identity) == source


def test_changes_in_quick_succession_are_seen(store: Store) -> None:
    source = opened(store)
    for number in range(200):
        source = source.save(name=f"{number:03}.csv")
        assert store.source(source.identity) == source


def test_a_file_that_was_removed_is_not_shown(store: Store) -> None:
    source = opened(store)
    aged(source.folder / SOURCE, HOUR)
    assert store.sources() == [source]
    (source.folder / SOURCE).unlink()
    assert store.sources() == []
    write_toml(source.folder / SOURCE, {"name": 1, "unknown": 2})
    assert store.sources() == []


def test_events_are_those_of_the_file_at_any_time(store: Store) -> None:
    folder = store.add_job("publish")
    assert job(store, folder).events == ()
    events = EventFile(folder)
    for number in range(20):
        events.write({"event": "note", "text": str(number)})
        if number % 3 == 0:
            assert job(store, folder).texts("note") == [str(n) for n in range(number + 1)]
    with (folder / EVENTS).open("ab") as file:
        file.write(b'{"event": "note", "text": "the beg')
        file.flush()
        assert len(job(store, folder).events) == 20
        file.write(b'inning"}\n')
        file.flush()
        assert job(store, folder).texts("note")[-1] == "the beginning"
    events.write({"event": "end", "state": "done"})
    events.close()
    assert job(store, folder).state == "done"
    assert Store(store.folder).job(folder.name, {}) == job(store, folder)


def test_a_job_without_its_description_is_none(store: Store) -> None:
    folder = store.add_job("publish")
    aged(folder / JOB, HOUR)
    assert [one.folder for one in store.jobs(["publish"], {})] == [folder]
    (folder / JOB).unlink()
    assert store.jobs(["publish"], {}) == []
    assert store.folder.all(JOBS) == [folder]
