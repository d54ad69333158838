"""The method that the documentation builds is a good one: it keeps the contract, and the table makes a command of it."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from helpers_data import DATASETS, on_nodes, published
from helpers_docs import ROOT, Reader, blocks
from shoal import kernels
from shoal.data.original import Original
from shoal.errors import Infeasible
from shoal.methods import METHODS, Method

PAGE = ROOT / "docs" / "adding-a-method.md"


@pytest.fixture
def chop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Method]]:
    reader = Reader(tmp_path)
    (block,) = [b for b in blocks(PAGE.read_text("utf-8")) if b.file == "chop.py"]
    reader.save(block)
    monkeypatch.syspath_prepend(str(reader.home))
    monkeypatch.delitem(sys.modules, "chop", raising=False)
    yield importlib.import_module("chop").Chop
    sys.modules.pop("chop", None)


@pytest.mark.parametrize("name", DATASETS)
def test_it_keeps_the_contract(chop: type[Method], name: str) -> None:
    data = DATASETS[name]()
    original = on_nodes(data.bags, data.taxonomy)
    for k in (2, 3):
        method = chop(k=k)  # type: ignore[call-arg]
        release = method.apply(Original.on(data.bags, data.taxonomy))
        for claim in release.claims:
            verdict = claim.check(release, original)  # type: ignore[attr-defined]
            assert verdict.holds, verdict.witnesses
        assert release.accounting is not None
        assert release.accounting.records.total == len(data.bags)
        shuffled = data.bags.select(np.random.default_rng(3).permutation(len(data.bags)))
        with kernels.using(threads=1):
            assert published(method.apply(Original.on(shuffled, data.taxonomy))) == published(release)
    with pytest.raises(Infeasible):
        chop(k=data.bags.n_owners + 1).apply(Original.on(data.bags, data.taxonomy))  # type: ignore[call-arg]


def test_its_line_in_the_table_makes_it_a_method(
    chop: type[Method], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(METHODS._places, "chop", "chop:Chop")
    from shoal.app.cli.main import run

    assert METHODS["chop"] is chop
    assert '"chop": "shoal.methods.chop:Chop",' in PAGE.read_text("utf-8")
    baskets, out = tmp_path / "baskets.txt", tmp_path / "release"
    baskets.write_text("1 2\n1 2 3\n2 3\n4\n")
    assert run(["anonymize", str(baskets), "--taxonomy", "generated", "--method", "chop", "--k", "2", "--out", str(out)]) == 0
    assert json.loads((out / "manifest.json").read_text())["method"] == "chop"
    assert run(["methods", "chop"]) == 0
    assert "this documentation" in capsys.readouterr().out
