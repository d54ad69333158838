"""What all pages of one studio share: its folder, its processes, the root of paths, and its limits."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.io.below_root import Root
from shoal.studio.previews import Previews
from shoal.studio.processes import Processes
from shoal.studio.states import LOOK
from shoal.studio.store import OpenedFile, Store, StoredJob

WAIT_SECONDS = 20.0  # for a file to be looked at, before the page shows the progress
LARGEST_UPLOAD = 2 << 30
UPLOAD_SECONDS = 1_800.0
MOST_STREAMS = 32


@dataclass
class Studio:
    """The state of a server.

    Attributes:
        store: Sources and jobs.
        root: Where files may be opened by path; None if nowhere.
        processes: The running tasks.
        largest_upload: In bytes.
        upload_seconds: How long an upload may take.
        streams: The number of open event streams.
        previews: The processes that keep files in memory for previews.
        looking: Ends two looks at one source at once.
    """

    store: Store
    root: Root | None
    processes: Processes
    largest_upload: int = LARGEST_UPLOAD
    upload_seconds: float = UPLOAD_SECONDS
    streams: int = 0
    previews: Previews = field(default_factory=Previews)
    looking: asyncio.Lock = field(default_factory=asyncio.Lock)

    def job(self, identity: str) -> StoredJob | None:
        """Return the job of this ID; None if there is none."""
        return self.store.job(identity, self.processes.alive)

    def begin(self, kind: str, **task: Any) -> Path:
        """Describe a task and start it."""
        folder = self.store.add_job(kind, **task)
        self.processes.start(folder)
        return folder

    async def look(self, source: OpenedFile) -> tuple[OpenedFile, StoredJob]:
        """The job that looked at a source with its present options; waits for it a while."""
        async with self.looking:
            found = self.job(source.look) if source.look else None
            if found is None or (found.over and found.result is None):
                folder = self.begin(LOOK, path=source.path, name=source.name, options=dict(source.options))
                source = source.save(look=folder.name)
        job = self.job(source.look)
        assert job is not None
        if not job.over:
            await self.processes.wait(job.folder, WAIT_SECONDS)
            job = self.job(source.look)
            assert job is not None
        return source, job
