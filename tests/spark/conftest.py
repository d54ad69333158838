"""One session of Spark for all tests here; they skip where Java or pyspark is absent."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.cluster import SHORT_RUNS


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    lacking = "pyspark" if importlib.util.find_spec("pyspark") is None else "Java" if shutil.which("java") is None else ""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore"))  # pyspark warns of newer versions of other libraries
            if lacking:
                item.add_marker(pytest.mark.skip(reason=f"{lacking} is not installed"))


@pytest.fixture(scope="session")
def session() -> Iterator[Any]:
    """Two cores of this machine."""
    from shoal.cluster.spark import Cluster

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("JAVA_TOOL_OPTIONS", SHORT_RUNS)
    found = Cluster.at("local[2]", Path()).session
    found.conf.set("spark.sql.shuffle.partitions", "2")  # 200 unless said otherwise, which is slow for a few rows
    yield found
    found.stop()


@pytest.fixture
def spoil(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Any], None]:
    """Changes what a step made before it is stored, so that the judge has something to find."""
    from shoal.cluster.spark import Cluster

    def change_step(step: str, change: Any) -> None:
        stored = Cluster.store
        monkeypatch.setattr(Cluster, "store", lambda self, made, name: stored(self, change(made) if name == step else made, name))

    return change_step


@pytest.fixture
def spoil_tables(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, str, Any], None]:
    """Changes the tables that the tasks of a step make, in a module that stores or sends them: with a lambda, which workers can load."""

    def change_step(module: Any, step: str, change: Any) -> None:
        def changed(work: Any) -> Any:
            def spoiled(shared: Any, part: int, table: Any) -> Any:
                yield from (made if isinstance(made, str) or not len(made) else change(made) for made in work(shared, part, table))

            return spoiled

        sent, stored = getattr(module, "sent", None), getattr(module, "stored", None)

        def sent_on(cluster: Any, name: str, work: Any, *more: Any) -> Any:
            return sent(cluster, name, [(source, changed(task) if name == step else task) for source, task in work], *more)

        def stored_there(cluster: Any, source: Any, work: Any, shared: Any, name: str) -> Any:
            return stored(cluster, source, changed(work) if name == step else work, shared, name)

        if sent is not None:
            monkeypatch.setattr(module, "sent", sent_on)
        if stored is not None:
            monkeypatch.setattr(module, "stored", stored_there)

    return change_step
