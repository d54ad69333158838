"""What would be left of a file, for a goal, for what an attacker may know and for k: measured on a sample within two seconds.

    python -m shoal.studio.preview

The process reads a file once and keeps it, so that an answer needs no reading. The first line of standard input is the file with its
options, each further line a question, and each line of standard output an answer, all as JSON. The line `"stop"` ends the measurements of
the question before it, which is then answered with what is known so far. The process ends when standard input ends.
"""

from __future__ import annotations

import json
import queue
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from shoal.api.data_options import options_and_taxonomy
from shoal.errors import ShoalError
from shoal.evaluate.advise.advise import MeasuredRoute, fitting_taxonomy
from shoal.evaluate.advise.goals import DataFacts, facts_of
from shoal.evaluate.advise.routes import COUNTS, HISTORIES, Candidate
from shoal.evaluate.advise.sample import Samples
from shoal.evaluate.advise.trial import FIRST_PEOPLE, Attempt, Route
from shoal.io.read.options import ACCESSLOG
from shoal.pipeline.options import NO_TAXONOMY, Preparation
from shoal.pipeline.request import chosen_method, parse_preparation
from shoal.studio.input_lines import read_line
from shoal.studio.states import EVERYTHING, STOP
from shoal.studio.tasks import Values, described

SECONDS = 1.5  # for all methods of the first answer to a question together
USUAL_K = 5
FIRST_QUERIES = 1_000  # of the first sample, about, if every query is a record
TIMES_K = 2  # people of this sample, at least, for every one among whom a person is hidden
FIRST_COUNTED = 1_000  # people of the first sample for counts with noise, in which those of fewer people disappear
SUPPRESSES, GENERALIZES = "leaves out rare items", "generalizes rare items"
TOO_MANY = ", more than 1 in k, so it is not offered as a route"
GROUPS = "makes groups of k people alike"
NOISE = "publishes counts with noise"
QUERIES = "queries"  # a goal
# Methods for which it does not matter what an attacker knows; of a slow one, its fast search.
OF_FORMAT: Mapping[str, tuple[str, dict[str, str]]] = {
    "accesslog": ("accesslog-mdav", {}),
    "microdata": ("microaggregation", {"effort": "fast"}),
}


