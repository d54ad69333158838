"""What is unfinished is removed whatever interrupts, and what the dead left is told from what the living write."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from shoal.io import unfinished
from shoal.io.directory import MANIFEST, ReleaseDirectory

OLD = '{"shoal": "0.1", "files": [{"name": "records.txt"}]}'


def names(place: Path) -> list[str]:
    return sorted(path.name for path in place.iterdir())


def release(place: Path, text: str) -> None:
    place.mkdir()
    (place / "records.txt").write_text(text)
    (place / MANIFEST).write_text(OLD)


def remains(target: Path, state: str = unfinished.PARTIAL, machine: str = "", token: str = "0123abcd") -> Path:
    """As a killed run leaves it: nobody holds its lock."""
    place = target.with_name(f".{target.name}.{token}.{machine or unfinished.machine()}.{state}")
    release(place, state)
    return place


@pytest.mark.parametrize("interrupts", [1, 2, 7])
def test_interrupts_inside_the_removal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interrupts: int):
    """As when Polars has raised an interrupt, and Python's own comes while the directory is being removed."""
    rmtree, pending = shutil.rmtree, [KeyboardInterrupt] * interrupts

    def interrupted(path: Path) -> None:
        if pending:
            (path / "records.txt").unlink(missing_ok=True)
            raise pending.pop()
        rmtree(path)

    monkeypatch.setattr(unfinished.shutil, "rmtree", interrupted)
    with pytest.raises(KeyboardInterrupt), ReleaseDirectory(tmp_path / "out") as directory:
        (directory.path / "records.txt").write_text("half")
        (directory.path / "more.txt").write_text("half")
        raise KeyboardInterrupt
    assert names(tmp_path) == []


def test_an_interrupt_before_the_removal_has_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The last look of the program finds what the `with` could not remove."""

    def interrupted(path: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(unfinished, "discard", interrupted)
        with pytest.raises(KeyboardInterrupt), ReleaseDirectory(tmp_path / "out"):
            raise ValueError
    assert len(names(tmp_path)) == 1
    assert unfinished.settle() == []
    assert names(tmp_path) == []


def test_an_interrupt_between_the_two_renames_brings_the_old_release_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    release(tmp_path / "out", "old")
    rename, discard = Path.rename, unfinished.discard

    def interrupted(self: Path, to: Path) -> Path:
        if self.name.endswith(unfinished.PARTIAL):
            raise KeyboardInterrupt
        return rename(self, to)

    def lost(path: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "rename", interrupted)
    monkeypatch.setattr(unfinished, "discard", lost)
    with pytest.raises(KeyboardInterrupt), ReleaseDirectory(tmp_path / "out", force=True) as directory:
        (directory.path / "records.txt").write_text("new")
    monkeypatch.setattr(unfinished, "discard", discard)
    assert "out" not in names(tmp_path)
    assert unfinished.settle() == []
    assert names(tmp_path) == ["out"]
    assert (tmp_path / "out" / "records.txt").read_text() == "old"


def test_what_a_killed_run_left_is_removed_and_said(tmp_path: Path):
    dead = remains(tmp_path / "out")
    assert unfinished.clear(tmp_path) == [f"{dead.name}, left by a run that was killed, was removed"]
    assert names(tmp_path) == []


def test_a_release_that_a_killed_run_had_moved_aside_comes_back(tmp_path: Path):
    remains(tmp_path / "out")
    aside = remains(tmp_path / "out", unfinished.REPLACED)
    told = unfinished.clear(tmp_path)
    assert f"{aside.name}, left by a run that was killed, was put back as out" in told
    assert names(tmp_path) == ["out"]
    assert (tmp_path / "out" / "records.txt").read_text() == unfinished.REPLACED


def test_a_release_that_was_replaced_goes_if_the_new_one_is_there(tmp_path: Path):
    release(tmp_path / "out", "new")
    remains(tmp_path / "out", unfinished.REPLACED)
    assert len(unfinished.clear(tmp_path)) == 1
    assert names(tmp_path) == ["out"]
    assert (tmp_path / "out" / "records.txt").read_text() == "new"


def test_a_release_that_waits_is_kept_if_a_stranger_took_its_place(tmp_path: Path):
    """The new release never got its name, so what bears it is neither the old nor the new one."""
    release(tmp_path / "out", "a stranger's")
    remains(tmp_path / "out")
    aside = remains(tmp_path / "out", unfinished.REPLACED)
    unfinished.clear(tmp_path)
    assert aside.exists()
    assert (tmp_path / "out" / "records.txt").read_text() == "a stranger's"


LIVING = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from shoal.io import unfinished
    unfinished.begin(Path("out"), directory=True)
    print("begun", flush=True)
    sys.stdin.read()
    """
)


def test_a_living_run_is_left_alone_until_it_is_dead(tmp_path: Path):
    process = subprocess.Popen([sys.executable, "-c", LIVING], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"begun\n"
    before = names(tmp_path)
    assert unfinished.clear(tmp_path) == []
    assert names(tmp_path) == before
    process.kill()
    process.communicate()
    assert len(unfinished.clear(tmp_path)) == 1
    assert names(tmp_path) == []


def test_our_own_unfinished_ones_are_left_alone(tmp_path: Path):
    with ReleaseDirectory(tmp_path / "out") as directory:
        assert ReleaseDirectory(tmp_path / "other").clear() == []
        assert directory.path.exists()


def test_another_machine_on_a_shared_disk(tmp_path: Path):
    elsewhere = remains(tmp_path / "out", machine="f" * 8)
    assert unfinished.clear(tmp_path) == [f"{elsewhere.name} may be of a run on another machine or of another user, and was left alone"]
    assert elsewhere.exists()


def test_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    theirs = remains(tmp_path / "out")
    monkeypatch.setattr(unfinished.os, "geteuid", lambda: os.getuid() + 1)
    assert "left alone" in unfinished.clear(tmp_path)[0]
    assert theirs.exists()


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def none(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(unfinished.fcntl, "flock", none)
    dead = remains(tmp_path / "out")
    assert unfinished.clear(tmp_path) == []
    with ReleaseDirectory(tmp_path / "new") as directory:
        (directory.path / "records.txt").write_text("new")
    assert names(tmp_path) == [dead.name, "new"]


def test_what_is_not_surely_ours(tmp_path: Path):
    """A link, a directory with directories in it, and names that are only similar."""
    home = tmp_path / "home"
    home.mkdir()
    name = f".out.0123abcd.{unfinished.machine()}.partial"
    (tmp_path / name).symlink_to(home)
    nested = remains(tmp_path / "other")
    (nested / "thesis").mkdir()
    similar = [".out.partial", ".out.0123abcd.partial", f"out.0123abcd.{unfinished.machine()}.partial", ".partial"]
    for each in similar:
        (tmp_path / each).mkdir()
    before = names(tmp_path)
    unfinished.clear(tmp_path)
    assert names(tmp_path) == before


def test_a_run_that_loses_its_directory_before_it_has_the_lock_begins_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    mkdir, stolen = Path.mkdir, []

    def stealing(self: Path) -> None:
        mkdir(self)
        if not stolen:
            stolen.append(self)
            self.rmdir()

    monkeypatch.setattr(Path, "mkdir", stealing)
    path = unfinished.begin(tmp_path / "out", directory=True)
    assert path != stolen[0]
    assert path.is_dir()
    unfinished.discard(path)
    assert names(tmp_path) == []
