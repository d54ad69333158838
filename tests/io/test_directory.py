"""A release directory appears whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from helpers.errors import refuses
from shoal.data.bags import Bags
from shoal.data.release import Release
from shoal.data.tables import KINDS
from shoal.io import partial_outputs as unfinished
from shoal.io import release_directory as module
from shoal.io.release_directory import MANIFEST, ReleaseDirectory
from shoal.io.write.output_format import OUTPUT_FORMATS
from shoal.kinds.bags.write import write_records


def names(place: Path) -> list[str]:
    return sorted(p.name for p in place.iterdir())


def fill(directory: ReleaseDirectory, text: str = "new") -> None:
    (directory.path / "records.txt").write_text(text)
    manifest = {"shoal": "0.1", "files": [{"name": "records.txt"}]}
    (directory.path / MANIFEST).write_text(json.dumps(manifest))


def old_release(target: Path) -> None:
    with ReleaseDirectory(target) as directory:
        fill(directory, "old")


def test_the_directory_appears_when_all_went_well(tmp_path):
    with ReleaseDirectory(tmp_path / "out") as directory:
        fill(directory)
        assert not (tmp_path / "out").exists()
    assert names(tmp_path) == ["out"]
    assert names(tmp_path / "out") == [MANIFEST, "records.txt"]


def test_others_may_read_it_as_the_umask_allows(tmp_path):
    old_release(tmp_path / "out")
    mask = os.umask(0)
    os.umask(mask)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o777 & ~mask


@pytest.mark.parametrize("error", [ValueError("bug"), KeyboardInterrupt(), SystemExit(2)])
def test_nothing_is_left_after_a_failure_or_an_interrupt(tmp_path, error):
    with pytest.raises(type(error)), ReleaseDirectory(tmp_path / "out") as directory:
        fill(directory)
        raise error
    assert names(tmp_path) == []


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_one_clear_line_and_nothing_is_left(tmp_path, code):
    def write() -> None:
        raise OSError(code, os.strerror(code), "somewhere")

    with refuses("disk-full") as caught, ReleaseDirectory(tmp_path / "out"):
        write()
    assert str(tmp_path / "out") in str(caught.value)
    assert names(tmp_path) == []


def test_a_disk_that_fills_up_when_files_are_brought_to_it(tmp_path, monkeypatch):
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(module.os, "fsync", full)
    with (
        refuses("disk-full"),
        ReleaseDirectory(tmp_path / "out") as directory,
    ):
        fill(directory)
    assert names(tmp_path) == []


@pytest.fixture
def tiny_disk(tmp_path):
    """A file system of 256 kB, where the system lets us have one."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("no tmpfs may be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("format", ["parquet", "csv", "jsonl", "transactions"])
def test_a_disk_that_is_really_full(tiny_disk, format):
    bags = Bags.from_lists([[os.urandom(8).hex() for _ in range(40)] for _ in range(1000)])
    release = Release.of_bags(bags, np.ones(1000, np.int64))
    with (
        refuses("disk-full"),
        ReleaseDirectory(tiny_disk / "out") as directory,
    ):
        write_records(release.bag_table, directory.path / "records", format)
    assert names(tiny_disk) == []


def test_an_existing_target_is_refused(tmp_path):
    old_release(tmp_path / "out")
    with refuses("release-exists") as caught, ReleaseDirectory(tmp_path / "out"):
        pass
    assert "force=True" in caught.value.hint
    assert (tmp_path / "out" / "records.txt").read_text() == "old"


def test_force_replaces_a_release(tmp_path):
    old_release(tmp_path / "out")
    with ReleaseDirectory(tmp_path / "out", force=True) as directory:
        fill(directory)
        assert (tmp_path / "out" / "records.txt").read_text() == "old"
    assert (tmp_path / "out" / "records.txt").read_text() == "new"
    assert names(tmp_path) == ["out"]


