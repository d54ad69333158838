"""What is unfinished is removed whatever interrupts, and what the dead left is told from what the living write."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from pathlib import Path

import pytest

from shoal.io import partial_outputs as unfinished
from shoal.io.release_directory import MANIFEST, ReleaseDirectory

OLD = '{"shoal": "0.1", "files": [{"name": "records.txt"}]}'


def names(place: Path) -> list[str]:
    return sorted(path.name for path in place.iterdir())


def release(place: Path, text: str) -> None:
    place.mkdir()
    (place / "records.txt").write_text(text)
    (place / MANIFEST).write_text(OLD)


def remains(target: Path, *parts: str, machine: str = "", token: str = "0123abcd", marker: bytes | None = None) -> Path:
    """As a killed run leaves it: marked, and nobody holds its lock. `parts` are releases in it, with their names as their texts."""
    place = target.with_name(f".{target.name}.{token}.{machine or unfinished.machine()}.partial")
    place.mkdir()
    (place / unfinished.MARKER).write_bytes(unfinished._marker(place.name) if marker is None else marker)
    for part in parts:
        release(place / part, part)
    return place


@pytest.mark.parametrize("interrupts", [1, 2, 7])
def test_interrupts_inside_the_removal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interrupts: int):
    """As when Polars has raised an interrupt, and Python's own comes while the directory is being removed."""
    rmtree, pending = shutil.rmtree, [KeyboardInterrupt] * interrupts

    def interrupted(name: str, *, dir_fd: int) -> None:
        if pending:
            with suppress(FileNotFoundError):
                os.unlink(f"{name}/records.txt", dir_fd=dir_fd)
            raise pending.pop()
        rmtree(name, dir_fd=dir_fd)

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
        if self.name == unfinished.CONTENT:
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
    dead = remains(tmp_path / "out", unfinished.CONTENT)
    assert unfinished.clear(tmp_path) == [f"{dead.name}, left by a killed run, was removed"]
    assert names(tmp_path) == []


def test_directories_in_any_depth_are_removed(tmp_path: Path):
    """As a run of Spark leaves them."""
    dead = remains(tmp_path / "out", unfinished.CONTENT)
    (dead / "work" / "records" / "_temporary" / "0").mkdir(parents=True)
    (dead / "work" / "records" / "_temporary" / "0" / "part.parquet").write_text("ann, flu")
    (dead / "work" / "spark" / "blockmgr" / "0c").mkdir(parents=True)
    (dead / "work" / "spark" / "blockmgr" / "0c" / "shuffle_0_0_0.data").write_text("ann, flu")
    assert len(unfinished.clear(tmp_path)) == 1
    assert names(tmp_path) == []


def test_links_inside_are_removed_and_not_followed(tmp_path: Path):
    release(tmp_path / "home", "mine")
    dead = remains(tmp_path / "out")
    (dead / "work").symlink_to(tmp_path / "home")
    (dead / "deeper").mkdir()
    (dead / "deeper" / "link").symlink_to(tmp_path / "home")
    (dead / "deeper" / "file").symlink_to(tmp_path / "home" / "records.txt")
    unfinished.clear(tmp_path)
    assert names(tmp_path) == ["home"]
    assert (tmp_path / "home" / "records.txt").read_text() == "mine"


def test_a_release_that_a_killed_run_had_moved_aside_comes_back(tmp_path: Path):
    dead = remains(tmp_path / "out", unfinished.CONTENT, unfinished.REPLACED)
    (line,) = unfinished.clear(tmp_path)
    assert line.startswith(f"{dead.name}, left by a killed run, was removed; ")
    assert line.endswith("restored as out")
    assert names(tmp_path) == ["out"]
    assert (tmp_path / "out" / "records.txt").read_text() == unfinished.REPLACED


