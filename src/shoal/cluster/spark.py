"""A Spark cluster: data frames of Arrow tables that are mapped, grouped and stored, and numbered partitions.

This is the only module that imports pyspark. Functions of this program process the tables, in a Python process next to an executor, one
thread per task. The output of every step that others read is stored as Parquet on a shared file system. Nothing is kept in memory between
steps, so a lost worker costs only the work on its partitions. An error arrives as one line of this program, without any content.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from shoal import _kernels, errors, kernels
from shoal.errors import InputError, OutputError, ShoalError, option
from shoal.packages import insist_on_extra

if TYPE_CHECKING:
    import pyarrow as pa

    Work = Callable[[Any, int, pa.Table], Iterator[pa.Table]]
    GroupWork = Callable[[Any, pa.Table], pa.Table]

log = logging.getLogger("shoal.spark")

BROADCAST = "spark.sql.autoBroadcastJoinThreshold"
PARTITIONS = "spark.sql.shuffle.partitions"
PARTITION_BYTES = 64 << 20  # of the input
LEAST_SPAN = 4 << 20  # of a file that several tasks read
LARGEST_INPUT = 1 << 60  # Spark says more than this of what it does not know
MOST_PARTITIONS = 20_000
SECONDS_WITHOUT_WORKERS, NAP, GRACE = 300.0, 0.25, 5.0
ERROR_MARK = "SHOAL-ERROR "
_MARKED_ERROR = re.compile(ERROR_MARK + r"(\{.*?\})\s*(?:$|\n)", re.MULTILINE)
# Java's second compiler and parallel collector cost more than they save if Java moves no rows; extraJavaOptions take precedence.
LOCAL_DIR, LOCAL_DIRS_VARIABLE = "spark.local.dir", "SPARK_LOCAL_DIRS"
JAVA_OPTIONS, FOR_FEW_ROWS = "spark.driver.defaultJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SETTINGS = {
    "spark.ui.showConsoleProgress": "false",
    "spark.ui.enabled": "false",
    "spark.sql.adaptive.coalescePartitions.enabled": "false",  # a partition is as large as the plan makes it
    "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.files.maxPartitionBytes": str(PARTITION_BYTES),
    BROADCAST: "-1",  # a join by broadcast would bring rows to the driver
    "spark.executorEnv.POLARS_MAX_THREADS": "1",  # a task has one core
}
# Messages of Spark about faults outside of this program, and the messages shown instead.
FULL = ("No space left", "ENOSPC", "Disk quota")
DIED = ("Python worker exited unexpectedly",)  # with an EOFException beneath it, as a file that ends too soon has one
ABSENT = ("PATH_NOT_FOUND", "FILE_NOT_EXIST", "Input path does not exist")
DAMAGED = ("FAILED_READ_FILE", "is not a Parquet", "ZipException", "incorrect header check", "CANNOT_READ_FILE")
LOST = ("ExecutorLost", "executor lost", "Worker lost", "FetchFailed", "Master removed", "All masters are unresponsive")


@dataclass(frozen=True)
class PrivatePlaces:
    """Where Spark stores private files, so that a later run can remove them.

    Attributes:
        lock: An existing file that the Java process of the driver locks for as long as it works.
        local_directories: From the configured local directories of Spark, perhaps none, to those that this run uses in their place.
    """

    lock: Path
    local_directories: Callable[[Sequence[Path]], Sequence[Path]]


class Cluster:
    """A Spark session, and the directory where the steps of one run are stored."""

    def __init__(self, session: Any, place: Path, *, own: bool = False, created: bool = False, lock: Any = None) -> None:
        self.session = session
        self.place = place
        self.own = own
        self._created = created
        self._lock = lock

    @classmethod
    def at(cls, master: str | None, place: Path, *, java_works: bool = True, private: PrivatePlaces | None = None) -> Cluster:
        """Return the session at this master; without one, that of spark-submit, or all cores of this machine.

        If Java processes no rows, it compiles as little as possible.
        """
        with spark_errors():
            settings = _settings(master, java_works=java_works)
            created = not _has_context()
            lock = None
            if created and private is not None:
                lock = _started_java(settings, private)
            elif private is not None:
                lock = _java_lock(private.lock)
            return cls(_session(settings), place, own=True, created=created, lock=lock)

    @classmethod
    def of(cls, frame: Any, place: Path, lock: Path | None = None) -> Cluster:
        """Return the session of a data frame."""
        user_session = frame.sparkSession
        session = user_session.newSession()  # the settings of the user's own one stay as they are
        for name, value in {**SETTINGS, PARTITIONS: user_session.conf.get(PARTITIONS)}.items():
            if session.conf.isModifiable(name):
                session.conf.set(name, value)
        return cls(session, place, lock=None if lock is None else _java_lock(lock))

    def close(self) -> None:
        """Stop a session that was created for this run, before its directories are removed; an existing one is kept."""
        with suppress(Exception):  # Java may be dead
            if self._created:
                java = self.session._jvm
                self.session.stop()
                java.org.apache.spark.util.Utils.clearLocalRootDirs()  # a later session of this process has other directories
        with suppress(Exception):
            if self._lock is not None:
                self._lock.close()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Context in which tasks are reported as progress, and cancelling the job stops them.

        A cluster without workers for a long time also ends the work: Spark itself would wait forever.
        """
        context, tag = self.session.sparkContext, f"shoal-{uuid4().hex}"
        watch = _Watch(context, tag, remote=self.own and not str(context.master).startswith("local"))
        watcher = Thread(target=copy_context().run, args=(watch.run,), daemon=True)
        context.addJobTag(tag)
        watcher.start()
        try:
            with spark_errors():
                yield
        except ShoalError:
            kernels.checkpoint()
            if watch.alone.is_set():
                raise ShoalError(
                    "the cluster has had no workers for a long time",
                    code="no-workers",
                    hint=f"start some, or name another {option('master')}",
                ) from None
            raise
        finally:
            watch.done.set()
            watcher.join(GRACE)
            with suppress(Exception):  # Java may be dead
                context.removeJobTag(tag)

    @property
    def partitions(self) -> int:
        """Return the number of shuffle partitions."""
        return int(self.session.conf.get(PARTITIONS))

    def expect(self, frame: Any, size: int | None = None) -> None:
        """Set the number of shuffle partitions for an input like this one: they must fit an executor, with at least two per core.

        If the size is not given, and Spark does not know it, the setting of its session is kept.
        """
        if not self.session.sparkContext.getConf().contains(PARTITIONS):
            size = _bytes_read(frame) if size is None else size
            if size > LARGEST_INPUT:
                return
            wanted = max(-(-size // PARTITION_BYTES), 2 * self.session.sparkContext.defaultParallelism)
            self.session.conf.set(PARTITIONS, str(min(wanted, MOST_PARTITIONS)))

    # -- reading

    def lines(self, paths: Sequence[str]) -> Any:
        """Return the lines of text files as bytes, with their line ends."""
        return self.session.read.option("lineSep", "\n").text(list(paths)).selectExpr("cast(concat(value, '\n') as binary) as line")

    @property
    def paths_are_local(self) -> bool:
        """Whether a path without a scheme is one of a file system, and not of HDFS or an object store."""
        return str(self.session.sparkContext._jsc.hadoopConfiguration().get("fs.defaultFS")).startswith("file:")

    def span_bytes(self, size: int) -> int:
        """Return the bytes of a task for files of this total size: such that all cores have some, but not too few."""
        return min(PARTITION_BYTES, max(LEAST_SPAN, -(-size // int(self.session.sparkContext.defaultParallelism))))

    def numbers(self, n: int) -> Any:
        """Return the numbers below n, each in its own partition, in a column `id`."""
        return self.session.range(0, n, 1, n)

    def parquet(self, paths: Sequence[str]) -> Any:
        """Return the rows of Parquet files or directories."""
        return self.session.read.parquet(*paths)

    # -- work

    def map(self, frame: Any, work: Work, shared: Any, schema: pa.Schema) -> Any:
        """Return the output of `work(shared, number of the partition, table)` for each partition."""
        held = self.session.sparkContext.broadcast(shared)
        return frame.mapInArrow(_on_partition(work, held, schema), _spark_schema(schema))

    def parts(self, n: int) -> Any:
        """Return the numbers below n, each in its own partition, for work without Spark rows."""
        return self.session.sparkContext.parallelize(range(n), n)

    def share(self, shared: Any) -> Any:
        """Broadcast an object to all tasks of a step."""
        return self.session.sparkContext.broadcast(shared)

    def grouped(self, frame: Any, key: str, work: GroupWork, shared: Any, schema: pa.Schema) -> Any:
        """Return the output of `work(shared, table)` for all rows with one value of the key."""
        held = self.session.sparkContext.broadcast(shared)
        return frame.groupBy(key).applyInArrow(_on_group(work, held, schema), _spark_schema(schema))

    def store(self, frame: Any, name: str) -> Any:
        """Compute the data frame once and write it to a directory of this name; log the time and size."""
        place = self.place / name
        started = time.monotonic()
        with spark_errors():
            frame.write.parquet(str(place))
            stored = self.session.read.parquet(str(place))
        log_step(name, started, [file.stat().st_size for file in place.glob("*.parquet")])
        return stored

    def collect(self, frame: Any) -> list[Any]:
        """Return the rows of a small data frame: sums, cuts, samples; never records or groups."""
        with spark_errors():
            rows: list[Any] = frame.collect()
            return rows


def log_step(name: str, started: float, sizes: Sequence[int]) -> None:
    """Log the duration of a step, and the size of its files."""
    facts = name, time.monotonic() - started, len(sizes), sum(sizes), max(sizes, default=0)
    log.info("%s: %.1f s, %d partitions, %d bytes, the largest partition %d bytes", *facts)


class _Watch:
    """Monitors the tagged jobs of a run, in a separate thread with the context of the run."""

    def __init__(self, context: Any, tag: str, *, remote: bool) -> None:
        self.context, self.tag, self.remote = context, tag, remote
        self.done, self.alone = Event(), Event()

    def run(self) -> None:
        """Report progress and cancel jobs, until the run is done."""
        since = time.monotonic()
        while not self.done.wait(NAP):
            with suppress(Exception):  # Java may be dead, which the run itself will see
                self._report()
                if not self.remote or self._executors() > 0:
                    since = time.monotonic()
                elif time.monotonic() - since > SECONDS_WITHOUT_WORKERS:
                    self.alone.set()
                    self.context.cancelJobsWithTag(self.tag)

    def _report(self) -> None:
        try:
            kernels.report("tasks of the cluster", *self._tasks())
        except _kernels.Cancelled:
            self.context.cancelJobsWithTag(self.tag)

    def _executors(self) -> int:
        return int(self.context._jsc.sc().getExecutorMemoryStatus().size()) - 1  # the driver is one of them

    def _tasks(self) -> tuple[int, int]:
        """Return the numbers of finished and of all tasks of the running jobs."""
        tracker, ended, total = self.context._jsc.sc().statusTracker(), 0, 0
        for job in tracker.getJobIdsForTag(self.tag):
            found = tracker.getJobInfo(job)
            if found.isDefined() and str(found.get().status()) == "RUNNING":
                for number in found.get().stageIds():
                    stage = tracker.getStageInfo(number)
                    if stage.isDefined():
                        ended, total = ended + stage.get().numCompletedTasks(), total + stage.get().numTasks()
        return ended, total


def _settings(master: str | None, *, java_works: bool) -> dict[str, str]:
    """Return the settings of our own session."""
    settings = {"spark.app.name": "shoal", **SETTINGS}
    if master is None and "SPARK_ENV_LOADED" not in os.environ and "MASTER" not in os.environ:
        master = "local[*]"
    if master is not None:
        settings["spark.master"] = master
        if master.startswith("local") and not java_works:
            settings[JAVA_OPTIONS] = FOR_FEW_ROWS
    return settings


def _has_context() -> bool:
    insist_on_extra("spark")
    from pyspark import SparkContext

    return SparkContext._active_spark_context is not None


def _started_java(settings: dict[str, str], private: PrivatePlaces) -> Any:
    """Start Java, have it lock a file, and add Spark's private directories to `settings`; return the open file."""
    from pyspark import SparkConf, SparkContext

    named = os.environ.get(LOCAL_DIRS_VARIABLE)
    with _environment(LOCAL_DIRS_VARIABLE, named and _joined(private.local_directories(_paths(named)))):
        SparkContext._ensure_initialized(conf=SparkConf(loadDefaults=False).setAll(list(settings.items())))
    lock = _java_lock(private.lock)
    _silence()  # what fails is reported by the program; Spark would warn of a local directory that is set
    if not named:
        configured = SparkConf(_jvm=SparkContext._jvm).get(LOCAL_DIR)
        settings[LOCAL_DIR] = _joined(private.local_directories(_paths(configured or "")))
    return lock


def _silence() -> None:
    """Turn Java's log off, as a context does once it exists."""
    from pyspark import SparkContext

    with suppress(Exception):  # another version of Spark, or of what it logs with
        java: Any = SparkContext._jvm
        logging4j = java.org.apache.logging.log4j
        logging4j.core.config.Configurator.setRootLevel(logging4j.Level.OFF)


def _java_lock(path: Path) -> Any:
    """Return a file that Java has opened and locked: the lock ends with the process."""
    from pyspark import SparkContext

    assert SparkContext._jvm is not None
    file = SparkContext._jvm.java.io.RandomAccessFile(str(path), "rw")
    try:
        file.getChannel().lock()
    except Exception:  # a file system without locks; then no later run considers this one dead
        log.info("the file system of the release has no locks")
    return file


def _paths(text: str) -> list[Path]:
    return [Path(piece.strip()) for piece in text.split(",") if piece.strip()]


def _joined(paths: Sequence[Path]) -> str:
    return ",".join(map(str, paths))


@contextmanager
def _environment(name: str, value: str | None) -> Iterator[None]:
    """Context with another value of an environment variable, for processes started in it."""
    before = os.environ.get(name)
    if value is not None:
        os.environ[name] = value
    try:
        yield
    finally:
        if value is not None and before is not None:
            os.environ[name] = before


def _session(settings: Mapping[str, str]) -> Any:
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")  # the program reports failures in one line
    return session


def _bytes_read(frame: Any) -> int:
    """Return Spark's estimate of the size of the files or tables of a data frame."""
    leaves = frame._jdf.queryExecution().optimizedPlan().collectLeaves()
    return sum(int(str(leaves.apply(at).stats().sizeInBytes())) for at in range(leaves.size()))


def expressions(*texts: str) -> list[Any]:
    """Return Spark's SQL expressions, for aggregates."""
    from pyspark.sql.functions import expr

    return [expr(text) for text in texts]


def joined(one: Any, other: Any, key: str | list[str], how: str = "inner") -> Any:
    """Join two data frames on one or several columns by a shuffle: a broadcast join would bring rows to the driver."""
    return one.join(other.hint("merge"), key, how)


def _spark_schema(schema: pa.Schema) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)


# -- in the worker


def _on_partition(work: Work, held: Any, schema: pa.Schema) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        from pyspark import TaskContext

        context = TaskContext.get()
        with working():
            parts = list(batches)
            if parts:
                for made in work(held.value, context.partitionId() if context is not None else 0, pa.Table.from_batches(parts)):
                    yield from made.cast(schema).to_batches()

    return run


def _on_group(work: GroupWork, held: Any, schema: pa.Schema) -> Callable[[pa.Table], pa.Table]:
    def run(table: pa.Table) -> pa.Table:
        with working():
            return work(held.value, table).cast(schema)

    return run


@contextmanager
def working() -> Iterator[None]:
    """Context of a task: it has one thread, and its errors are sent to the driver."""
    with _telling(), kernels.using(threads=1):
        yield
    _spare_modules(len(sys.modules))


@cache
def _spare_modules(n: int) -> None:
    """Exclude loaded modules from garbage collection, once there are more: Spark's daemon collects after every task.

    There are half a million such objects, and visiting all of them takes as long as many a task.
    """
    gc.freeze()


@contextmanager
def _telling() -> Iterator[None]:
    """Context in which errors leave the worker as one line that the driver parses: this program's in full, others by type only."""
    try:
        yield
    except ShoalError as error:
        facts = {"kind": type(error).__name__, "message": error.marked_message, "hint": error.marked_hint, "code": error.code}
        raise RuntimeError(ERROR_MARK + json.dumps(facts)) from None
    except (OSError, MemoryError):
        raise
    except Exception as error:
        raise RuntimeError(
            ERROR_MARK + json.dumps({"kind": "ShoalError", "message": _by_kind(error), "hint": "", "code": "task-failed"})
        ) from None


def _by_kind(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" in {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace is not None else ""
    return f"a task failed with {type(error).__name__}{place}"


# -- on the driver


@contextmanager
def spark_errors() -> Iterator[None]:
    """Context that translates Spark's errors to one line. Raises `Cancelled` if the run was cancelled."""
    kernels.checkpoint()
    try:
        yield
    except ShoalError:
        raise
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in {"pyspark", "py4j"}:
            raise
        raise _translated(error) from None


def _translated(error: Exception) -> ShoalError:
    text = str(error)
    mark = _MARKED_ERROR.search(text)
    if mark:
        found = json.loads(mark[1])
        kind: type[ShoalError] = getattr(errors, found["kind"])
        return kind(found["message"], hint=found["hint"], code=found["code"])
    if any(sign in text for sign in FULL):
        return OutputError(
            "the disk of the cluster or of the release is full: nothing was written", code="disk-full", hint="free some space"
        )
    if any(sign in text for sign in DIED):
        return ShoalError(
            "a worker ended in the middle of a task, perhaps because memory ran out", code="worker-died", hint="give executors more memory"
        )
    if any(sign in text for sign in ABSENT):
        return InputError(
            "Spark finds no file at a path of the input", code="file-not-found", hint="name paths that all machines of the cluster see"
        )
    if any(sign in text for sign in DAMAGED):
        return InputError(
            "a file of the input is damaged: Spark cannot read it to its end", code="damaged-file", hint="find it with `shoal look FILE`"
        )
    if any(sign in text for sign in LOST):
        return ShoalError(
            "the cluster lost workers more often than it retries a task",
            code="workers-lost",
            hint="spark.task.maxFailures sets how often",
        )
    condition = getattr(error, "getCondition", lambda: None)() or type(error).__name__
    return ShoalError(f"Spark failed: {condition}", code="spark-failed", hint="the log of the cluster has the details")