def test_force_keeps_the_old_release_when_the_new_one_fails(tmp_path):
    old_release(tmp_path / "out")
    with pytest.raises(ZeroDivisionError), ReleaseDirectory(tmp_path / "out", force=True) as directory:
        fill(directory)
        raise ZeroDivisionError
    assert (tmp_path / "out" / "records.txt").read_text() == "old"
    assert names(tmp_path) == ["out"]


def test_the_old_release_comes_back_when_the_new_one_cannot_be_put_in_its_place(tmp_path, monkeypatch):
    old_release(tmp_path / "out")
    rename = Path.rename

    def failing(self: Path, to: Path) -> Path:
        if self.name == unfinished.CONTENT:
            raise OSError(errno.EIO, "Input/output error")
        return rename(self, to)

    monkeypatch.setattr(Path, "rename", failing)
    with (
        refuses("not-writable"),
        ReleaseDirectory(tmp_path / "out", force=True) as directory,
    ):
        fill(directory)
    assert (tmp_path / "out" / "records.txt").read_text() == "old"
    assert names(tmp_path) == ["out"]


def test_force_replaces_an_empty_directory(tmp_path):
    (tmp_path / "out").mkdir()
    with ReleaseDirectory(tmp_path / "out", force=True) as directory:
        fill(directory)
    assert names(tmp_path / "out") == [MANIFEST, "records.txt"]


@pytest.mark.parametrize("manifest", [None, "{}", "not json", "[]", "[" * 100_000, '{"shoal": 1}', '{"shoal": "0.1", "files": []}'])
def test_force_never_deletes_what_is_not_a_release(tmp_path, manifest):
    target = tmp_path / "home"
    target.mkdir()
    (target / "thesis.tex").write_text("years of work")
    if manifest is not None:
        (target / MANIFEST).write_text(manifest)
    before = names(target)
    with (
        refuses("directory-has-other-files"),
        ReleaseDirectory(target, force=True),
    ):
        pass
    assert names(target) == before
    assert names(tmp_path) == ["home"]


def test_force_does_not_delete_what_was_added_to_a_release(tmp_path):
    old_release(tmp_path / "out")
    (tmp_path / "out" / "my notes.txt").write_text("mine")
    with refuses("directory-has-other-files"), ReleaseDirectory(tmp_path / "out", force=True):
        pass


def test_a_file_in_the_way_is_refused_even_with_force(tmp_path):
    (tmp_path / "out").write_text("a file")
    with refuses("output-is-a-file"), ReleaseDirectory(tmp_path / "out", force=True):
        pass


def test_the_parent_must_exist(tmp_path):
    with (
        refuses("no-such-directory") as caught,
        ReleaseDirectory(tmp_path / "typo" / "out"),
    ):
        pass
    assert caught.value.hint == "create it first"
    assert names(tmp_path) == []


def test_a_target_that_appears_meanwhile_is_not_touched(tmp_path):
    with refuses("release-exists"), ReleaseDirectory(tmp_path / "out") as directory:
        fill(directory)
        (tmp_path / "out").mkdir()
    assert names(tmp_path) == ["out"]
    assert names(tmp_path / "out") == []


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with ReleaseDirectory(tmp_path / "link", force=True) as directory:
        fill(directory)
    assert (tmp_path / "link").is_symlink()
    assert names(tmp_path / "real") == [MANIFEST, "records.txt"]


@pytest.mark.parametrize("format", OUTPUT_FORMATS)
def test_every_table_of_a_release_shows_that_a_damaged_one_is_a_release(tmp_path, format):
    (tmp_path / MANIFEST).write_text('{"shoal"')
    assert module.release_around(tmp_path) is None
    for table in KINDS.values():
        for name in table.names:
            for part in ("", *(f"_{part}" for part in table.part_names or ("00001",))):
                file = tmp_path / f"{name}{part}{OUTPUT_FORMATS[format]}"
                file.write_text("x")
                assert module.release_around(tmp_path / "below") == tmp_path
                file.unlink()


def test_files_are_written_only_while_it_is_open(tmp_path):
    directory = ReleaseDirectory(tmp_path / "out")
    with refuses("not-open-for-writing"):
        _ = directory.path
