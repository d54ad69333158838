"""Load: many requests to the studio while jobs run, and the memory of a process that publishes the same log again and again.

    python benchmarks/load.py --studio 120 --rate 200
    python benchmarks/load.py --repeat 10 --people 50000
    python benchmarks/load.py --draw

The first starts a studio as a user starts it, looks for routes for three logs at once, again and again, and requests pages at a fixed rate
over the loopback interface for so many seconds. It prints how many were answered: fewer than the rate if the machine is too busy.
The second publishes a generated log in one process, and measures what the process holds after each release. Both keep their figures in
benchmarks/results, from which the third draws docs/images/load.svg.
"""

from __future__ import annotations

import argparse
import gc
import http.client
import json
import os
import statistics
import tempfile
import threading
import time
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import shoal
from common import RESULTS, ROOT
from datasets import generated_log
from studio import Server, processor_seconds

STUDIO, REPEATED, PICTURE = RESULTS / "load_studio.json", RESULTS / "load_repeated.json", ROOT / "docs" / "images" / "load.svg"
JOBS, JOB_PEOPLE = 3, 3_000
CONNECTIONS = 32
TIMEOUT = 30.0  # seconds


def held_mb(process: int) -> float:
    """The memory that a process holds now."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


class Requests:
    """Requests at a fixed rate, or as many as are answered, made by threads with a connection each."""

    def __init__(self, here: str, cookie: str, pages: list[str], rate: float, seconds: float) -> None:
        self._host, self._cookie, self._pages = here.removeprefix("http://"), cookie, pages
        self._rate, self._seconds, self._count = rate, seconds, round(rate * seconds)
        self._next, self._lock = 0, threading.Lock()
        self.answers: list[tuple[float, float, int]] = []  # when it was sent, the latency, the status

    def run(self) -> None:
        """Make all requests."""
        self.began = time.monotonic()
        threads = [threading.Thread(target=self._work) for _ in range(CONNECTIONS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _work(self) -> None:
        connection = http.client.HTTPConnection(self._host, timeout=TIMEOUT)
        while True:
            with self._lock:
                number, self._next = self._next, self._next + 1
            if number >= self._count or time.monotonic() > self.began + self._seconds:
                connection.close()
                return
            due = number / self._rate
            time.sleep(max(0.0, self.began + due - time.monotonic()))
            sent, status = time.monotonic(), 0
            try:
                connection.request("GET", self._pages[number % len(self._pages)], headers={"Cookie": self._cookie})
                answer = connection.getresponse()
                answer.read()
                status = answer.status
            except OSError:
                connection.close()
            self.answers.append((sent - self.began, time.monotonic() - sent, status))


def load_studio(rate: float, seconds: float) -> dict[str, Any]:
    """Start a studio with three jobs, and request pages."""
    with tempfile.TemporaryDirectory() as place:
        for number in range(JOBS):
            shoal.generate(users=JOB_PEOPLE, seed=number).write_csv(Path(place, f"log{number}.csv"))
        server = Server(Path(place))
        try:
            return _load(server, rate, seconds)
        finally:
            server.process.terminate()
            server.process.wait(60)


class Jobs:
    """A job for each of some logs; where one ends, the next one begins."""

    def __init__(self, server: Server, seconds: float) -> None:
        self._server, self._seconds = server, str(round(seconds))
        self._logs = [server.opened(f"log{number}.csv") for number in range(JOBS)]
        self._now = [self._begin(log) for log in self._logs]
        self.begun = JOBS

    @property
    def pages(self) -> list[str]:
        """The pages with the progress of the first jobs."""
        return list(self._now)

    def _begin(self, log: str) -> str:
        url = self._server.post(f"{log}/advise", goal="queries", k="5", seconds=self._seconds, knows="1").url
        return f"{url.path}?{url.query.decode()}"

    def go_on(self) -> None:
        """Begin a job for each one that has ended."""
        for place, page in enumerate(self._now):
            if 'id="progress"' not in self._server.client.get(page).text:
                self._now[place] = self._begin(self._logs[place])
                self.begun += 1


def _load(server: Server, rate: float, seconds: float) -> dict[str, Any]:
    jobs = Jobs(server, seconds)
    cookie = "; ".join(f"{name}={value}" for name, value in server.client.cookies.items())
    requests = Requests(server.here, cookie, ["/", "/history", *jobs.pages], rate, seconds)
    main, before, memory = server.process.pid, processor_seconds(server.process.pid), [(0.0, held_mb(server.process.pid))]
    work = threading.Thread(target=requests.run)
    work.start()
    while work.is_alive():
        work.join(1.0)
        memory.append((time.monotonic() - requests.began, held_mb(main)))
        if work.is_alive():
            jobs.go_on()
    spent = processor_seconds(main) - before
    return {
        "rate": rate,
        "answers": requests.answers,
        "memory": memory,
        "seconds": time.monotonic() - requests.began,
        "processor": spent,
        "jobs": jobs.begun,
        "load": os.getloadavg()[0],
    }


def repeat(times: int, people: int) -> None:
    """Publish a generated log so many times in this process."""
    from shoal.cli.main import run

    log, memory, took = generated_log(people), [held_mb(os.getpid())], []
    os.environ["SHOAL_ADVICE"] = "0"
    for number in range(times):
        began = time.process_time()
        with tempfile.TemporaryDirectory() as place, Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
            assert run(["anonymize", str(log), "--out", f"{place}/release", "--json"]) == 0
        gc.collect()
        took.append(time.process_time() - began)
        memory.append(held_mb(os.getpid()))
        REPEATED.write_text(json.dumps({"people": people, "memory": memory, "processor": took}))
        print(f"release {number + 1}: {took[-1]:.1f} s of processor time, {memory[-1]:.0f} MB held afterwards", flush=True)


def show_studio(found: dict[str, Any]) -> None:
    """Print the latencies."""
    latencies = sorted(latency for _, latency, status in found["answers"] if status == 200)
    count, seconds = len(found["answers"]), found["seconds"]
    print(f"{count} requests in {seconds:.0f} s ({count / seconds:.0f} a second of {found['rate']:.0f}), {count - len(latencies)} failed")
    shares = [latencies[min(len(latencies) - 1, int(len(latencies) * share))] * 1000 for share in (0.5, 0.95, 0.99)]
    print(f"latency: median {shares[0]:.0f} ms, 95 % {shares[1]:.0f} ms, 99 % {shares[2]:.0f} ms, longest {latencies[-1] * 1000:.0f} ms")
    each, held = found["processor"] * 1000 / count, [mb for _, mb in found["memory"]]
    print(f"server: {each:.1f} ms of processor time each, {held[0]:.0f} MB at first, {held[-1]:.0f} MB at last")
    print(f"{JOBS} jobs at once, {found['jobs']} begun in all; load of the machine {found['load']:.1f}")


def draw() -> None:
    """Draw the latency and memory of the studio by second, and the memory after each release."""
    import altair as alt
    import vl_convert as vlc

    studio, again = json.loads(STUDIO.read_text()), json.loads(REPEATED.read_text())
    by_second: dict[int, list[float]] = {}
    for due, latency, _ in studio["answers"]:
        by_second.setdefault(int(due), []).append(latency * 1000)
    rows = [{"second": at, "ms": statistics.median(found), "latency": "median"} for at, found in sorted(by_second.items())]
    rows += [{"second": at, "ms": max(found), "latency": "longest"} for at, found in sorted(by_second.items())]
    size = {"width": 250, "height": 160}
    latency = (
        alt.Chart(alt.Data(values=rows), title="Studio: latency", **size)
        .mark_line()
        .encode(x=alt.X("second:Q", title="seconds"), y=alt.Y("ms:Q", title="ms", scale=alt.Scale(type="log")), strokeDash="latency:N")
    )
    held = [{"second": at, "MB": mb} for at, mb in studio["memory"]]
    memory = (
        alt.Chart(alt.Data(values=held), title="Studio: memory", **size)
        .mark_line()
        .encode(x=alt.X("second:Q", title="seconds"), y=alt.Y("MB:Q"))
    )
    after = [{"release": number, "MB": mb} for number, mb in enumerate(again["memory"]) if number]
    repeats = (
        alt.Chart(alt.Data(values=after), title=f"{again['people']:,} people again and again", **size)
        .mark_line(point=True)
        .encode(x=alt.X("release:Q", title="releases"), y=alt.Y("MB:Q", title="MB held"))
    )
    PICTURE.write_text(vlc.vegalite_to_svg(alt.hconcat(latency, memory, repeats).to_json()))


def main() -> None:
    """Measure, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studio", type=float, metavar="SECONDS", help="request pages for so many seconds")
    parser.add_argument("--rate", type=float, default=200, help="requests a second")
    parser.add_argument("--repeat", type=int, metavar="TIMES", help="publish a log so many times")
    parser.add_argument("--people", type=int, default=50_000)
    parser.add_argument("--draw", action="store_true")
    options = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    if options.studio:
        found = load_studio(options.rate, options.studio)
        STUDIO.write_text(json.dumps(found))
        show_studio(found)
    if options.repeat:
        repeat(options.repeat, options.people)
    if options.draw:
        draw()


if __name__ == "__main__":
    main()
