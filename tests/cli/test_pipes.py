"""Named pipes, sockets and devices are refused wherever a file is named; none is ever waited for."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

from helpers.cli import Shell, failed, one_line

LONGEST_WAIT = 20

ANONYMIZE = ["anonymize", "baskets.txt", "--out", "new"]
FOOD = ["--taxonomy", "food.csv"]

PLACES: dict[str, list[str]] = {
    "input": ["anonymize", "odd", "--out", "new", *FOOD],
    "taxonomy": [*ANONYMIZE, "--taxonomy", "odd"],
    "taxonomy checked": ["taxonomy", "check", "odd"],
    "config": [*ANONYMIZE, "--config", "odd"],
    "sensitive items": [*ANONYMIZE, *FOOD, "--sensitive", "odd"],
    "private items": [*ANONYMIZE, *FOOD, "--method", "coherence", "--private", "odd"],
    "weights": [*ANONYMIZE, *FOOD, "--method", "coherence", "--il", "weights", "--weights", "odd"],
    "release": ["audit", "odd"],
    "original": ["audit", "release", "--original", "odd", *FOOD],
    "original measured": ["measure", "release", "--original", "odd", *FOOD],
    "items of a claim": ["audit", "release", "--claim", "sensitive-share(h=0.5, items=odd)"],
}


@pytest.fixture(autouse=True)
def nothing_waits() -> Iterator[None]:
    """A test that waits for a pipe fails instead of hanging."""

    def too_long(number: int, frame: FrameType | None) -> None:
        raise TimeoutError("a command waited")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(LONGEST_WAIT)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def pipe(place: Path) -> None:
    os.mkfifo(place)


def listening_socket(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(place.name if place.parent == Path.cwd() else os.path.relpath(place))


def endless_device(place: Path) -> None:
    place.symlink_to("/dev/zero")


ODD = {"pipe": pipe, "socket": listening_socket, "device": endless_device}


@pytest.mark.parametrize("what", ODD)
@pytest.mark.parametrize("place", PLACES)
def test_a_file_that_is_none_is_refused(kitchen: Shell, place: str, what: str):
    ODD[what](kitchen.directory / "odd")
    assert "odd" in failed(kitchen(*PLACES[place]), "not-a-regular-file")
    assert "new" not in kitchen.names()


@pytest.mark.parametrize("what", ODD)
@pytest.mark.parametrize("name", ["manifest.json", "records.csv", "report.html"])
@pytest.mark.parametrize("original", [[], ["--original", "baskets.txt", *FOOD]], ids=["alone", "with the original"])
def test_a_part_of_a_release_that_is_no_file(kitchen: Shell, name: str, what: str, original: list[str]):
    (kitchen.directory / "release" / name).unlink()
    ODD[what](kitchen.directory / "release" / name)
    assert f"{name} is a pipe or a device" in one_line(kitchen("audit", "release", *original))


@pytest.mark.parametrize("what", ODD)
def test_a_release_to_be_replaced_whose_manifest_is_no_file(kitchen: Shell, what: str):
    (kitchen.directory / "release" / "manifest.json").unlink()
    ODD[what](kitchen.directory / "release" / "manifest.json")
    line = one_line(kitchen("anonymize", "baskets.txt", *FOOD, "--out", "release", "--force"))
    assert "files that are not part of a shoal release" in line
