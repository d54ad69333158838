"""A job: one run from data to a verified release, the same for every front end.

    job = Job(data, method, preparation, target=target)
    done = job.run(events, cancel)

The command line, the Python interface and cells of a comparison make a job and run it. Its steps are in `prepare` and `run`; a job adds
their order, the checks of a release that front ends ask for, and the context: events, cancelling, threads, and outputs of its own. A
backend does the same steps elsewhere: `job.run_on(backend, events, cancel)` is a run on a cluster.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from shoal.data.claims import Model, Verdict
from shoal.data.patience import allowing
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError, ReleaseWarning, option
from shoal.io.read.dispatch import Reading
from shoal.io.release_directory import ReleaseDirectory
from shoal.io.rules_file import RulesFile
from shoal.methods import Method, insist_on_packages
from shoal.pipeline.contract import insist_on_consent, insist_on_public_taxonomy
from shoal.pipeline.disclosure import announced, doubts
from shoal.pipeline.events import Cancel, Events, note, running, warn
from shoal.pipeline.options import Preparation, Target, is_topics
from shoal.pipeline.prepare import Prepared, prepare, read_whole
from shoal.pipeline.run import Judged, anonymize, few_words, publish, warnings_about
from shoal.pipeline.topic_claims import settled
from shoal.report.alarms import alarms


@dataclass(frozen=True, eq=False)
class Done:
    """The result of a job: the prepared input, the verified release, the manifest if a release was written, the time and the warnings."""

    prepared: Prepared
    judged: Judged
    manifest: dict[str, Any] | None = None
    seconds: float = 0.0
    warnings: tuple[ReleaseWarning, ...] = ()


@dataclass(frozen=True, eq=False)
class WrittenRelease:
    """The result of a backend: verdicts on the written release, its manifest, and warnings."""

    verdicts: tuple[Verdict, ...]
    manifest: dict[str, Any]
    warnings: tuple[ReleaseWarning, ...] = ()


class Backend(Protocol):
    """Runs the steps of a job elsewhere, near the records. It reports the same stages and writes to the target of the job."""

    def refuse(self, job: Job) -> None:
        """Raise, before anything is read, if the backend does not support a request of the job."""

    def release(self, job: Job) -> WrittenRelease:
        """Run all stages. Nothing is written unless every claim holds."""


class ReleaseCheck(Protocol):
    """A check of a release between its verification and its writing."""

    option: str  # that asks for it
    needs_reading: bool  # whether the data must be kept in memory as it was read

    def begin(self, job: Job) -> None:
        """Raise, before the run, if the check cannot be made."""

    def examine(self, job: Job, done: Done, reading: Reading | None) -> Judged:
        """Return the release with the results of the check. Raise if it must not be written. `reading` is the data, if needed."""


@dataclass(frozen=True, eq=False)
class Job:
    """All settings of a run.

    Attributes:
        data: Paths, data in memory, or what was prepared already.
        method: The method with its parameters.
        preparation: How the data is read and prepared.
        taxonomy: A taxonomy that was loaded already; by default the one that `preparation` names.
        claims: Claims beyond those of the method.
        metrics: Metrics beyond the usual ones.
        rules: Recoding rules of an earlier release, to be applied again.
        no_guarantee: Whether a method without guarantee was explicitly requested.
        checks: What else is done with the release before it is written.
        target: Where the release is written; None to keep it in memory.
        threads: The number of threads; by default all cores.
        patience: How much work verifying may take, as a multiple of the default.
    """

    data: Any
    method: Method
    preparation: Preparation
    taxonomy: Taxonomy | None = None
    claims: Sequence[Model] = ()
    metrics: Sequence[str] = ()
    rules: RulesFile | None = None
    no_guarantee: bool = False
    checks: Sequence[ReleaseCheck] = ()
    target: Target | None = None
    threads: int | None = None
    patience: float | None = None
    notes: Sequence[str] = field(default=())  # on the arguments, reported with those on the input

    def __post_init__(self) -> None:
        if self.taxonomy is None and is_topics(self.preparation.taxonomy):
            object.__setattr__(self, "preparation", settled(self.preparation, self.method))
        if self.taxonomy is None:
            insist_on_public_taxonomy(self.method, self.preparation.taxonomy)

    def run(self, events: Events | None = None, cancel: Cancel | None = None) -> Done:
        """Run all stages.

        Args:
            events: Receives stages, progress, notes and warnings.
            cancel: Stops the run, from any thread.

        Returns:
            What was made. Nothing is written unless every claim holds.

        Raises:
            GuaranteeNotMet: A claim fails. Nothing was written.
            Cancelled: The run was cancelled. Nothing is left behind.
            ShoalError: The input, a parameter or the target cannot be used.
        """
        begun = time.perf_counter()
        with self._context(events, cancel):
            self._begin()
            prepared, reading = self._prepare()
            judged = anonymize(prepared, self.method, self.metrics, self.claims, self.rules, no_guarantee=self.no_guarantee)
            for check in self.checks:
                judged = check.examine(self, Done(prepared, judged), reading)
            warnings = warnings_about(judged)  # before it is written: what is cancelled leaves nothing behind
            manifest = None if self.target is None else publish(judged.publishable(), self.target)
            warn(*warnings)
            return Done(prepared, judged, manifest, time.perf_counter() - begun, warnings)

    def run_on(self, backend: Backend, events: Events | None = None, cancel: Cancel | None = None) -> WrittenRelease:
        """Run all stages on a backend, such as a cluster. The job must have a target.

        Args:
            backend: Does the steps.
            events: Receives stages, progress, notes and warnings.
            cancel: Stops the run, from any thread.

        Returns:
            The verdicts and the manifest. Nothing is written unless every claim holds.

        Raises:
            GuaranteeNotMet: A claim fails. Nothing was written.
            Cancelled: The run was cancelled. Nothing is left behind.
            ShoalError: The backend cannot do this, or the input, a parameter or the target cannot be used.
        """
        with self._context(events, cancel):
            backend.refuse(self)
            self._begin()
            release = backend.release(self)
            warnings = (*alarms(release.manifest), *few_words(release.manifest))
            warn(*warnings)
            return replace(release, warnings=warnings)

    @contextmanager
    def _context(self, events: Events | None, cancel: Cancel | None) -> Iterator[None]:
        with running(events, cancel, self.threads), allowing(self.patience):
            yield

    def _begin(self) -> None:
        """Raise, before the run, for settings with which it could not finish."""
        insist_on_packages(self.method)
        insist_on_consent(self.method, self.no_guarantee)
        for check in self.checks:
            check.begin(self)
        if self.target is not None:
            directory = ReleaseDirectory(self.target.directory, force=self.target.force)
            note(*directory.clear())
            directory.check()
        warn(*doubts(self.method))

    def _prepare(self) -> tuple[Prepared, Reading | None]:
        """Read and prepare the data. Report how it was parsed before the method runs, which may take hours."""
        if isinstance(self.data, Prepared):
            return self.data, None
        reading = None
        if any(check.needs_reading for check in self.checks):
            if self.preparation.memory is not None:
                what = f"attacks keep the whole log in memory, which {option('memory')} should avoid"
                raise ParameterError(what, code="options-conflict", hint="leave one of them out")
            reading = read_whole(self.data, self.preparation)
        in_memory = reading is None or reading.data is self.data
        prepared = prepare(self.data if in_memory else reading, self.preparation, self.taxonomy)
        announcement = announced(prepared, self.method.claims())
        notes = (*self.notes, *announcement.notes)
        note(*notes)
        warn(*announcement.warnings)
        note(*announcement.left_out)
        return replace(prepared, notes=notes), reading
