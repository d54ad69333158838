"""Measure the studio while a large job runs: `python benchmarks/studio.py --people 650000 --seconds 1500`.

A server is started as a user starts it. First the preview of a log of 10,000 people is asked with several dials. Then a large search log is
opened by its path, its routes are tried, and one of them is published, with all people. Meanwhile pages are loaded, and a
browser follows the progress until the release is made, or for `--seconds`. Printed are the times of pages in the server (its processor
time, and wall time, which depends on other load of the machine), the longest task of the page in the browser, the peak memory of the server
and of the process of the job, and the processor time of the job.

`--goal` and `--route`, a part of the text of its card, choose another job than the release of whole histories by the default method.
`--previews` measures previews only, of the four kinds of samples with 10,000 people each.
`--log FILE` uses a log that was made before (`shoal generate`), so that it is not generated again.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import httpx2 as httpx

import shoal

PREVIEWED = 10_000
SAMPLES = Path(__file__).parents[1] / "scripts" / "studio_samples.py"
DIALS = [(5, 1), (5, 2), (10, 3), (5, 99), (25, 99), (10, 1)]
COUNTS = "counts"
PREVIEWED_GOALS = {
    "small.csv": ("queries", "histories", COUNTS),
    "baskets.csv": ("baskets", "histories", COUNTS),
    "access.log": ("log", "histories"),
    "people.csv": ("table",),
}
CHANGE = re.compile(r'name="shoal-change" content="([0-9a-f]+)"')
CARD = re.compile(r'<article class="card route".*?</article>', re.DOTALL)
PAUSE = 1.0  # seconds between two looks at the pages
RELOAD = 60  # looks after which the page in the browser is loaded again, with all events so far
OBSERVER = """
  window.longest = 0;
  const keep = (list) => { for (const one of list.getEntries()) window.longest = Math.max(window.longest, one.duration); };
  new PerformanceObserver(keep).observe({ type: "longtask", buffered: true });
"""


class Server:
    """A studio in a process of its own, and a client with a session."""

    def __init__(self, root: Path) -> None:
        words = [sys.executable, "-m", "shoal", "studio", "--no-browser", "--root", str(root)]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.address = next(line for line in self.process.stdout if "?token=" in line).split()[-1]
        self.here = self.address.partition("/?")[0]
        self.client = httpx.Client(base_url=self.here, follow_redirects=True, timeout=600)
        found = CHANGE.search(self.client.get(self.address).text)
        assert found is not None
        self.change = found[1]

    def post(self, address: str, /, **fields: str) -> httpx.Response:
        """Send a form."""
        return self.client.post(address, data={"change": self.change, **fields}, headers={"origin": self.here})

    def opened(self, name: str, **options: str) -> str:
        """Open a file below the root and confirm its people; its address."""
        address = self.post("/open/path", path=name).url.path
        if options:
            self.post(f"{address}/read", **options)
        while 'id="people"' not in self.client.get(address).text:
            time.sleep(0.5)
        assert self.post(f"{address}/confirm", people="yes").status_code == 200
        return address

    def workers(self) -> list[int]:
        """The processes of its jobs and previews."""
        return list(map(int, Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()))


def peak_mb(process: int) -> float:
    """The peak memory of a process, without its children; 0 if it has ended."""
    try:
        found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
    except OSError:
        return 0.0
    return int(found[1]) / 1024 if found else 0.0


def processor_seconds(process: int) -> float:
    """The processor time of a process, without its children; 0 if it has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / 100


def preview(server: Server, name: str) -> None:
    """Ask for previews as somebody who chooses goals and moves the dial."""
    address = server.opened(name, **({"format": "microdata"} if name == "people.csv" else {}))
    begun = time.perf_counter()
    goals = PREVIEWED_GOALS[name]
    server.post(f"{address}/preview", k="5", knows="2", goal=goals[0])
    print(f"preview of {name}, {PREVIEWED:,} people: the first answer, with reading, after {time.perf_counter() - begun:.1f} s")
    for goal in goals:
        for k, knows in DIALS if goal != COUNTS else DIALS[:1]:
            begun = time.perf_counter()
            found = server.post(f"{address}/preview", k=str(k), knows=str(knows), goal=goal).json()
            people = [row["people"] for row in found["rows"]]
            print(f"  {goal}, k = {k}, attacker knows {knows}: {time.perf_counter() - begun:.2f} s, on {people} people")