class Preview:
    """A file that is kept in memory, and what would be left of it."""

    def __init__(self, path: Path, options: Mapping[str, Any]) -> None:
        """Read the file, or the first part of a large one.

        Raises:
            ShoalError: It cannot be read with these options.
        """
        self._options = options_and_taxonomy(options)[0]
        self._samples = Samples((path,))
        base = Preparation.of_format(self._options.get("format"))
        reading = self._samples.reading(parse_preparation(dict(self._options), base))
        self.facts: DataFacts = facts_of(reading)
        ready = self._options.get("taxonomy") is not None or reading.items is not None
        self._taxonomy = {} if ready else fitting_taxonomy(reading, self.facts, self._options)
        self._tried: dict[tuple[str, ...], Attempt] = {}
        self._running: Attempt | None = None
        self._stopped = False

    def of(self, k: int, knows: int, goal: str = "", again: int = 0) -> Values:
        """Return what each method would leave, and whom an attacker would find.

        Args:
            k: The number of people among whom everybody is hidden.
            knows: The number of items that an attacker knows.
            goal: What is to be published.
            again: How often the question was asked before. Each time there is twice as much time, for larger samples.
        """
        begun, self._stopped = time.perf_counter(), False
        methods = list(self._methods(k, knows, goal))
        each = SECONDS * 2**again / len(methods)
        rows = [self._measured(goal, k, *one, begun + each * (n + 1)) for n, one in enumerate(methods)]
        return {"rows": rows, "seconds": round(time.perf_counter() - begun, 2)}

    def stop(self) -> None:
        """End the measurements of the present question, from another thread."""
        self._stopped = True
        if self._running is not None:
            self._running.interrupt()

    def _methods(self, k: int, knows: int, goal: str) -> Iterator[tuple[str, dict[str, str], str]]:
        """Yield the methods that protect against this attacker, their parameters, and what they do."""
        values = {"k": str(k)}
        if goal == COUNTS:
            yield "dp-queries", {"unit": "term" if self.facts.texts else "item"}, NOISE
        elif self.facts.format in OF_FORMAT and goal != HISTORIES:
            method, further = OF_FORMAT[self.facts.format]
            yield method, {**values, **further}, GROUPS
        elif knows == EVERYTHING:
            yield "shoal", values, GROUPS
        else:
            yield "coherence", {**values, "p": str(knows)}, SUPPRESSES
            yield "km", {**values, "m": str(knows)}, GENERALIZES

    def _measured(self, goal: str, k: int, name: str, settings: Mapping[str, str], does: str, end: float) -> Values:
        """Try a method on samples that grow until the time is up, and return what was measured."""
        self._running = attempt = self._attempt(goal, name, settings)
        found = attempt.found if self._stopped else attempt.go_on(end - time.perf_counter())
        route = MeasuredRoute(Candidate(goal, name, does, "", ""), {}, settings, found, 1 / k, not self.facts.texts)
        does = does.replace("items", "words") if self.facts.texts else does
        row = {"method": name, "settings": dict(settings), "does": does, "people": found.people, "whole": found.whole}
        if found.expected_kept is None:
            return {**row, "kept": None, "left": f"not measured: {found.why_not}", "risk": ""}
        risk = route.risk if route.safe else f"{route.risk}{TOO_MANY}"
        if found.whole or (found.samples > 1 and found.people >= FIRST_PEOPLE):
            return {**row, "kept": found.expected_kept, "left": route.left, "risk": risk}
        return {**row, "kept": found.kept, "left": route.left_of_sample, "risk": risk}  # too little for a forecast

    def _attempt(self, goal: str, name: str, settings: Mapping[str, str]) -> Attempt:
        """Return the trials of a method with these parameters, which go on where they were."""
        key = (goal, name, *settings.values())
        if key not in self._tried:
            method = chosen_method(name, dict(settings))
            base = Preparation.default_for(method)
            on_taxonomy = base.shape == "records" and base.taxonomy != NO_TAXONOMY
            preparation = parse_preparation({**self._options, **(self._taxonomy if on_taxonomy else {}), **self._records(goal)}, base=base)
            self._tried[key] = Attempt(
                self._samples, Route(method, preparation), self.facts.people, self._first_people(goal, int(settings.get("k", 0)))
            )
        return self._tried[key]

    def _first_people(self, goal: str, k: int) -> int | None:
        """Return the people of the first sample, fewer where people have many records, for an answer in time; None for the default."""
        if goal == COUNTS:
            return FIRST_COUNTED
        if goal != QUERIES:
            return None
        return max(TIMES_K * k, min(FIRST_PEOPLE, round(FIRST_QUERIES * self.facts.people / max(1, self.facts.rows))))

    def _records(self, goal: str) -> dict[str, str | None]:
        """Return the options for what a record is, where a goal decides it."""
        if goal == QUERIES:
            return {"record": None, "per": "event"}
        if goal in (HISTORIES, COUNTS):
            return {"record": None, **({"per": "session"} if self.facts.format == ACCESSLOG else {})}
        return {}


def main() -> None:
    """Answer questions until there are no more."""
    first = read_line()
    if not first:
        return
    task = json.loads(first)
    try:
        preview = Preview(Path(task["path"]), task["options"])
        preview.of(USUAL_K, EVERYTHING)  # loads what the first answer would have to wait for
    except ShoalError as error:
        _answer(described(error, task))
        return
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(preview, lines), daemon=True).start()
    while line := lines.get():
        request = json.loads(line)
        try:
            _answer(preview.of(request["k"], request["knows"], request["goal"], request["again"]))
        except ShoalError as error:
            _answer(described(error, task))


def _listen(preview: Preview, lines: queue.SimpleQueue[bytes]) -> None:
    """Hand on questions, and an empty line at the end of standard input. What is to be stopped is stopped at once."""
    while line := read_line():
        if json.loads(line) == STOP:
            preview.stop()
        else:
            lines.put(line)
    preview.stop()
    lines.put(b"")


def _answer(found: Values) -> None:
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
