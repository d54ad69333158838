"""Nothing unpublished leaves with a release: no word, no user, no name of a file, and no number that depends on which word it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from helpers.cli import Shell
from helpers.leaks import (
    CANARY,
    Case,
    NoNoise,
    Spelling,
    Stream,
    canaries_in,
    cases,
    digests_of_files,
    disguises,
    files_of,
    published_canaries,
    texts_of,
)
from shoal.data.tables.counts import CountTable

CASES = [
    pytest.param(case, format, id=" ".join(f"{case.method} {case.label} {format}".split())) for case in cases() for format in case.formats
]
PEOPLE = "u"  # canaries of users: never published


@pytest.fixture
def repeatable(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The same random numbers in every run, and no noise."""
    monkeypatch.setattr("shoal.noise.mechanisms._opendp", NoNoise)
    monkeypatch.setattr(CountTable, "shuffled", lambda self: self.frame.sort(self.frame.columns))  # counted in any order
    return monkeypatch


def release_of(case: Case, format: str, name: Spelling, shell: Shell, patch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The directories of the input and of the release of one spelling."""
    given = shell.directory / f"{'renamed' if name.renamed else 'first'}-{name('z')}"
    given.mkdir()
    out = shell.directory / f"out-{'renamed' if name.renamed else 'first'}-{name('z', 1)}"
    stream = Stream()
    patch.setattr("shoal.data.fresh.entropy", stream)
    patch.setattr("shoal.keyed.keys.secrets.token_bytes", stream)
    answer = shell(*case.typed(name, given, format, out))
    assert answer.code == 0, answer.everything
    shown = {stem for stem in canaries_in([answer.everything]) if stem[2] in "wuhpgrdtn"} - published_canaries(out)
    assert not shown, f"the terminal names {sorted(shown)}"
    return given, out


@pytest.mark.parametrize(("case", "format"), CASES)
def test_unpublished_words_leave_no_trace(case: Case, format: str, shell: Shell, repeatable: pytest.MonkeyPatch) -> None:
    """Found in no file, in no disguise; and spelled otherwise they give the same files, byte for byte."""
    given, out = release_of(case, format, Spelling(), shell, repeatable)
    files, published = files_of(out), published_canaries(out)
    read = canaries_in(_of_input(given))
    hidden = read - published
    assert not {stem for stem in published if stem[2] == PEOPLE}, "users are published"
    assert {stem for stem in read if stem[2] == PEOPLE} <= hidden
    for name, content in files.items():
        texts = list(texts_of(name, content))
        found = canaries_in(texts) - published
        assert not found, f"{name} has {sorted(found)}"
        lower = " ".join(texts).lower()
        told = [disguise for stem in sorted(hidden) for disguise in disguises(stem + "a") if disguise.lower() in lower]
        assert not told, f"{name} has digests of {told}"
        assert not [digest for digest in digests_of_files(given) if digest in lower]
    _, again = release_of(case, format, Spelling(hidden), shell, repeatable)
    _same_files(case, files, files_of(again))


def _of_input(given: Path) -> list[str]:
    places = [place for place in given.rglob("*") if place.is_file()]
    return [str(given), *(str(place) for place in places), *(place.read_text() for place in places)]


def _same_files(case: Case, before: dict[str, bytes], after: dict[str, bytes]) -> None:
    assert before.keys() == after.keys()
    manifests = [_without_loose(json.loads(files["manifest.json"]), case) for files in (before, after)]
    assert manifests[0] == manifests[1]
    if not case.loose:
        assert [name for name, content in before.items() if content != after[name]] == []


def _without_loose(manifest: dict[str, Any], case: Case) -> dict[str, Any]:
    """Without the digests of files that may differ."""
    if not case.loose:
        return manifest
    files = [{key: value for key, value in file.items() if key != "sha256"} for file in manifest["files"]]
    return {key: value for key, value in manifest.items() if key != "sha256"} | {"files": files}


def test_the_search_finds_what_it_looks_for(tmp_path: Path) -> None:
    """Each disguise, and each way of packing."""
    for told in disguises("qzw07a"):
        assert told.lower() in " ".join(texts_of("report.html", f"<p>{told}</p>".encode())).lower()
    assert canaries_in(texts_of("x.json", b'{"a": "\\u0071zw07a"}')) == {"qzw07"}
    assert CANARY.search("QZW07A")