def while_running(server: Server, name: str, options: argparse.Namespace) -> None:
    """Load pages while the routes of a log are tried, and then while one of them is published."""
    address = server.opened(name)
    answer = server.post(f"{address}/advise", goal=options.goal, k="5", seconds="120", knows="1")
    advice = str(answer.url).rpartition("job=")[2]
    routes = f"{address}/choose?job={advice}"
    browser = Follower(server)
    load_pages(server, browser, routes, "routes are tried", options.seconds)
    cards = [" ".join(re.sub("<[^>]+>", " ", card).split()) for card in CARD.findall(server.client.get(routes).text)]
    for card in cards:
        print("  route:", card.partition("Protects")[0], card.rpartition("Keeps ")[2].partition("File format")[0])
    route = next(n for n, card in enumerate(cards) if options.route.lower() in card.lower())
    answer = server.post(f"{address}/publish", job=advice, route=str(route), **{"route-goal": options.goal})
    assert answer.status_code == 200, answer.text
    load_pages(server, browser, answer.url.path, f"a release is made by route {route + 1}", options.seconds)
    found = re.search("<h1>(.*?)</h1>", server.client.get(answer.url.path).text)
    print(f"the page of the job shows: {found[1] if found else ''}")
    server.post(f"{answer.url.path}/cancel")


def load_pages(server: Server, browser: Follower, path: str, what: str, seconds: int) -> None:
    """Load pages for some time, or until a page shows no progress any more."""
    browser.follow(path)
    main = server.process.pid
    begun, before, times = time.monotonic(), processor_seconds(main), list[float]()
    work = (0.0, 0.0)  # processor time and memory of the busiest worker
    while time.monotonic() < begun + seconds:
        for one in ("/", "/history", path):
            started = time.perf_counter()
            found = server.client.get(one)
            times.append(time.perf_counter() - started)
            assert found.status_code == 200
        browser.look()
        if 'id="progress"' not in found.text:
            break
        if len(times) % (3 * RELOAD) == 0:
            browser.follow(path)
        work = max(work, *((processor_seconds(worker), peak_mb(worker)) for worker in server.workers()))
        time.sleep(PAUSE)
    time.sleep(PAUSE)
    browser.look()  # at the page of the result, too
    used = (processor_seconds(main) - before) / len(times)
    print(f"{len(times)} pages in {time.monotonic() - begun:.0f} s while {what}: median {statistics.median(times) * 1000:.0f} ms,")
    print(f"  longest {max(times) * 1000:.0f} ms, {used * 1000:.1f} ms of processor time each, with the event stream;")
    print(f"  peak memory of the server {peak_mb(main):.0f} MB; longest task in the browser {browser.longest:.0f} ms;")
    print(f"  the job took {work[0]:.0f} s of processor time and {work[1]:.0f} MB at most", flush=True)


class Follower:
    """A page in a browser that follows the progress of a job; nothing where there is no browser."""

    def __init__(self, server: Server) -> None:
        from playwright.sync_api import sync_playwright

        self.longest = 0.0
        browser = sync_playwright().start().chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        self._page, self._here = browser.new_page(), server.here
        self._page.set_default_timeout(600_000)
        self._page.add_init_script(OBSERVER)
        self._page.goto(server.address)

    def follow(self, path: str) -> None:
        """Show a page."""
        self._page.goto(f"{self._here}{path}")

    def look(self) -> None:
        """Ask for the longest task so far; of a page that is just being replaced, at the next look."""
        from playwright.sync_api import Error

        with suppress(Error):
            self.longest = max(self.longest, float(self._page.evaluate("window.longest")))


def only_previews(place: Path) -> None:
    """Measure previews of four kinds of files."""
    words = [sys.executable, str(SAMPLES), "--people", str(PREVIEWED), "--out", str(place)]
    subprocess.run(words, check=True)
    server = Server(place)
    try:
        for name in PREVIEWED_GOALS:
            preview(server, name)
    finally:
        server.process.terminate()
        server.process.wait(60)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=100_000)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--goal", default="histories")
    parser.add_argument("--route", default="the strongest guarantee on whole histories")
    parser.add_argument("--previews", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        shoal.generate(users=PREVIEWED, seed=1).write_csv(Path(place, "small.csv"))
        if options.previews:
            only_previews(Path(place))
            return
        if options.log is None:
            shoal.generate(users=options.people, seed=2).write_csv(Path(place, "large.csv"))
        else:
            os.link(options.log, Path(place, "large.csv"))
        server = Server(Path(place))
        try:
            preview(server, "small.csv")
            of = f"{options.people:,} people" if options.log is None else options.log.name
            print(f"a log of {of}, {Path(place, 'large.csv').stat().st_size >> 20:,} MB")
            while_running(server, "large.csv", options)
        finally:
            server.process.terminate()
            server.process.wait(60)


if __name__ == "__main__":
    main()
