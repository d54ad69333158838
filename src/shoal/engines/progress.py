"""Progress of work whose parts are done side by side, told as that of one piece."""

from __future__ import annotations

from collections import defaultdict
from threading import Lock

from shoal import kernels


class ProgressOfParts:
    """Tells whoever watches now how much is done of all parts, under each label by itself."""

    def __init__(self, total: int) -> None:
        self._watch, self._total = kernels.watcher(), total
        self._done: dict[str, dict[int, int]] = defaultdict(dict)
        self._telling = Lock()

    def part(self, number: int, size: int) -> kernels.Watch | None:
        """Who watches one part, of this size of the total; nobody, where nobody watches the whole."""
        watch = self._watch
        if watch is None:
            return None

        def told(label: str, done: int, total: int, remark: str = "") -> None:
            with self._telling:
                self._done[label][number] = size * done // total if total else 0
                watch(label, sum(self._done[label].values()), self._total, remark)

        return told

    def end(self, number: int, size: int) -> None:
        """A part is done, whatever was told of it last."""
        with self._telling:
            for parts in self._done.values():
                parts[number] = size
