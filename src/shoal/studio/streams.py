"""The events of a job as a stream that a page follows (server-sent events)."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from shoal.io.studio_folder import read_events
from shoal.studio.request_bodies import Refused
from shoal.studio.shared_state import MOST_STREAMS, Studio
from shoal.studio.store import StoredJob

PAUSE_SECONDS = 0.2
BEAT_SECONDS = 15.0  # between signs of life, by which a browser that left is noticed
LONGEST_SECONDS = 3_600.0  # after which a browser connects again


def event_stream(studio: Studio, request: Request, job: StoredJob) -> Response:
    """Return all events of a job so far, and further ones as they come, until the last one."""
    if studio.streams >= MOST_STREAMS:
        raise Refused(503, "too many pages are open")
    return StreamingResponse(_followed(studio, request, job), media_type="text/event-stream")


async def _followed(studio: Studio, request: Request, job: StoredJob) -> AsyncIterator[str]:
    studio.streams += 1
    try:
        offset, end, beat = 0, time.monotonic() + LONGEST_SECONDS, time.monotonic() + BEAT_SECONDS
        while time.monotonic() < end and not await request.is_disconnected():
            events, offset = await asyncio.to_thread(read_events, job.folder, offset)
            for event in events:
                yield f"data: {json.dumps(event)}\n\n"
            if any(event.get("event") == "end" for event in events):
                return
            if time.monotonic() > beat:
                beat = time.monotonic() + BEAT_SECONDS
                yield ": alive\n\n"
            await asyncio.sleep(PAUSE_SECONDS)
    finally:
        studio.streams -= 1
