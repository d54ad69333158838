"""Files that are made to harm: names with markup and reversed writing on every page, links that are swapped, archives that explode."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from helpers.studio import Visitor, baskets_csv, visited
from shoal.studio.app import PAGES
from shoal.studio.requested import own_files
from shoal.studio.states import PUBLISH

SCRIPT = "<script>alert(1)</script>"
REVERSED = "\u202egpj.exe"  # shown as exe.jpg where it is not taken out
TEMPLATE = "{{7919*7907}}"
NAME = f"{SCRIPT}{REVERSED}{TEMPLATE}.csv"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("root")


@pytest.fixture(scope="module")
def visitor(root: Path) -> Iterator[Visitor]:
    with visited(root, root=root) as found:
        yield found


def addresses(visitor: Visitor) -> list[str]:
    """The addresses of all pages of everything that this studio has."""
    folder = visitor.studio.store.folder.path
    kinds = {"/sources": "sources", "/jobs": "jobs", "/taxonomies": "taxonomies"}
    found = []
    for path in PAGES:
        kind = next((kind for start, kind in kinds.items() if path.startswith(f"{start}/{{id}}")), None)
        found += [path] if kind is None else [path.replace("{id}", one.name) for one in (folder / kind).iterdir()]
    return found


def test_markup_and_reversed_writing_stay_text_on_every_page(visitor: Visitor) -> None:
    goods = [f"milk{SCRIPT}", f"tea{REVERSED}", f"beer{TEMPLATE}"]
    rows = "".join(f"{n},{goods[(n + m) % 3]}\n" for n in range(30) for m in range(1 + n % 2))
    address = visitor.upload(f"customer{SCRIPT},product\n{rows}".encode(), quote(NAME)).json()["location"]
    visitor.post(f"{address}/answer", option="format", answer="table")
    visitor.post(f"{address}/answer", option="user", answer=f"customer{SCRIPT}")
    visitor.post(f"{address}/answer", option="item", answer="product")
    assert visitor.post(f"{address}/confirm", people="yes").status_code == 200
    visitor.post(f"{address}/advise", goal="baskets", k="3", seconds="1", knows="1")
    source = visitor.studio.store.source(address.rpartition("/")[2])
    assert source is not None
    task = {
        "path": source.path,
        "typed": source.typed,
        "origin": "upload",
        "source": source.identity,
        "protects": SCRIPT,
        "expected": SCRIPT,
    }
    options = dict(source.options)
    how = {"method": "coherence", "settings": {"k": "3", "p": "1"}, "options": options, "files": own_files(visitor.studio, options)}
    job = f"/jobs/{visitor.studio.begin(PUBLISH, name=source.name, **task, **how).name}"
    assert "The claim holds." in visitor.get(job).text
    visitor.post(f"{job}/audit")
    visitor.post(f"{job}/attack", quick="yes")
    visitor.post("/taxonomies/learn", source=source.identity, people="3")
    edges = f"child,parent\nmilk,{SCRIPT}\n{REVERSED},{SCRIPT}\n{SCRIPT},all\n".encode()
    made = visitor.upload(edges, quote(NAME), "/taxonomies/upload").json()["location"]
    visitor.post(f"{made}/make")
    visitor.post(f"{made}/cover", source=source.identity)
    seen = 0
    for path in addresses(visitor):
        answer = visitor.get(path)
        if answer.headers["content-type"].startswith("text/html") and answer.status_code == 200:
            seen += 1
            assert SCRIPT not in answer.text, path
            assert "\u202e" not in answer.text, path
            assert "62615533" not in answer.text, path
    assert seen > 12


def test_a_file_that_is_swapped_for_a_link_is_not_read(visitor: Visitor, root: Path, tmp_path: Path) -> None:
    secret, mine = tmp_path / "secret.csv", root / "mine.csv"
    secret.write_text(baskets_csv(90))
    mine.write_text(baskets_csv())
    address = visitor.post("/open/path", path="mine.csv").url.path
    assert "40 people" in visitor.get(address).text
    assert visitor.post(f"{address}/confirm", people="yes").status_code == 200
    mine.unlink()
    mine.symlink_to(secret)
    for step in ("", "/choose", "/compare"):
        assert visitor.get(f"{address}{step}").status_code == 404
    for step in ("read", "answer", "confirm", "advise", "publish", "compare", "preview"):
        assert visitor.post(f"{address}/{step}", k="3", seconds="1", knows="1").status_code == 404
    mine.unlink()
    mine.write_text(baskets_csv())
    assert visitor.get(address).status_code == 200


def test_a_folder_that_is_swapped_for_a_link_is_not_read(visitor: Visitor, root: Path, tmp_path: Path) -> None:
    (root / "folder").mkdir()
    (root / "folder" / "b.csv").write_text(baskets_csv())
    address = visitor.post("/open/path", path="folder/b.csv").url.path
    assert visitor.get(address).status_code == 200
    (root / "folder").rename(tmp_path / "moved")
    (root / "folder").symlink_to(tmp_path / "moved")
    assert visitor.get(address).status_code == 404


def test_an_archive_that_explodes_is_read_in_part(visitor: Visitor) -> None:
    packed = gzip.compress(bytes(64 << 20))
    location = visitor.upload(packed, "bomb.csv.gz").json()["location"]
    assert 'id="people"' not in visitor.get(location).text


def test_the_server_itself_reads_no_uploaded_table(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """A workbook of some kilobytes can take minutes to read, so only workers read columns."""
    monkeypatch.setattr(visitor.studio.processes, "start", lambda job: None)
    location = visitor.upload(b"product,group\nmilk,dairy\n", "goods.csv", "/taxonomies/upload").json()["location"]
    page = visitor.get(location)
    assert page.status_code == 200
    assert "dairy" not in page.text
    assert "product" not in page.text.partition("<main")[2].replace("A product table", "")