@pytest.mark.parametrize("failures", [1, unfinished.ATTEMPTS])
def test_a_release_that_came_back_is_named_even_if_the_removal_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failures: int):
    dead = remains(tmp_path / "out", unfinished.CONTENT, unfinished.REPLACED)
    rmdir, pending = Path.rmdir, [OSError(16, "Device or resource busy")] * failures

    def busy(self: Path) -> None:
        if pending:
            raise pending.pop()
        rmdir(self)

    monkeypatch.setattr(Path, "rmdir", busy)
    (line,) = unfinished.clear(tmp_path)
    outcome = "was removed" if failures == 1 else "cannot be removed"
    assert line == f"{dead.name}, left by a killed run, {outcome}; the release that it had replaced was restored as out"
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
    dead = remains(tmp_path / "out", unfinished.CONTENT, unfinished.REPLACED)
    (dead / "work").mkdir()
    (line,) = unfinished.clear(tmp_path)
    assert "still holds replaced" in line
    assert names(dead) == [unfinished.MARKER, unfinished.REPLACED]
    assert (tmp_path / "out" / "records.txt").read_text() == "a stranger's"
    (tmp_path / "out").rename(tmp_path / "theirs")
    unfinished.clear(tmp_path)
    assert names(tmp_path) == ["out", "theirs"]
    assert (tmp_path / "out" / "records.txt").read_text() == unfinished.REPLACED


LIVING = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from shoal.io import partial_outputs as unfinished
    unfinished.begin(Path("out"))
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
    assert unfinished.clear(tmp_path) == [f"{elsewhere.name} belongs to a run on another machine ({platform.node()}) and was kept"]
    assert elsewhere.exists()
    (found,) = unfinished.leftovers(tmp_path, any_machine=True)
    assert unfinished.remove(found, any_machine=True).done == "removed"
    assert names(tmp_path) == []


def test_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    theirs = remains(tmp_path / "out")
    monkeypatch.setattr(unfinished.os, "geteuid", lambda: os.getuid() + 1)
    assert unfinished.clear(tmp_path) == [f"{theirs.name} belongs to another user and was kept"]
    assert theirs.exists()


def test_another_user_whose_directory_cannot_be_opened(tmp_path: Path, as_nobody: Callable[[], AbstractContextManager[None]]):
    theirs = remains(tmp_path / "out")
    theirs.chmod(0o700)
    with as_nobody():
        assert unfinished.clear(Path()) == [f"{theirs.name} belongs to another user and was kept"]
    assert (theirs / unfinished.MARKER).exists()


