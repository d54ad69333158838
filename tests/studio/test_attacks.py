"""Attacks on the server of a studio. Each test is a way in that must be closed; all of them run in this process."""

from __future__ import annotations

import asyncio
import io
import os
import re
import stat
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import httpx2 as httpx
import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from helpers.errors import refuses
from helpers.studio import HERE, HOST, Visitor, baskets_csv, status_of, visited
from shoal.studio.app import CHANGES, PAGES, make_app
from shoal.studio.guard import Sessions
from shoal.studio.shared_state import MOST_STREAMS

SCRIPT = "<script>alert(1)</script>"
NOBODY = "20260101-000000-00000000"
ADDRESSES = [path.replace("{id}", NOBODY) for path in PAGES]
CHANGING = [path.replace("{id}", NOBODY) for path in CHANGES]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("root")
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.csv").write_text(baskets_csv())
    (root / "mine.csv").write_text(baskets_csv())
    (root / "below").mkdir()
    (root / "link.csv").symlink_to(outside / "secret.csv")
    (root / "linked").symlink_to(outside)
    return root


@pytest.fixture(scope="module")
def visitor(place: Path) -> Iterator[Visitor]:
    with visited(place, root=place) as found:
        yield found


def bare(visitor: Visitor, base: str = HERE) -> TestClient:
    """Another browser, without a session."""
    return TestClient(visitor.client.app, base_url=base)


# -- who asks


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1", "127.0.0.1:8001", "localhost.evil.example:8000", ""])
def test_another_host_is_refused_also_with_a_session(visitor: Visitor, host: str) -> None:
    assert visitor.get("/", headers={"host": host}).status_code == 421


def test_two_hosts_are_refused(visitor: Visitor) -> None:
    cookie = f"shoal_studio={visitor.sessions.cookies[0]}"
    answer = visitor.client.send(httpx.Request("GET", HERE, headers=[("host", HOST), ("host", "evil.example"), ("cookie", cookie)]))
    assert answer.status_code == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", f"https://{HOST}", "http://127.0.0.1:8001", f"{HERE}.evil.example", ""])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_another_origin_is_refused(visitor: Visitor, origin: str, method: str) -> None:
    answer = visitor.client.request(method, "/", headers={"origin": origin, "x-shoal-change": visitor.change})
    assert answer.status_code == 403


def test_a_change_without_an_origin_is_refused(visitor: Visitor) -> None:
    assert visitor.client.post("/open/sample", data={"change": visitor.change, "sample": "people"}).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_another_site_asks_for_is_refused(visitor: Visitor, site: str) -> None:
    assert visitor.get("/", headers={"sec-fetch-site": site}).status_code == 403


@pytest.mark.parametrize("path", [*ADDRESSES, "/static/studio.css", "/nothing"])
def test_nothing_is_shown_without_a_session(visitor: Visitor, path: str) -> None:
    answer = bare(visitor).get(path)
    assert answer.status_code == 403
    assert "printed in your terminal" in answer.text


def test_a_wrong_token_opens_nothing(visitor: Visitor) -> None:
    other = bare(visitor)
    for token in ("", "x", visitor.sessions.token[:-1], visitor.sessions.token + "x", visitor.change):
        answer = other.get("/", params={"token": token}, follow_redirects=False)
        assert answer.status_code == 403, token
        assert "set-cookie" not in answer.headers


