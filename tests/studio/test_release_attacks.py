"""Attacks on a release from its page, and product tables that are joined when a file is opened."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from helpers.cli import Shell
from helpers.studio import GOODS, HERE, Visitor, baskets_csv, records, shown, unzipped
from shoal.studio.requested import own_files
from shoal.studio.states import DONE, PUBLISH


def published(visitor: Visitor, address: str, method: str, **settings: str) -> str:
    """A release of an opened file; the address of its job."""
    source = visitor.studio.store.source(address.rpartition("/")[2])
    assert source is not None
    task = {"path": source.path, "typed": source.typed, "origin": "upload", "protects": "x", "expected": "x", "name": source.name}
    options = dict(source.options)
    job = visitor.studio.begin(PUBLISH, **task, files=own_files(visitor.studio, options), method=method, options=options, settings=settings)
    return f"/jobs/{job.name}"


def opened(visitor: Visitor) -> str:
    address = visitor.open(baskets_csv(), "baskets.csv")
    visitor.post(f"{address}/confirm", people="yes")
    return address


def test_a_release_is_attacked_as_its_command_attacks_it(visitor: Visitor, shell: Shell, tmp_path: Path) -> None:
    release = published(visitor, opened(visitor), "coherence", k="3", p="1")
    assert "Attack it" in visitor.get(release).text
    answer = visitor.post(f"{release}/attack", quick="yes")
    assert "<h2>Strongest attacks</h2>" in answer.text
    job = visitor.studio.job(answer.url.path.rpartition("/")[2])
    assert job is not None
    assert job.state == DONE
    unzipped(visitor, release, tmp_path)
    shell.file("baskets.csv", baskets_csv())
    words = [str(tmp_path / "release") if word == "release" else word for word in shlex.split(shown(answer.text, "command"))[1:]]
    typed = json.loads(shell(*words, "--json").out)
    assert typed["holds"] is job.result["holds"] is True
    assert typed["verdict"]["in_fact"] == job.result["in_fact"]
    assert [row["attack"] for row in job.result["worst"]] == [one["attack"] for one in typed["tests"].values()]
    assert "Attacks on a release of <bdi>baskets.csv</bdi>" in visitor.get("/history").text


def test_what_is_no_release_is_not_attacked(visitor: Visitor) -> None:
    source = visitor.studio.store.source(opened(visitor).rpartition("/")[2])
    assert source is not None
    assert visitor.post(f"/jobs/{source.look}/attack").status_code == 404
    release = published(visitor, opened(visitor), "coherence", k="3", p="1")
    assert visitor.client.post(f"{release}/attack", data={"quick": "yes"}, headers={"origin": HERE}).status_code == 403


# -- product tables


def test_a_product_table_is_joined_and_a_level_published(visitor: Visitor, shell: Shell, tmp_path: Path) -> None:
    address = opened(visitor)
    assert visitor.upload(GOODS.encode(), "goods.csv", f"{address}/items").json() == {"location": address}
    assert "not clear which column" in visitor.get(address).text  # a question, which is answered
    assert visitor.post(f"{address}/items-options", item_level="shelf").status_code == 400
    page = visitor.post(f"{address}/items-options", items_name="product").text
    assert "goods.csv</bdi> is joined to the items" in page
    assert 'scope="row" class="cell">aisle<' in page
    visitor.post(f"{address}/items-options", item_level="aisle", items_name="product")
    visitor.post(f"{address}/confirm", people="yes")
    release = published(visitor, address, "coherence", k="3", p="1")
    text = shown(visitor.get(release).text, "command")
    assert "--items-table goods.csv" in text
    assert "--item-level aisle" in text
    found = records(unzipped(visitor, release, tmp_path / "studio"))
    assert {"cold", "dry"} >= {name for record in found for name in ("cold", "dry", "milk", "beer") if name in record}
    shell.file("baskets.csv", baskets_csv())
    shell.file("goods.csv", GOODS)
    assert shell(*shlex.split(text)[1:-1], tmp_path / "typed").code == 0
    assert records(tmp_path / "typed") == found


def test_a_product_table_is_left_out_again_also_one_that_does_not_fit(visitor: Visitor, root: Path) -> None:
    (root / "other.csv").write_text("city,land\nParis,France\nRome,Italy\n")
    address = opened(visitor)
    page = visitor.post(f"{address}/items-path", path="other.csv").text
    assert "The product table does not fit" in page
    page = visitor.post(f"{address}/items-options", do="remove").text
    assert "How your file is read" in page
    assert "Drop a product table here" in page


def test_before_people_are_confirmed_a_product_table_that_does_not_fit_can_be_mended_or_left_out(visitor: Visitor) -> None:
    address = visitor.open("user,item\n" + "".join(f"{n},milk\n{n},tea\n{n},butter\n" for n in range(9)), "visits.csv")
    visitor.upload(b"item,group\nmilk,dairy\nbutter,dairy\ntea,drinks\n", "goods.csv", f"{address}/items")
    page = visitor.get(address).text
    assert "The product table does not fit" in page
    assert "“Levels from fine to coarse”" in page
    assert "Leave the table out" in page
    assert visitor.post(f"{address}/items-options", items_levels="group,shelf").status_code == 400
    page = visitor.post(f"{address}/items-options", items_levels=" group ").text
    assert "goods.csv</bdi> is joined to the items" in page
    assert "Drop a product table here" in visitor.post(f"{address}/items-options", do="remove").text


def test_no_product_table_outside_the_root_is_joined(visitor: Visitor) -> None:
    address = opened(visitor)
    for typed in ("/etc/passwd", "../x", "", "a\0b"):
        assert visitor.post(f"{address}/items-path", path=typed).status_code == 400
    source = visitor.studio.store.source(address.rpartition("/")[2])
    assert source is not None
    assert "items_table" not in source.options
    before = len(list(source.folder.rglob("*")))
    forged = visitor.client.post(f"{address}/items", content=b"x", headers={"origin": HERE, "x-file-name": "x"})
    assert forged.status_code == 403
    assert len(list(source.folder.rglob("*"))) == before


def test_markup_in_a_product_table_stays_text(visitor: Visitor) -> None:
    script = "<script>alert(1)</script>"
    address = opened(visitor)
    visitor.upload(GOODS.replace("aisle", script).encode(), f"{script}.csv", f"{address}/items")
    page = visitor.get(address).text
    assert script not in page
    assert "&lt;script&gt;" in page
