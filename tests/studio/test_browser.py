"""The studio in a real browser: the whole path with the mouse and the keyboard, cancelling, a role changed by hand, a refusal.

One server and one browser for all tests. They skip where Chromium or Playwright is missing.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from helpers.browser import CHROMIUM
from helpers.cli import Shell, clean_environment
from helpers.studio import baskets_csv, records

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
    words = [sys.executable, "-m", "shoal", "studio", "--no-browser", "--root", str(place)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=clean_environment(), cwd=place) as server:
        assert server.stdout is not None
        yield server.stdout.readline().split()[-1]
        server.terminate()
        assert server.wait(30) == 0
    assert not list(place.iterdir())


@pytest.fixture(scope="module")
def page(address: str) -> Iterator[Page]:
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(accept_downloads=True)
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


def drop(page: Page, name: str, content: str) -> None:
    """Drop a file on the page, as from a folder of the desktop."""
    page.goto("/".join(page.url.split("/")[:3]))
    script = """([name, text]) => { const all = new DataTransfer(); all.items.add(new File([text], name)); return all; }"""
    data = page.evaluate_handle(script, [name, content])
    page.dispatch_event(".drop", "drop", {"dataTransfer": data})
    page.wait_for_url("**/sources/*")


def find_routes(page: Page, seconds: int = 60) -> None:
    page.check("#people")
    page.click("text=Continue")
    page.fill("#seconds", str(seconds))
    page.fill("#k", "4")
    page.click("text=Find routes")
    page.wait_for_selector(".route")


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


SAMPLES = [("Shopping baskets", "baskets"), ("Search log", "queries"), ("Access log", "log"), ("Table", "table")]


@pytest.mark.parametrize(("sample", "goal"), SAMPLES)
def test_a_sample_becomes_a_release_that_its_command_makes_too(page: Page, shell: Shell, tmp_path: Path, sample: str, goal: str) -> None:
    page.goto("/".join(page.url.split("/")[:3]))
    page.click(f"button:has-text('{sample}')")
    if sample == "Table":
        page.click("button:has-text('A table with one row per person')")
    page.check("#people")
    page.click("text=Continue")
    page.check(f"#goal-{goal}")
    page.fill("#seconds", "10")
    page.click("text=Find routes")
    page.wait_for_selector(".routes")
    page.check("#knows-1")
    page.click(".route:not([hidden]) >> text=Publish with this route")
    page.wait_for_selector("text=Download the release")
    release = download(page, tmp_path)
    assert shell("audit", release).code == 0
    assert records(made_by_command(page, shell, tmp_path / "typed")) == records(release)


def test_from_a_dropped_file_to_a_release_that_holds(page: Page, shell: Shell, tmp_path: Path) -> None:
    drop(page, "baskets.csv", baskets_csv())
    assert page.text_content("h1") == "How your file is read"
    assert page.get_attribute("#role-0 >> option[selected]", "value") == "user"
    find_routes(page)
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
    page.wait_for_function("document.querySelector('.preview-row meter').value === 1")  # every item is held by many


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


def test_a_taxonomy_is_edited_and_used(page: Page) -> None:
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
    page.goto(f"{origin}/taxonomies")


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
