"""Measure the studio while a large job runs: `python benchmarks/studio.py --people 650000 --seconds 60`.

A server is started as a user starts it. A generated search log is opened by its path, and its routes are tried, which keeps a worker busy.
Meanwhile pages are loaded, and a browser follows the progress. Printed are the times of pages in the server (its processor time, and wall
time, which depends on other load of the machine), the longest task of the page in the browser, and the peak memory of the server. Before
that, the preview of a log of 10,000 people is asked with several dials.
"""

from __future__ import annotations

import argparse
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx2 as httpx

import shoal

PREVIEWED = 10_000
DIALS = [(5, 1), (5, 2), (10, 3), (5, 99), (25, 99), (10, 1)]
CHANGE = re.compile(r'name="shoal-change" content="([0-9a-f]+)"')
OBSERVER = """() => {
  window.longest = 0;
  const keep = (list) => { for (const one of list.getEntries()) window.longest = Math.max(window.longest, one.duration); };
  new PerformanceObserver(keep).observe({ type: "longtask", buffered: true });
}"""


class Server:
    """A studio in a process of its own, and a client with a session."""

    def __init__(self, root: Path) -> None:
        words = [sys.executable, "-m", "shoal", "studio", "--no-browser", "--root", str(root)]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().split()[-1]
        self.here = self.address.partition("/?")[0]
        self.client = httpx.Client(base_url=self.here, follow_redirects=True, timeout=600)
        found = CHANGE.search(self.client.get(self.address).text)
        assert found is not None
        self.change = found[1]

    def post(self, address: str, /, **fields: str) -> httpx.Response:
        """Send a form."""
        return self.client.post(address, data={"change": self.change, **fields}, headers={"origin": self.here})

    def opened(self, name: str) -> str:
        """Open a file below the root and confirm its people; its address."""
        address = self.post("/open/path", path=name).url.path
        while 'id="people"' not in self.client.get(address).text:
            time.sleep(0.5)
        assert self.post(f"{address}/confirm", people="yes").status_code == 200
        return address

    @property
    def peak_mb(self) -> float:
        """The peak memory of the server, without its workers."""
        told = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", told)[1]) / 1024  # type: ignore[index]

    @property
    def processor_seconds(self) -> float:
        """The processor time of the server, without its workers."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100


def preview(server: Server, name: str) -> None:
    """Ask for previews as somebody who moves the dial."""
    address = server.opened(name)
    begun = time.perf_counter()
    server.post(f"{address}/preview", k="5", knows="2")
    print(f"preview of {PREVIEWED:,} people: the first answer, with reading, after {time.perf_counter() - begun:.1f} s")
    for k, knows in DIALS:
        begun = time.perf_counter()
        found = server.post(f"{address}/preview", k=str(k), knows=str(knows)).json()
        people = [row["people"] for row in found["rows"]]
        print(f"  k = {k}, attacker knows {knows}: {time.perf_counter() - begun:.2f} s, on {people} people")


def while_running(server: Server, name: str, seconds: int) -> None:
    """Load pages while routes are tried."""
    address = server.opened(name)
    job = str(server.post(f"{address}/advise", goal="histories", k="5", seconds="600", knows="1").url).rpartition("job=")[2]
    page = _follow(server, f"{address}/choose?job={job}")
    end, before, times = time.monotonic() + seconds, server.processor_seconds, []
    while time.monotonic() < end:
        for path in ("/", "/history", f"{address}/choose?job={job}"):
            begun = time.perf_counter()
            assert server.client.get(path).status_code == 200
            times.append(time.perf_counter() - begun)
        time.sleep(0.2)
    used = (server.processor_seconds - before) / len(times)
    print(f"{len(times)} pages while a job runs: median {statistics.median(times) * 1000:.0f} ms, longest {max(times) * 1000:.0f} ms,")
    print(f"  {used * 1000:.1f} ms of processor time each, with the event stream; peak memory of the server {server.peak_mb:.0f} MB")
    if page is not None:
        print(f"  longest task in the browser: {page.evaluate('window.longest'):.0f} ms")  # type: ignore[attr-defined]
    server.post(f"/jobs/{job}/cancel")


def _follow(server: Server, path: str) -> object | None:
    """A page in a browser that follows the progress; None where there is no browser."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    if shutil.which("chromium") is None:
        return None
    browser = sync_playwright().start().chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    page = browser.new_page()
    page.goto(server.address)
    page.goto(f"{server.here}{path}")
    page.evaluate(OBSERVER)
    return page


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=100_000)
    parser.add_argument("--seconds", type=int, default=60)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        shoal.generate(users=PREVIEWED, seed=1).write_csv(Path(place, "small.csv"))
        shoal.generate(users=asked.people, seed=2).write_csv(Path(place, "large.csv"))
        server = Server(Path(place))
        try:
            preview(server, "small.csv")
            print(f"a log of {asked.people:,} people, {Path(place, 'large.csv').stat().st_size >> 20:,} MB")
            while_running(server, "large.csv", asked.seconds)
        finally:
            server.process.terminate()
            server.process.wait(60)


if __name__ == "__main__":
    main()
