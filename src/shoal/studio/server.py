"""Starts and ends the server of a studio."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import socket
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from shoal.errors import ParameterError
from shoal.io.below_root import Root
from shoal.io.studio_folder import SOURCES, StudioFolder
from shoal.studio.app import make_app
from shoal.studio.guard import Sessions
from shoal.studio.open_pages import SAMPLES, sample_path
from shoal.studio.processes import Processes
from shoal.studio.shared_state import Studio
from shoal.studio.store import SAMPLE, Store

LOCAL = "127.0.0.1"
MOST_CONNECTIONS = 256
IDLE_SECONDS = 10
LAST_SECONDS = 3


@dataclass(frozen=True)
class StudioSettings:
    """How a studio is started.

    Attributes:
        root: The folder below which files are opened by path; None if files are only uploaded.
        keep: The folder in which uploads and jobs are kept; None for a temporary one.
        host: The address to listen on.
        port: The port; 0 for any that is free.
        browser: Whether a browser is opened.
        demo: Whether the studio begins with a sample that is open.
    """

    root: Path | None = None
    keep: Path | None = None
    host: str = LOCAL
    port: int = 0
    browser: bool = True
    demo: bool = False


def is_local(host: str) -> bool:
    """Whether only programs on this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def run_studio(settings: StudioSettings, announce: Callable[[str], None]) -> None:
    """Serve until an interrupt.

    Args:
        settings: How.
        announce: Shows a line to the user.

    Raises:
        ParameterError: The address cannot be listened on.
        InputError: The root is not a folder.
        OutputError: The folder to keep cannot be used.
    """
    root = None if settings.root is None else Root(settings.root)
    listening = _listen(settings.host, settings.port)
    folder = StudioFolder(settings.keep)
    try:
        asyncio.run(_serve(settings, root, folder, listening, announce))
    finally:
        listening.close()
        folder.remove()


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(MOST_CONNECTIONS)  # a browser that asks before the first page is ready waits
    except (OSError, UnicodeError, OverflowError) as error:
        why = getattr(error, "strerror", None) or "it is not an address of this machine"
        raise ParameterError(f"the studio cannot listen on {host!r}, port {port}: {why}", code="cannot-listen", value=port) from None
    return listening


async def _serve(
    settings: StudioSettings, root: Root | None, folder: StudioFolder, listening: socket.socket, announce: Callable[[str], None]
) -> None:
    store, sessions = Store(folder), Sessions()
    interrupted = store.mark_interrupted()
    if interrupted:
        announce(f"{interrupted:,} unfinished job{'s' if interrupted > 1 else ''} of an earlier studio marked as interrupted")
    port = listening.getsockname()[1]
    processes = Processes()
    processes.prepare()
    first = "/"
    if settings.demo:
        name = next(iter(SAMPLES))
        first = f"/sources/{store.add_source(folder.new(SOURCES), SAMPLES[name][0], sample_path(name), SAMPLE).identity}"
    app = make_app(Studio(store, root, processes), sessions, hosts_of(settings.host, port), f"shoal_studio_{port}", first)
    config = uvicorn.Config(
        app,
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=LAST_SECONDS,
        ws="none",
    )
    shown = LOCAL if settings.host in ("0.0.0.0", "::", "") else settings.host
    address = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/?token={sessions.token}"
    announce(f"shoal studio: {address}")
    announce(f"uploads and jobs are {'kept in' if folder.kept else 'deleted when the studio ends, from'} {folder.path}; Ctrl-C ends it")
    if settings.browser and not os.environ.get("SHOAL_NO_BROWSER"):
        await asyncio.to_thread(webbrowser.open_new_tab, address)
    await uvicorn.Server(config).serve(sockets=[listening])


def hosts_of(host: str, port: int) -> frozenset[str]:
    """Return the names by which the server may be called: those of this machine, and the one that was typed."""
    typed = f"[{host}]" if ":" in host else host
    return frozenset(f"{name}:{port}" for name in (LOCAL, "localhost", typed.lower()))
