"""The studio in a real browser: the whole path with the mouse and the keyboard, cancelling, a killed server, roles, a refusal.

One server and one browser for all tests. They skip where Chromium or Playwright is missing.
"""

from __future__ import annotations

import base64
import json
import random
import shlex
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from helpers.browser import CHROMIUM
from helpers.cli import Shell
from helpers.rotation import current_turn
from helpers.studio import baskets_csv, records
from helpers.studio_server import served
from shoal.studio.open_pages import sample_path

if TYPE_CHECKING:
    from playwright.sync_api import Page

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: the studio is not opened in a browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: the studio is not opened in a browser")
MILLISECONDS = 180_000  # for machines that do other work too
STEP = "document.querySelector('.steps [aria-current]').textContent"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server in a process of its own, as a user starts it."""
    place = tmp_path_factory.mktemp("studio")
    with served("--root", str(place), place=place) as server:
        yield server.address
        server.end()
    assert not list(place.iterdir())


@pytest.fixture(scope="module")
def page(address: str) -> Iterator[Page]:
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], timeout=MILLISECONDS)
        page = browser.new_context(accept_downloads=True).new_page()  # whose context can have further pages
        page.set_default_timeout(MILLISECONDS)
        complaints: list[str] = []
        requested: list[str] = []
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requested.append(request.url))
        page.goto(address)
        yield page
        browser.close()
        assert not [text for text in complaints if "status of 400" not in text]
        assert not [url for url in requested if not url.startswith(("http://127.0.0.1:", "data:"))]


def drop(page: Page, name: str, content: str | bytes, path: str = "", then: str = "**/sources/*") -> None:
    """Drop a file on the page, as from a folder of the desktop."""
    page.goto(f"{'/'.join(page.url.split('/')[:3])}/{path}")
    raw = base64.b64encode(content.encode() if isinstance(content, str) else content).decode()
    script = """([name, raw]) => {
      const all = new DataTransfer();
      all.items.add(new File([Uint8Array.from(atob(raw), (one) => one.charCodeAt(0))], name));
      return all;
    }"""
    page.dispatch_event(".drop", "drop", {"dataTransfer": page.evaluate_handle(script, [name, raw])})
    page.wait_for_url(then)


def find_routes(page: Page, seconds: int = 60) -> None:
    page.check("#people")
    page.click("text=Continue")
    page.fill("#seconds", str(seconds))
    page.fill("#k", "4")
    page.click("text=Find routes")
    page.wait_for_selector(".route:not([hidden])")


def download(page: Page, place: Path) -> Path:
    """Download the release of the page and unpack it."""
    with page.expect_download() as found:
        page.click("text=Download the release")
    found.value.save_as(place / "release.zip")
    zipfile.ZipFile(place / "release.zip").extractall(place)
    return place / "release"


def made_by_command(page: Page, shell: Shell, out: Path) -> Path:
    """Type the command of the page."""
    words = shlex.split(str(page.text_content("#command")))
    assert words[:2] == ["shoal", "anonymize"]
    answer = shell(*words[1:-1], out)
    assert answer.code == 0, answer.err
    return out


SAMPLES = [("baskets", "baskets"), ("queries", "queries"), ("access", "log"), ("people", "table")]


@pytest.mark.parametrize(("sample", "goal"), SAMPLES)
def test_a_dropped_file_becomes_a_release_that_its_command_makes_too(
    page: Page, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sample: str, goal: str
) -> None:
    path = sample_path(sample)
    drop(page, path.name, path.read_bytes())
    if sample == "people":
        page.click("button:has-text('A table with one row per person')")
    page.check("#people")
    page.click("text=Continue")
    page.check(f"#goal-{goal}")
    page.fill("#seconds", "60")  # most of them are for machines that do other work too
    page.click("text=Find routes")
    page.wait_for_selector(".routes")
    if sample != "people":  # of whom an attacker knows all columns
        page.check("#knows-1")
    page.click(".route:not([hidden]) >> text=Publish with this route")
    page.wait_for_selector("text=Download the release")
    release = download(page, tmp_path)
    assert shell("audit", release).code == 0
    monkeypatch.chdir(path.parent)  # where the command of the page is to be typed
    assert records(made_by_command(page, shell, tmp_path / "typed")) == records(release)


def test_from_a_dropped_file_to_a_release_that_holds(page: Page, shell: Shell, tmp_path: Path) -> None:
    drop(page, "baskets.csv", baskets_csv())
    assert page.text_content("h1") == "How your file is read"
    assert page.get_attribute("#role-0 >> option[selected]", "value") == "user"
    find_routes(page)
    page.wait_for_function("scrollY > 0")  # the routes are below the form
    page.check("#knows-99")
    knows = page.eval_on_selector_all(".route:not([hidden])", "cards => cards.map(card => card.dataset.knows)")
    assert knows
    assert set(knows) <= {"99", ""}
    page.check("#knows-1")
    page.select_option(".route:not([hidden]) select", "csv")
    page.click(".route:not([hidden]) >> text=Publish with this route")
    page.wait_for_selector("text=The claim holds.")
    assert page.frame_locator("iframe[title='Report of the release']").locator("h1").text_content() == "The claim holds."
    answer = shell("audit", download(page, tmp_path), "--json")
    assert answer.code == 0
    assert json.loads(answer.out)["holds"] is True


def test_a_job_is_cancelled_on_its_page(page: Page) -> None:
    page.goto("/".join(page.url.split("/")[:3]))
    page.click("button:has-text('Search log')")
    page.check("#people")
    page.click("text=Continue")
    page.fill("#seconds", "600")
    page.click("text=Find routes")
    page.wait_for_selector("#progress-label:has-text('trying')")
    page.click("text=Cancel")
    page.wait_for_selector("text=What do you want to publish?")
    assert not page.query_selector(".route")


def test_a_release_of_another_tool_is_audited(page: Page) -> None:
    drop(page, "theirs.txt", "milk\tbread\n" * 3 + "beer\n" * 3, "audit", "**/jobs/*")
    page.wait_for_selector("text=This release makes no claim.")
    assert "k = 3" in str(page.text_content(".lead"))


def publish(page: Page) -> str:
    """Publish the search log with a route that takes some seconds; the address of the job."""
    page.click("text=Publish with this route >> visible=true >> nth=0")
    page.wait_for_url("**/jobs/*")
    return page.url


@pytest.fixture(scope="module")
def routes(page: Page) -> str:
    """The address of the routes of the search log."""
    page.goto("/".join(page.url.split("/")[:3]))
    page.click("button:has-text('Search log')")
    page.check("#people")
    page.click("text=Continue")
    page.check("#goal-histories")
    page.check("#knows-99")
    for seconds in (10, 60, 300):  # on a busy machine a short time may not be enough to measure any route against this attacker
        page.fill("#seconds", str(seconds))
        page.click("text=Find routes")
        page.wait_for_selector(".routes", timeout=MILLISECONDS + 1000 * seconds)
        if page.query_selector(".route:not([hidden])"):
            break
    return page.url


@pytest.mark.parametrize("moment", range(5))
def test_a_release_is_cancelled_at_a_random_moment(page: Page, routes: str, moment: int) -> None:
    page.goto(routes)
    publish(page)
    page.wait_for_timeout(random.Random(5 * current_turn() + moment).uniform(0, 3000))
    with suppress(playwright.Error):  # the page of the finished release may replace this one at this moment
        button = page.query_selector("button:text-is('Cancel')")
        if button is not None:
            button.click()
    page.wait_for_selector("h1:text-matches('Cancelled|claim holds|claims hold')")
    assert (page.text_content("h1") == "Cancelled") != bool(page.query_selector("text=Download the release"))


def test_two_releases_are_made_at_once(page: Page, routes: str) -> None:
    page.goto(routes)
    publish(page)
    second = page.context.new_page()
    second.set_default_timeout(MILLISECONDS)
    second.goto(routes)
    publish(second)
    for one in (page, second):
        one.wait_for_selector("text=Download the release")
    assert page.url != second.url
    second.close()


def test_a_page_of_a_server_that_was_killed_is_found_again(page: Page, tmp_path: Path) -> None:
    tab, port = page.context.new_page(), 0
    tab.set_default_timeout(MILLISECONDS)
    for turn in range(2):
        with served("--keep", str(tmp_path / "kept"), "--port", str(port)) as server:
            tab.goto(server.address)
            port = server.port
            if turn == 0:
                tab.click("button:has-text('Search log')")
                tab.check("#people")
                tab.click("text=Continue")
                tab.fill("#seconds", "600")
                tab.click("text=Find routes")
                tab.wait_for_selector("#progress-label:has-text('trying')")
                job = tab.url
            else:
                tab.goto(job)
                tab.wait_for_selector("text=interrupted")
            server.process.kill()
    tab.close()


def test_a_role_is_changed_by_hand(page: Page) -> None:
    rows = "".join(f"c{n % 30},b{n},{'tea' if n % 2 else 'milk'}\n" for n in range(60))
    drop(page, "visits.csv", f"who,visit,what\n{rows}")
    assert page.text_content("h1") == "What does the file contain?"
    for n, role in enumerate(("user", "record", "item")):
        page.select_option(f"#role-{n}", role)
    page.focus("button:has-text('Read the file again')")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=30 people, 60 records")
    page.click("text=Continue")  # the browser itself insists on the confirmation
    assert page.evaluate(STEP) == "Understand"
    page.check("#people")
    page.click("text=Continue")
    page.wait_for_selector("text=What do you want to publish?")


def test_a_file_without_people_is_refused(page: Page) -> None:
    drop(page, "shapes.csv", "colour,shape\n" + "red,round\nblue,square\n" * 9)
    assert page.text_content("h1") == "What does the file contain?"
    page.click("button:has-text('A table with one row per person')")
    page.wait_for_selector("[role=alert]")
    assert page.query_selector("#people") is None


def test_the_preview_follows_the_dial(page: Page) -> None:
    drop(page, "baskets.csv", baskets_csv())
    page.check("#people")
    page.click("text=Continue")
    page.check("#knows-99")
    page.wait_for_selector(".preview-row:has-text('shoal, k = 5')")
    page.check("#knows-1")
    page.fill("#k", "3")
    page.wait_for_selector(".preview-row:has-text('coherence, k = 3, p = 1')")
    page.wait_for_selector(".preview-row meter[value='1']")  # every item is held by many
    page.check("#goal-counts")
    page.wait_for_selector("h3:text-is('Preview: counts with noise')")
    page.wait_for_selector(".preview-row:has-text('dp-queries, unit = item')")


def test_a_point_of_the_frontier_is_chosen_and_published(page: Page, shell: Shell, tmp_path: Path) -> None:
    drop(page, "baskets.csv", baskets_csv())
    page.check("#people")
    page.click("text=Continue")
    page.click("text=compare methods")
    for box in page.query_selector_all("input[name^=method-]"):
        box.set_checked(box.get_attribute("id") == page.get_attribute("label:text-is('coherence')", "for"))
    page.fill("#k", "3,4")
    page.uncheck("#m-2")
    page.uncheck("#m-3")
    page.click("button:has-text('Compare')")
    page.wait_for_selector("text=All numbers")
    assert page.locator(".pick").count() == 2
    page.focus(".pick >> nth=1")
    page.keyboard.press("Enter")
    assert page.eval_on_selector_all("details.cell[open]", "all => all.map(one => one.id)") == ["release-1"]
    page.click("details[open] >> text=Publish with this")
    page.wait_for_selector("text=The claim holds.")
    assert "--method coherence --k 4 --p 1" in str(page.text_content("#command"))
    assert shell("audit", download(page, tmp_path)).code == 0


def test_a_taxonomy_is_edited_and_used(page: Page, shell: Shell, tmp_path: Path) -> None:
    origin = "/".join(page.url.split("/")[:3])
    drop(page, "baskets.csv", baskets_csv())
    page.check("#people")
    page.click("text=Continue")
    page.goto(f"{origin}/taxonomies")
    edges = b"child,parent\nmilk,drink\nbeer,drink\nbread,food\napple,food\ndrink,all\nfood,all\n"
    page.set_input_files("#file", {"name": "food.csv", "mimeType": "text/csv", "buffer": edges})
    page.click("text=Read it as a taxonomy")
    page.click(".nodes >> text=food")
    page.fill("#name", "to eat")
    page.click("button:text-is('Rename')")
    page.wait_for_selector("text=Version 2")
    page.click("button:has-text('Use this version') >> nth=0")
    page.wait_for_selector("text=On the taxonomy food.csv, version 2")
    page.fill("#seconds", "60")
    page.click("text=Find routes")
    page.wait_for_selector(".routes")
    page.check("#knows-99")
    page.click(".route:not([hidden]) >> text=Publish with this route")
    page.wait_for_selector("text=Download the release")
    assert "--taxonomy taxonomy-2.tsv" in str(page.text_content("#command"))
    assert shell("audit", download(page, tmp_path)).code == 0


def test_pages_are_accessible_in_light_and_dark_and_fit_a_telephone(page: Page) -> None:
    axe = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed: accessibility is not checked")
    script = (Path(axe.__file__).parent / "axe.min.js").read_text("utf-8")
    origin = "/".join(page.url.split("/")[:3])
    links = "links => links.map(link => link.getAttribute('href'))"
    page.goto(origin)
    drop(page, "baskets.csv", baskets_csv())  # this test may be the only one of its turn
    page.check("#people")
    page.click("text=Continue")
    page.goto(f"{origin}/history")
    kinds = {page.text_content(f"a[href='{link}']").split(" of ")[0]: link for link in page.eval_on_selector_all("td a", links)}
    page.goto(f"{origin}/taxonomies")
    trees = page.eval_on_selector_all("li a[href^='/taxonomies']", links)
    page.goto(origin)
    sources = page.eval_on_selector_all("li a[href^='/sources']", links)
    further = [f"{sources[0]}/{name}" for name in ("choose", "compare")]
    everything = ["/", "/audit", "/history", "/taxonomies", *kinds.values(), *sources[:3], *further, *trees[:1]]
    page.set_viewport_size({"width": 400, "height": 800})
    for n, path in enumerate(everything):
        page.emulate_media(color_scheme=("light", "dark")[n % 2])
        page.goto(f"{origin}{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 400, path
        page.evaluate(script)
        found = page.evaluate("axe.run(document, {iframes: false})")
        assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == [], path
    page.set_viewport_size({"width": 1280, "height": 800})
