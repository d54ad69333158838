"""A real browser, driven over its debugging pipe: what a page shows, logs and asks the network for. Needs Chromium and nothing else."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ABSENT = "chromium is not installed (apt-get install chromium): pages are not opened in a browser"
QUIET = ("--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions")
SECONDS = 60
COMPLAINTS = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")


@dataclass
class Page:
    """A page that was opened: what it complained of, and what it asked for beside itself."""

    browser: Browser
    session: str
    complaints: list[Any] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def evaluate(self, script: str) -> Any:
        """The value of an expression on the page."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def call(self, method: str, **parameters: Any) -> Any:
        return self.browser.call(method, self.session, **parameters)

    def show(self, width: int, *, dark: bool = False, media: str = "") -> None:
        """Show the page at this width, in light or dark colours, or as another medium."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        colours = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[colours])

    def printed(self) -> bytes:
        """The page as PDF."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def screenshot(self) -> bytes:
        """The whole page as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"])


class Browser:
    """A browser without a window, in a process of its own."""

    def __init__(self, profile: Path) -> None:
        assert CHROMIUM is not None
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        words = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", *QUIET, f"--user-data-dir={profile}"]
        # The browser reads commands from descriptor 3 and writes answers to 4.
        shell = f'exec 3<&{theirs_in} 4>&{theirs_out}; exec "$@"'
        self._process = subprocess.Popen(
            ["bash", "-c", shell, "chromium", *words],
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        os.set_blocking(ours_in, False)
        self._in, self._out = ours_in, ours_out
        self._number, self._rest = 0, b""
        self._pages: dict[str, Page] = {}
        self._loaded: set[str] = set()

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(SECONDS)
        os.close(self._in)
        os.close(self._out)

    @contextmanager
    def open(self, place: Path, width: int = 1280) -> Iterator[Page]:
        """A file in a window of this width."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self._pages[session] = Page(self, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        page.show(width)
        page.call("Page.navigate", url=place.as_uri())
        self._until(lambda: session in self._loaded)
        try:
            yield page
        finally:
            self.call("Target.closeTarget", targetId=target)

    def call(self, method: str, session: str | None = None, **parameters: Any) -> Any:
        """The answer to one command."""
        self._number += 1
        number, answers = self._number, []
        told = {"id": number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        os.write(self._out, json.dumps(told).encode() + b"\0")
        self._until(lambda: bool(answers), lambda found: answers.append(found) if found.get("id") == number else None)
        assert "error" not in answers[0], answers[0]
        return answers[0]["result"]

    def _until(self, done: Any, also: Any = lambda found: None) -> None:
        deadline = time.monotonic() + SECONDS
        while not done():
            assert time.monotonic() < deadline, "the browser does not answer"
            for found in self._heard():
                self._note(found)
                also(found)

    def _heard(self) -> list[Any]:
        try:
            read = os.read(self._in, 1 << 20)
        except BlockingIOError:
            time.sleep(0.005)
            return []
        assert read, "the browser ended"
        *whole, self._rest = (self._rest + read).split(b"\0")
        return [json.loads(one) for one in whole]

    def _note(self, found: Any) -> None:
        """What a page tells by itself."""
        method, page = found.get("method"), self._pages.get(found.get("sessionId", ""))
        if page is None:
            return
        if method in COMPLAINTS:
            page.complaints.append(found["params"])
        elif method == "Network.requestWillBeSent":
            page.requests.append(found["params"]["request"]["url"])
        elif method == "Page.loadEventFired":
            self._loaded.add(page.session)
