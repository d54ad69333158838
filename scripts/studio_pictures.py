"""Take the pictures of docs/studio.md: starts a studio, walks through it with the bundled baskets, and writes PNG files.

    python scripts/studio_pictures.py [--all DIRECTORY]

`--all` also writes every page at 1280 and 400 pixels, in light and dark colours, to be looked at after a change of the pages, and prints
what axe-core objects to.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from playwright.sync_api import FilePayload, Page, sync_playwright

IMAGES = Path(__file__).parents[1] / "docs" / "images"
SAMPLES = Path(__file__).parents[1] / "src" / "shoal" / "samples"
PICTURES = {
    "open": ("open", "light", 1000, 700),
    "understand": ("understand", "dark", 1000, 800),
    "choose": ("routes", "light", 1000, 1180),
    "compare": ("compared", "light", 1000, 1000),
    "taxonomy": ("taxonomy", "light", 1000, 900),
    "attack": ("attacked", "dark", 1000, 700),
    "publish": ("publish", "light", 1000, 900),
    "question": ("question", "light", 1000, 700),
    "narrow": ("routes", "light", 400, 900),
}
MILLISECONDS = 300_000
COMPARED = ("coherence", "km", "shoal")


def walk(page: Page, origin: str) -> dict[str, str]:
    """Go from a sample to a release that is audited and attacked; the addresses of the pages on the way."""
    found = {"open": origin, "audit": f"{origin}/audit", "history": f"{origin}/history", "taxonomies": f"{origin}/taxonomies"}
    page.click("button:has-text('600 people')")
    page.wait_for_selector("text=What does the file contain?")
    found["question"] = page.url
    page.goto(origin)
    page.set_input_files("#file", SAMPLES / "baskets.csv")
    page.wait_for_selector("#people")
    found["understand"] = page.url
    confirm_people(page)
    page.fill("#seconds", "60")
    page.click("text=Find routes")
    page.wait_for_selector(".route:not([hidden])")
    found["choose"] = page.url.partition("#")[0]
    page.check("#knows-99")
    page.click(".route:not([hidden]) >> text=Publish with this route")
    page.wait_for_selector("text=The claim holds.")
    found["publish"] = page.url
    page.click("button:text-is('Audit it')")
    page.wait_for_selector("text=Checks")
    found["audited"] = page.url
    page.goto(found["publish"])
    page.click("button:text-is('Attack it')")
    page.wait_for_selector("text=Strongest attacks")
    found["attacked"] = page.url
    return found | further(page, origin) | compare(page, found["choose"]) | edit(page, origin)


def further(page: Page, origin: str) -> dict[str, str]:
    """Pages that few see: a search log, a product table, an access log, a refused file, a cancelled job, a missing page, other releases."""
    found = {"missing": f"{origin}/nothing"}
    for name, text in (("queries", "Search log"), ("access", "Access log")):
        page.goto(origin)
        page.click(f"button:has-text('{text}')")
        page.wait_for_selector("#people")
        found[f"understand_{name}"] = page.url
        confirm_people(page)
        page.wait_for_selector(".preview-row")
        found[f"choose_{name}"] = page.url
    page.goto(origin)
    page.set_input_files("#file", file("goods.csv", "colour,shape\n" + "red,round\nblue,square\n" * 9))
    page.click("text=A table with one row per person")
    page.wait_for_selector("[role=alert]")
    found["refused"] = page.url
    page.goto(origin)
    page.set_input_files(
        "#file", file("visits.csv", "user,item\n" + "".join(f"{n},milk\n{n},tea\n{n},butter\n{n},juice\n" for n in range(30)))
    )
    page.wait_for_selector("text=Drop a product table here")
    page.set_input_files("#file", file("goods.csv", "item,group\nmilk,dairy\nbutter,dairy\ntea,drinks\njuice,drinks\n"))
    page.wait_for_selector("text=is joined to the items")
    found["joined"] = page.url
    page.goto(f"{origin}/audit")
    page.set_input_files("#file", file("theirs.txt", "milk\tbread\n" * 3 + "beer\n" * 3))
    page.wait_for_selector("text=This release makes no claim.")
    return found | {"audited_other": page.url}


def confirm_people(page: Page) -> None:
    """Confirm how many people the file describes, and go on to the choice of a goal."""
    page.check("#people")
    page.click("text=Continue")


def rarely_seen(page: Page, origin: str) -> dict[str, str]:
    """Further steps of `--all`: routes and releases of the other samples, comparisons of a table and an access log, and ends of jobs."""
    found = {}
    for name, text, goal in (("queries", "Search log", "histories"), ("access", "Access log", "log"), ("people", "Table", "table")):
        page.goto(origin)
        page.click(f"button:has-text('{text}')")
        if name == "people":
            page.click("button:has-text('A table with one row per person')")
        page.wait_for_selector("#people")
        found[f"read_{name}"] = page.url
        confirm_people(page)
        choose = page.url
        page.check(f"#goal-{goal}")
        page.fill("#seconds", "15")
        page.click("text=Find routes")
        page.wait_for_selector(".routes")
        found[f"routes_{name}"] = page.url.partition("#")[0]
        page.click("text=Publish with this route >> visible=true >> nth=0")
        page.wait_for_selector("text=Download the release")
        found[f"publish_{name}"] = page.url
        if name != "queries":
            found |= compared_quickly(page, choose, name)
    page.goto(found["routes_queries"])
    page.click("text=Publish with this route >> visible=true >> nth=0")
    page.click("button:text-is('Cancel')")
    page.wait_for_selector("h1:text-matches('Cancelled|claim holds')")
    found["cancelled"] = page.url
    page.goto(origin)
    page.set_input_files("#file", file("till.csv", "receipt,payer,article\n" + "".join(f"{n},c{n % 30},tea\n" for n in range(60))))
    page.click("text=One item per row")
    page.wait_for_selector("text=Which column has the user ID?")
    found["question_user"] = page.url
    return found | still_running(page, found["read_queries"])


def still_running(page: Page, address: str) -> dict[str, str]:
    """A search for routes that goes on while all pictures are taken. It comes last, because it takes time from other jobs."""
    page.goto(f"{address}/choose")
    page.fill("#seconds", "600")
    page.click("text=Find routes")
    page.wait_for_selector("#progress-label")
    return {"waiting": page.url}


def compared_quickly(page: Page, choose: str, name: str) -> dict[str, str]:
    """Compare the usual methods with one k; the addresses of the form and of the comparison."""
    page.goto(choose)
    page.click("text=compare methods")
    found = {f"compare_{name}": page.url}
    page.fill("#k", "5")
    page.click("button:has-text('Compare')")
    page.wait_for_selector("text=All numbers")
    return {**found, f"compared_{name}": page.url}


def file(name: str, text: str) -> FilePayload:
    """A file to be dropped."""
    return {"name": name, "mimeType": "text/csv", "buffer": text.encode()}


def compare(page: Page, choose: str) -> dict[str, str]:
    """Compare methods; the addresses of the pages."""
    page.goto(choose)
    page.click("text=compare methods")
    found = {"compare": page.url}
    for box in page.query_selector_all("input[name^=method-]"):
        label = page.text_content(f"label[for={box.get_attribute('id')}]")
        box.set_checked(label in COMPARED)
    page.fill("#k", "3,10")
    page.uncheck("#m-1")
    page.click("button:has-text('Compare')")
    page.wait_for_selector("text=All numbers")
    return {**found, "compared": page.url}


def edit(page: Page, origin: str) -> dict[str, str]:
    """Learn topics; the addresses of the pages of a taxonomy."""
    page.goto(f"{origin}/taxonomies")
    page.fill("#people", "10")
    page.click("text=Learn topics")
    page.wait_for_selector("text=Browse")
    learned = page.url
    page.goto(f"{origin}/taxonomies")
    page.set_input_files("#file", file("goods.csv", "product,group\nmilk,dairy\nbeer,drinks\n"))
    page.wait_for_selector("text=What is in this file?")
    new = page.url
    page.goto(learned)
    page.click(".nodes a >> nth=0")
    page.click("button:has-text('Coverage')")
    page.wait_for_selector("text=different items are in the taxonomy")
    return {"taxonomy_new": new, "taxonomy": page.url}


def picture(page: Page, address: str, width: int, height: int, colours: str, file: Path, *, whole: bool = False) -> None:
    """Write one picture."""
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme="dark" if colours == "dark" else "light")
    page.goto(address)  # pages that follow a job are never without requests
    page.wait_for_timeout(500)
    page.wait_for_selector("[aria-busy]", state="detached")
    page.screenshot(path=file, full_page=whole)


def take_documented(page: Page, pages: Mapping[str, str]) -> None:
    """Write the pictures of the documentation."""
    addresses = {**pages, "routes": f"{pages['choose']}#routes"}
    for name, (which, colours, width, height) in PICTURES.items():
        picture(page, addresses[which], width, height, colours, IMAGES / f"studio-{name}.png")


def take_all(page: Page, pages: Mapping[str, str], place: Path) -> None:
    """Write four pictures of every page, and print what is wrong with it."""
    for which, address in pages.items():
        for width, colours in ((1280, "light"), (1280, "dark"), (400, "light"), (400, "dark")):
            picture(page, address, width, 900, colours, place / f"{which}-{width}-{colours}.png", whole=True)
            for line in findings(page):
                print(f"{which}, {width} pixels, {colours}: {line}", flush=True)
    print(f"{4 * len(pages)} pictures of {len(pages)} pages in {place}", flush=True)


def findings(page: Page) -> list[str]:
    """What axe-core objects to, and whether the page is wider than the window; nothing if axe is not installed."""
    axe = find_spec("axe_playwright_python")
    if axe is None or axe.origin is None:
        return []
    page.evaluate((Path(axe.origin).parent / "axe.min.js").read_text("utf-8"))
    found = page.evaluate("axe.run(document, {iframes: false})")["violations"]
    wide = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    return [f"{one['impact']}: {one['id']}, {one['nodes'][0]['html']}" for one in found] + ["wider than the window"] * wide


def main() -> None:
    """Start a studio and take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", type=Path, metavar="DIRECTORY")
    everything = parser.parse_args().all
    words = [sys.executable, "-m", "shoal", "studio", "--no-browser"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server, sync_playwright() as driver:
        assert server.stdout is not None
        address = next(line for line in server.stdout if "?token=" in line).split()[-1]
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"], timeout=MILLISECONDS)
        page = browser.new_page()
        page.set_default_timeout(MILLISECONDS)
        page.goto(address)
        try:
            origin = address.partition("/?")[0]
            pages = walk(page, origin)
            take_documented(page, pages)
            if everything is not None:
                take_all(page, pages, everything)
                take_all(page, rarely_seen(page, origin), everything)
        finally:
            browser.close()
            server.terminate()


if __name__ == "__main__":
    main()
