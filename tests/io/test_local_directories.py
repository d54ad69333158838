"""Local directories of Spark for one run: private, marked, and gone at the end."""

from __future__ import annotations

from pathlib import Path

from shoal.io import partial_outputs as unfinished
from shoal.io.local_directories import local_directories


def test_without_configured_ones_it_is_inside_the_work(tmp_path: Path) -> None:
    with local_directories(tmp_path) as choose:
        (place,) = choose([])
        assert place.parent == tmp_path
        assert place.stat().st_mode & 0o777 == 0o700


def test_configured_ones_hold_a_marked_directory_each(tmp_path: Path) -> None:
    roots = [tmp_path / "a", tmp_path / "not there" / "b"]
    killed = roots[0] / f".shoal-spark.0123abcd.{unfinished.machine()}.partial"
    (killed / "blockmgr").mkdir(parents=True)
    (killed / unfinished.MARKER).write_bytes(unfinished._marker(killed.name))
    (roots[0] / "mine").mkdir()
    with local_directories(tmp_path) as choose:
        places = choose(roots)
        assert [place.parent for place in places] == roots
        assert all(place.stat().st_mode & 0o777 == 0o700 for place in places)
        assert [one.state for root in roots for one in unfinished.leftovers(root)] == [], "they are in use"
        assert not killed.exists()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "b", "mine", "not there"]