def test_a_directory_of_ones_own_that_cannot_be_opened(tmp_path: Path, as_nobody: Callable[[], AbstractContextManager[None]]):
    own = remains(tmp_path / "out")
    os.chown(own, 65534, -1)
    own.chmod(0)
    with as_nobody():
        assert unfinished.clear(Path()) == [f"{own.name} cannot be read and was kept"]


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def none(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(unfinished.fcntl, "flock", none)
    dead = remains(tmp_path / "out")
    assert unfinished.clear(tmp_path) == []
    with ReleaseDirectory(tmp_path / "new") as directory:
        (directory.path / "records.txt").write_text("new")
    assert names(tmp_path) == [dead.name, "new"]


def test_a_lock_of_java_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Java of a killed Spark run may live, and write, a little longer than the run itself."""
    dead = remains(tmp_path / "out", unfinished.CONTENT)
    holder = "import fcntl, sys; f = open(sys.argv[1], 'w'); fcntl.lockf(f, fcntl.LOCK_EX); print('held', flush=True); sys.stdin.read()"
    words = [sys.executable, "-c", holder, str(dead / unfinished.JAVA_LOCK)]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    monkeypatch.setattr(unfinished, "JAVA_SECONDS", 0.2)
    assert unfinished.clear(tmp_path) == []
    assert dead.exists()
    monkeypatch.setattr(unfinished, "JAVA_SECONDS", 30)
    with ThreadPoolExecutor() as pool:
        clearing = pool.submit(unfinished.clear, tmp_path)
        time.sleep(0.3)
        assert not clearing.done()
        process.kill()
        process.communicate()
        assert len(clearing.result()) == 1
    assert names(tmp_path) == []


@pytest.mark.parametrize("kind", ["directory", "link to itself"])
def test_a_lock_of_java_that_is_no_file_makes_no_other_run_fail(tmp_path: Path, kind: str):
    odd = remains(tmp_path / "out", unfinished.CONTENT)
    if kind == "directory":
        (odd / unfinished.JAVA_LOCK).mkdir()
    else:
        (odd / unfinished.JAVA_LOCK).symlink_to(odd / unfinished.JAVA_LOCK)
    assert unfinished.clear(tmp_path) == [f"{odd.name} has no marker of shoal and was kept"]
    assert (odd / unfinished.CONTENT / "records.txt").exists()


def of_name(name: str) -> bytes:
    return unfinished._marker(name)


NAME = f".out.0123abcd.{unfinished.machine()}.partial"
MARKERS = {
    "no content": b"",
    "of another directory": of_name(NAME.replace("out", "thesis")),
    "other text": of_name(NAME).replace(b"Unfinished", b"Finished"),
    "not JSON": b"shoal",
    "a list": b"[]",
    "a number": b"1",
    "nested deeply": b"[" * 4000,
    "too long": of_name(NAME) + b" " * 5000,
}


@pytest.mark.parametrize("marker", MARKERS.values(), ids=MARKERS)
def test_a_directory_whose_marker_is_not_its_own_is_left_alone(tmp_path: Path, marker: bytes):
    place = remains(tmp_path / "out", "thesis", marker=marker)
    assert unfinished.clear(tmp_path) == [f"{place.name} has no marker of shoal and was kept"]
    assert (place / "thesis" / "records.txt").read_text() == "thesis"


def test_a_directory_without_a_marker_is_left_alone(tmp_path: Path):
    release(tmp_path / NAME, "mine")
    assert unfinished.clear(tmp_path) == [f"{NAME} has no marker of shoal and was kept"]
    assert (tmp_path / NAME / "records.txt").read_text() == "mine"


@pytest.mark.parametrize("kind", ["link", "directory", "pipe"])
def test_a_marker_that_is_no_file_is_no_marker(tmp_path: Path, kind: str):
    release(tmp_path / NAME, "mine")
    marker = tmp_path / NAME / unfinished.MARKER
    if kind == "link":
        (tmp_path / "elsewhere").write_bytes(of_name(NAME))
        marker.symlink_to(tmp_path / "elsewhere")
    elif kind == "directory":
        marker.mkdir()
    else:
        os.mkfifo(marker)
    assert "was kept" in unfinished.clear(tmp_path)[0]
    assert (tmp_path / NAME / "records.txt").read_text() == "mine"


def test_names_that_are_only_similar_files_and_links_are_left_alone(tmp_path: Path):
    home = tmp_path / "home"
    release(home, "mine")
    (home / unfinished.MARKER).write_bytes(of_name(NAME))
    (tmp_path / NAME).symlink_to(home)
    (tmp_path / NAME.replace("out", "file")).write_text("mine")
    similar = [".out.partial", ".out.0123abcd.partial", f"out.0123abcd.{unfinished.machine()}.partial", ".partial"]
    for each in similar:
        (tmp_path / each).mkdir()
        (tmp_path / each / unfinished.MARKER).write_bytes(of_name(each))
    before = names(tmp_path)
    unfinished.clear(tmp_path)
    assert names(tmp_path) == before
    assert (home / "records.txt").read_text() == "mine"


def test_a_run_that_was_killed_before_it_had_marked_its_directory(tmp_path: Path):
    (tmp_path / NAME).mkdir()
    other = remains(tmp_path / "other", marker=b"")
    assert len(unfinished.clear(tmp_path)) == 2
    assert names(tmp_path) == []
    assert not other.exists()


def test_a_run_that_marks_its_directory_while_it_is_examined_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A living run is between mkdir and its marker when another run looks, and goes on before that one removes anything."""
    living, count = tmp_path / NAME, unfinished._count
    living.mkdir(mode=0o700)
    (found,) = unfinished.leftovers(tmp_path)
    assert found.state == unfinished.DEAD

    def then_marked(directory: int) -> int:
        entries = count(directory)
        if not entries:
            assert unfinished._mark(living)
            (living / unfinished.CONTENT).mkdir()
        return entries

    monkeypatch.setattr(unfinished, "_count", then_marked)
    removal = unfinished.remove(found)
    assert names(living) == [unfinished.MARKER, unfinished.CONTENT]
    assert (removal.done, removal.leftover.state) == ("", unfinished.ALIVE)
    unfinished.discard(living)
    assert names(tmp_path) == []


def test_what_another_run_removes_first_is_done(tmp_path: Path):
    for dead in (remains(tmp_path / "out"), tmp_path / NAME.replace("out", "empty")):
        dead.mkdir(exist_ok=True)
        found = unfinished.examined(dead)
        assert unfinished.remove(found).done == "removed"
        again = unfinished.remove(found)
        assert (again.done, again.left) == ("already removed", "")


def test_a_directory_that_is_swapped_before_it_is_removed_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Whoever puts another directory in its place at the last moment loses nothing."""
    dead = remains(tmp_path / "out", unfinished.CONTENT)
    release(tmp_path / "home", "mine")
    removing = unfinished._remove

    def swapped(path: Path, directory: int, late: float = 0) -> str:
        if not (tmp_path / "moved").exists():
            dead.rename(tmp_path / "moved")
            (tmp_path / "home").rename(dead)
        return removing(path, directory, late)

    monkeypatch.setattr(unfinished, "_remove", swapped)
    unfinished.clear(tmp_path)
    assert (dead / "records.txt").read_text() == "mine"


def test_a_run_that_loses_its_directory_before_it_has_the_lock_begins_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    mkdir, stolen = os.mkdir, []

    def stealing(path: Path, mode: int) -> None:
        mkdir(path, mode)
        if not stolen:
            stolen.append(path)
            path.rmdir()

    monkeypatch.setattr(unfinished.os, "mkdir", stealing)
    path = unfinished.begin(tmp_path / "out")
    assert path != stolen[0]
    assert path.is_dir()
    unfinished.discard(path)
    assert names(tmp_path) == []


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_nobody_else_may_open_it_whatever_the_umask_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mask: int):
    modes, mkdir = [], os.mkdir

    def seen(path: Path, mode: int = 0o777, **more: object) -> None:
        mkdir(path, mode, **more)
        modes.append(os.lstat(path).st_mode & 0o777)

    old = os.umask(mask)
    try:
        with monkeypatch.context() as patched:
            patched.setattr(unfinished.os, "mkdir", seen)
            path = unfinished.begin(tmp_path / "out")
        assert modes == [0o700], "from the first moment"
        assert (path / unfinished.MARKER).stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(old)
        unfinished.discard(path)


def test_temporary_files_are_inside_what_is_being_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    elsewhere = tmp_path / "tmp"
    elsewhere.mkdir()
    monkeypatch.setattr(unfinished, "gettempdir", lambda: str(elsewhere))
    with ReleaseDirectory(tmp_path / "out") as directory, unfinished.temporary_directory() as place:
        assert directory.path.parent in place.parents
        assert place.stat().st_mode & 0o777 == 0o700
    remains(elsewhere / "shoal")
    with unfinished.temporary_directory() as place:
        assert place.parent == elsewhere
        assert names(elsewhere) == [place.name], "and what a killed run left there is gone"
    assert names(elsewhere) == []