def test_the_token_becomes_a_cookie_that_no_script_and_no_other_site_gets(visitor: Visitor) -> None:
    answer = bare(visitor).get("/", params={"token": visitor.sessions.token}, follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert visitor.sessions.token not in answer.headers["set-cookie"]


def test_the_token_does_not_stand_on_any_page(visitor: Visitor) -> None:
    assert visitor.sessions.token not in visitor.get("/").text


def test_a_second_user_with_a_cookie_of_another_studio_is_refused(visitor: Visitor) -> None:
    foreign = Sessions()
    cookie = foreign.admit(foreign.token)
    assert bare(visitor).get("/", headers={"cookie": f"shoal_studio={cookie}"}).status_code == 403


@pytest.mark.parametrize("cookie", ["", "shoal_studio=", "shoal_studio=x", "a\x01b", "shoal_studio=\xff", "=;;=", "x" * 9000])
def test_odd_cookies_are_refused(visitor: Visitor, cookie: str) -> None:
    assert bare(visitor).get("/", headers={"cookie": cookie.encode("latin-1")}).status_code == 403


def test_web_sockets_are_refused(visitor: Visitor) -> None:
    with pytest.raises(WebSocketDisconnect), visitor.client.websocket_connect("/"):
        pass


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(visitor: Visitor, method: str) -> None:
    assert visitor.client.request(method, "/", headers={"origin": HERE}).status_code == 405


# -- forged changes


@pytest.mark.parametrize("path", CHANGING)
def test_every_change_needs_the_token_of_its_session(visitor: Visitor, path: str) -> None:
    before = len(list(visitor.studio.store.folder.path.rglob("*")))
    for headers, fields in [({}, {"x": "1"}), ({}, {"change": "0" * 64}), ({"x-shoal-change": "0" * 64}, {"change": visitor.change})]:
        answer = visitor.client.post(path, data=fields, headers={"origin": HERE, **headers})
        assert answer.status_code in {403, 404}
    assert len(list(visitor.studio.store.folder.path.rglob("*"))) == before


def test_the_token_of_another_session_is_refused(visitor: Visitor) -> None:
    other = Visitor(bare(visitor), visitor.studio, visitor.sessions).enter()
    assert other.change != visitor.change
    forged = visitor.client.post("/open/sample", data={"change": other.change, "sample": "people"}, headers={"origin": HERE})
    assert forged.status_code == 403


@pytest.mark.parametrize("path", ADDRESSES)
def test_reading_changes_nothing(visitor: Visitor, path: str) -> None:
    before = len(list(visitor.studio.store.folder.path.rglob("*")))
    visitor.get(path)
    assert len(list(visitor.studio.store.folder.path.rglob("*"))) == before


# -- paths

OUTSIDE = ["../outside", "..", "/etc/passwd", "/etc", "below/../../etc/passwd", "link.csv", "linked/secret.csv", "linked", "a\0b", "~root"]


@pytest.mark.parametrize("address", ["/open/path", "/audit/path"])
def test_no_path_outside_the_root_is_opened(visitor: Visitor, address: str) -> None:
    for typed in [*OUTSIDE, "x" * 5000, "", "%2e%2e/", "..\\..", "file:///etc/passwd", "/proc/self/environ"]:
        answer = visitor.post(address, path=typed)
        assert answer.status_code == 400, typed
        assert "root:" not in answer.text


def test_a_path_inside_is_opened(visitor: Visitor) -> None:
    assert "40 people" in visitor.post("/open/path", path="mine.csv").text


def test_what_is_outside_cannot_be_told_from_what_does_not_exist(visitor: Visitor) -> None:
    texts = {visitor.post("/open/path", path=path).text for path in ("link.csv", "missing.csv", "/etc/passwd", "/etc/missing")}
    assert len(texts) == 1


def test_completion_shows_nothing_outside(visitor: Visitor) -> None:
    for typed in ("../", "/etc/", "linked/", "link", "below/../../", "\0", "/", "//"):
        assert visitor.get("/open/names", params={"typed": typed}).json() == [], typed


def test_completion_shows_what_is_inside(visitor: Visitor) -> None:
    assert visitor.get("/open/names", params={"typed": "m"}).json() == ["mine.csv"]
    assert visitor.get("/open/names", params={"typed": ""}).json() == ["below/", "mine.csv"]


IDS = ["..", "../..", "%2e%2e", "..%2f..%2fsources", "20260101-000000-0000000g", "a" * 300, "%00", ".", "20260101-000000-00000000%2f.."]


@pytest.mark.parametrize("pattern", ["/jobs/{}", "/jobs/{}/report", "/jobs/{}/release.zip", "/sources/{}", "/static/{}"])
def test_no_address_leads_out_of_the_folder(visitor: Visitor, pattern: str) -> None:
    for identity in IDS:
        answer = visitor.get(pattern.format(identity))
        assert answer.status_code == 404 or answer.url.path == "/", identity  # the client itself may have gone up


# -- uploads


def stored(visitor: Visitor) -> list[Path]:
    return [path for path in visitor.studio.store.folder.path.rglob("data/*") if path.is_file()]


NAMES = [
    "../../evil.csv",
    "..%2f..%2fevil.csv",
    "/etc/evil.csv",
    "C:\\evil.csv",
    ".bashrc",
    "a\0b.csv",
    "%00",
    "-rf",
    "$(id).csv",
    "x" * 900,
    "...",
]


@pytest.mark.parametrize("name", [*NAMES, "x" * 900])
def test_the_name_of_an_upload_leads_nowhere(visitor: Visitor, name: str) -> None:
    before = set(stored(visitor))
    answer = visitor.upload(baskets_csv().encode(), httpx.QueryParams({"n": name}).__str__()[2:])
    assert answer.status_code == 200
    (new,) = set(stored(visitor)) - before
    assert new.parent.parent.parent == visitor.studio.store.folder.path / "sources"
    assert not new.name.startswith((".", "-"))
    assert len(new.name) <= 80
    assert set(new.name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def test_only_this_user_can_read_an_upload(visitor: Visitor) -> None:
    before, mask = set(stored(visitor)), os.umask(0)
    try:
        visitor.upload(b"user,item\n1,a\n")
    finally:
        os.umask(mask)
    (new,) = set(stored(visitor)) - before
    assert stat.S_IMODE(new.stat().st_mode) == 0o600
    for folder in (new.parent, new.parent.parent, visitor.studio.store.folder.path):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_an_oversized_upload_is_refused_and_leaves_nothing(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitor.studio, "largest_upload", 1000)
    before = len(list(visitor.studio.store.folder.path.rglob("*")))
    declared = visitor.upload(b"x" * 1001)
    streamed = visitor.upload(iter([b"x" * 400] * 5))  # without a length
    lying = visitor.upload(iter([b"x" * 400] * 5), **{"content-length": "10"})
    assert [declared.status_code, streamed.status_code, lying.status_code] == [413, 413, 413]
    assert len(list(visitor.studio.store.folder.path.rglob("*"))) == before


def test_a_slow_upload_is_ended(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitor.studio, "upload_seconds", 0.2)
    before, pieces = len(stored(visitor)), [b"user"]

    async def receive() -> dict[str, object]:
        if not pieces:
            await asyncio.sleep(30)
        return {"type": "http.request", "body": pieces.pop(), "more_body": True}

    begun = time.monotonic()
    assert asyncio.run(status_of(visitor, "POST", "/open/upload", receive)) == 408
    assert time.monotonic() - begun < 5
    assert len(stored(visitor)) == before


def test_an_empty_upload_is_refused(visitor: Visitor) -> None:
    assert visitor.upload(b"").status_code == 400


def test_uploads_are_deleted_at_the_end_unless_kept(tmp_path: Path) -> None:
    for keep in (None, tmp_path / "kept"):
        with visited(tmp_path, keep=keep) as found:
            found.open(baskets_csv())
            folder, (file,) = found.studio.store.folder.path, stored(found)
        assert file.exists() == folder.exists() == (keep is not None)


def test_a_folder_of_others_is_not_taken(tmp_path: Path) -> None:
    from shoal.io.studio_folder import StudioFolder

    (tmp_path / "letter.txt").write_text("mine")
    with refuses("directory-has-other-files"):
        StudioFolder(tmp_path)


def test_a_directory_for_temporary_files_that_cannot_be_used_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from shoal.io.studio_folder import StudioFolder

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with refuses("not-writable") as caught:
        StudioFolder()
    assert caught.value.message == "the directory for temporary files cannot be used: No such file or directory"


# -- forms


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [
        ("multipart/form-data; boundary=x", b"--x--", 415),
        ("application/json", b"{}", 415),
        ("text/plain", b"sample=people", 415),
        ("application/x-www-form-urlencoded", b"a=" + b"x" * (300 << 10), 413),
        ("application/x-www-form-urlencoded", b"a=1&" * 3000, 400),
        ("application/x-www-form-urlencoded", b"a=%ff", 400),
        ("application/x-www-form-urlencoded", b"\xff=1", 400),
    ],
)
def test_odd_forms_are_refused(visitor: Visitor, kind: str, body: bytes, status: int) -> None:
    headers = {"origin": HERE, "x-shoal-change": visitor.change, "content-type": kind}
    assert visitor.client.post("/open/sample", content=body, headers=headers).status_code == status


@pytest.mark.parametrize("k", ["1", "0", "-5", "x", "", "1e9", "9" * 400, "5.5", "٥", "<b>"])
def test_odd_numbers_are_refused(visitor: Visitor, confirmed: str, k: str) -> None:
    answer = visitor.post(f"{confirmed}/advise", k=k, seconds="1", knows="2")
    assert answer.status_code == 400
    assert "<b>" not in answer.text.partition("<main")[2].partition("</main>")[0].replace("<b>shoal studio</b>", "")


@pytest.fixture(scope="module")
def confirmed(visitor: Visitor) -> str:
    address = visitor.open(baskets_csv())
    assert visitor.post(f"{address}/confirm", people="yes").status_code == 200
    return address


# -- going on without leave


@pytest.mark.parametrize("step", ["advise", "publish"])
def test_nothing_goes_on_before_the_people_are_confirmed(visitor: Visitor, step: str) -> None:
    address = visitor.open(baskets_csv())
    assert visitor.post(f"{address}/confirm").status_code == 400
    assert visitor.get(f"{address}/choose").status_code == 400
    answer = visitor.post(f"{address}/{step}", k="2", seconds="1", job=NOBODY, route="0")
    assert answer.status_code == 400
    assert "confirm first" in answer.text


@pytest.mark.parametrize("fields", [{}, {"job": NOBODY}, {"job": "../x", "route": "0"}, {"route": "-1", "route-goal": "baskets"}])
def test_only_a_measured_route_is_published(visitor: Visitor, confirmed: str, fields: dict[str, str]) -> None:
    assert visitor.post(f"{confirmed}/publish", **fields).status_code == 400


# -- markup in data


def test_markup_in_items_columns_and_names_stays_text(visitor: Visitor) -> None:
    rows = "".join(f"{person},{SCRIPT}\n{person},{{{{7919*7907}}}}\n" for person in range(30))
    address = visitor.open(f"customer,product\n{rows}", f"%3Cimg src=x onerror=alert(1)%3E{SCRIPT}.csv")
    named = visitor.open(f"{SCRIPT},b\n1,2\n", "b.csv")
    for path in (address, named, "/", "/history"):
        page = visitor.get(path)
        assert page.status_code == 200
        assert SCRIPT not in page.text
        assert "<img" not in page.text
        assert "62615533" not in page.text, "a product was worked out"
    assert "&lt;script&gt;" in visitor.get(address).text
    assert "&lt;script&gt;" in visitor.get(named).text


def test_markup_in_a_release_that_is_audited_stays_text(visitor: Visitor) -> None:
    answer = visitor.upload((f"{SCRIPT}\tmilk\n" * 6).encode(), f"{SCRIPT}.txt", "/audit/upload")
    page = visitor.get(answer.json()["location"])
    assert "Matching" in page.text
    assert SCRIPT not in page.text + visitor.get("/history").text


@pytest.mark.parametrize("path", ["/", "/audit", "/history", "/nothing", "/static/open.js"])
def test_every_response_has_a_strict_policy_and_is_not_stored(visitor: Visitor, path: str) -> None:
    answer = visitor.get(path)
    policy = dict(rule.split(" ", 1) for rule in answer.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["form-action"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert "unsafe" not in str(policy)
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "server" not in answer.headers


INLINE = re.compile(r"<style|\sstyle=|\son\w+=|javascript:|<script(?! type=\"module\" src=\"/static/)|https?://|\|safe")


def test_no_page_has_a_script_or_a_style_of_its_own() -> None:
    from importlib.resources import files

    for file in files("shoal.studio").joinpath("pages").iterdir():
        text = file.read_text("utf-8")
        assert not INLINE.search(text), file.name


# -- zip files


def zipped(*names: str, content: bytes = b"milk\tbread\n", mode: int = 0o100644, flags: int = 0) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    found = raw.getvalue()
    return found.replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00") if flags else found


ZIPS = {
    "up": zipped("../evil", "b"),
    "absolute": zipped("/etc/evil", "/etc/b"),
    "backslash": zipped("..\\evil", "..\\b"),
    "deep": zipped("a/b/c", "a/d"),
    "two folders": zipped("a/x", "b/x"),
    "hidden": zipped("release/.bashrc", "release/b"),
    "link": zipped("release/a", "release/b", mode=0o120777),
    "device": zipped("release/a", "release/b", mode=0o020666),
    "bomb": zipped("release/a", "release/b", content=bytes(40 << 20)),
    "many": zipped(*(f"release/{n}" for n in range(300))),
    "encrypted": zipped("release/a", "release/b", flags=1),
    "cut": zipped("release/a", "release/b")[:-4],
}


@pytest.mark.parametrize("name", ZIPS)
def test_a_hostile_zip_file_is_refused(visitor: Visitor, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(visitor.studio, "largest_upload", 1 << 20)
    answer = visitor.upload(ZIPS[name], "release.zip", "/audit/upload")
    assert answer.status_code == 200
    location = answer.json()["location"]
    assert "This cannot be audited" in visitor.get(location).text
    folder = visitor.studio.store.folder.named("jobs", location.rpartition("/")[2])
    assert folder is not None
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 2 << 20
    assert not any(path.is_symlink() for path in folder.rglob("*"))


# -- too much


def test_event_streams_that_are_left_open_are_limited(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    location = visitor.upload(b"milk\tbread\n" * 5, "a.txt", "/audit/upload").json()["location"]
    monkeypatch.setattr(visitor.studio, "streams", MOST_STREAMS)
    assert visitor.get(f"{location}/events").status_code == 503
    monkeypatch.setattr(visitor.studio, "streams", 0)
    assert '"event": "end"' in visitor.get(f"{location}/events").text
    assert visitor.studio.streams == 0


def test_a_thousand_requests_at_once_are_answered(visitor: Visitor) -> None:
    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def ask() -> list[int]:
        return await asyncio.gather(*(status_of(visitor, "GET", "/audit", receive) for _ in range(1000)))

    assert set(asyncio.run(ask())) == {200}


def test_sessions_do_not_pile_up() -> None:
    sessions = Sessions()
    cookies = [sessions.admit(sessions.token) for _ in range(100)]
    assert len(sessions.cookies) <= 20
    assert not sessions.knows(str(cookies[0]))
    assert sessions.knows(str(cookies[-1]))


def test_an_unexpected_error_shows_only_its_kind(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("ann searched for this")

    monkeypatch.setattr(visitor.studio.store, "jobs", fail)
    app = make_app(visitor.studio, visitor.sessions, frozenset({HOST}))
    client = TestClient(app, base_url=HERE, raise_server_exceptions=False, cookies={"shoal_studio": visitor.sessions.cookies[0]})
    answer = client.get("/history")
    assert answer.status_code == 500
    assert "RuntimeError" in answer.text
    assert "ann" not in answer.text
