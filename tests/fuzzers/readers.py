"""Fuzz the readers in Python: `python -m fuzzers.readers --seconds 3600 --corpus DIRECTORY --found DIRECTORY`.

The first byte of an input chooses what is read and under which name, the rest is the file. With atheris installed, inputs are changed such
that they reach new lines of the readers; without it, the inputs so far are mutated at random. Checked is what must hold for any bytes:

- a reader gives data or raises a `ShoalError`, nothing else, and nobody waits for it;
- each line of a file of lines is counted once: used, blank or malformed;
- the same file, compressed, gives the same data, counts and notes.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

os.environ.setdefault("POLARS_MAX_THREADS", "1")

from fuzzers.seeds import READERS as SEEDS

LONGEST = 4096
SECONDS = 5.0  # that a reader may take
COMPRESSED_TOO = 4  # one input in so many is also read compressed


@dataclass(frozen=True)
class Target:
    """A reader, the name of its file, and whether each line of the file is a row."""

    name: str
    file: str
    options: dict[str, Any]
    lines: bool = False


COLUMNS = {"user": "user", "item": "item", "malformed": 1.0}
TARGETS = [
    Target("table", "table.csv", {"format": "table", **COLUMNS}),
    Target("log", "log.tsv", {"format": "querylog", "malformed": 1.0}),
    Target("lines", "lines.txt", {"format": "transactions", "malformed": 1.0}, lines=True),
    Target("access", "access.log", {"format": "accesslog", "malformed": 1.0}, lines=True),
    Target("rows", "rows.jsonl", {"format": "table", **COLUMNS}, lines=True),
    Target("array", "rows.json", {"format": "table", **COLUMNS}),
    Target("prompts", "prompts.jsonl", {"format": "prompts", "malformed": 1.0}),
    Target("microdata", "people.csv", {"format": "microdata", "quasi": ["age", "income"]}),
    Target("documents", "texts.jsonl", {"format": "documents", "malformed": 1.0}),
    Target("detected", "file", {}),
    *(Target(form, f"tree.{suffix}", {"form": form}) for form, suffix in (("edges", "tsv"), ("paths", "csv"), ("json", "json"))),
    *(Target(form, f"tree.{suffix}", {"form": form}) for form, suffix in (("skos", "ttl"), ("skos", "rdf"), ("obo", "obo"))),
    Target("rules", "rules.json", {}),
]
PACKED = (
    b"\x1f\x8b",
    b"PK",
    b"PAR1",
    b"\x28\xb5\x2f\xfd",
    b"BZh",
    b"\xfd7zXZ",
    b"\xd0\xcf\x11\xe0",
)  # first bytes of files that are not text
TREES = {"edges", "paths", "json", "skos", "obo"}


def read(target: Target, path: Path) -> Any:
    """What the reader gives; the error in words if it refuses the file."""
    import shoal
    from shoal.io.rules_file import read_rules

    try:
        if target.name in TREES:
            found = shoal.read_taxonomy(path, **target.options)
            return found.form, found.taxonomy.names.names.to_list(), found.taxonomy.parent.tolist()
        return read_rules(path) if target.name == "rules" else shoal.read(path, **target.options)
    except shoal.ShoalError as error:
        return error.code


def wrong(data: bytes, place: Path) -> list[str]:
    """What does not hold for an input; the file is written to a directory."""
    if not data:
        return []
    target, content = TARGETS[data[0] % len(TARGETS)], data[1:]
    path = place / target.file
    path.write_bytes(content)
    began = time.process_time()
    found = read(target, path)
    took = time.process_time() - began
    problems = [f"{target.name} took {took:.1f} s"] if took > SECONDS else []
    if target.lines and not isinstance(found, str) and _plain(content):
        lines = content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
        if found.rows.total != lines:
            problems.append(f"{target.name}: {lines} lines, of which {found.rows.total} were counted")
    if (
        data[0] // len(TARGETS) % COMPRESSED_TOO == 0
        and target.name != "rules"
        and not content.removeprefix(b"\xef\xbb\xbf").startswith(PACKED)
    ):
        packed = place / f"{target.file}.gz"
        packed.write_bytes(gzip.compress(content, 1, mtime=0))
        if _facts(read(target, packed)) != _facts(found):
            problems.append(f"{target.name} gives something else if it is compressed")
    return problems


def _plain(content: bytes) -> bool:
    """Whether nothing in a file is another end of a line, part of a longer row, or another encoding."""
    return not any(byte in content for byte in (b"\r", b'"', b"\0", b"\x1a")) and not content.startswith(
        (b"\xef\xbb\xbf", b"\xff", b"\xfe")
    )


def _facts(found: Any) -> Any:
    """The parts of what was read that do not depend on the name of the file."""
    if isinstance(found, (str, tuple)) or not hasattr(found, "rows"):
        return found
    return found.format, found.rows, found.defects, str(found.data), found.notes, dict(found.roles)


def first_inputs() -> list[bytes]:
    """The files that fuzzing begins with, for each reader of their kind."""
    return [bytes([number]) + content for number, target in enumerate(TARGETS) for content in SEEDS[target.name]]


def mutants(rng: random.Random, corpus: list[bytes]) -> Iterator[bytes]:
    """Inputs without end, for a machine without atheris."""
    pieces = [
        b"\n",
        b"\t",
        b",",
        b'"',
        b"\\",
        b"\0",
        b"\xff",
        b"{",
        b"}",
        b"[",
        b"]",
        b":",
        b"null",
        b"1e999",
        b"-0",
        b"\xc2\xa0",
        b"\xef\xbb\xbf",
    ]
    while True:
        data, other = bytearray(rng.choice(corpus)), rng.choice(corpus)
        for _ in range(rng.choice([1, 1, 2, 4, 8])):
            at, length = rng.randrange(len(data) + 1), rng.choice([0, 1, 1, 2, 8, 64])
            data[at : at + length] = rng.choice([rng.choice(pieces), b"", bytes(data[at : at + length]) * 2, other[at : at + 2 * length]])
        yield bytes(data[:LONGEST])


class Fuzzer:
    """Counts inputs and keeps those that break a reader."""

    def __init__(self, found: Path | None, seconds: float) -> None:
        self.count, self.failures, self._found = 0, 0, found
        self._seconds, self._end = seconds, float("inf")
        self._place = tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None)

    def one(self, data: bytes) -> None:
        """Read an input, and keep it if something is wrong."""
        if not self.count:  # loading instrumented modules takes a while
            self._end = time.monotonic() + self._seconds
        self.count += 1
        try:
            problems = wrong(data, Path(self._place.name))
        except BaseException as error:  # also a panic of a foreign library
            if isinstance(error, KeyboardInterrupt):
                raise
            problems = [f"{type(error).__name__}: {error}"]
        if problems:
            self.failures += 1
            print(f"{'; '.join(problems)}: {data!r}"[:2000], flush=True)
            if self._found is not None:
                (self._found / f"{self.failures}").write_bytes(data)
        if time.monotonic() > self._end or self.failures > 20:
            self.end()

    def close(self) -> None:
        """Remove the files of inputs."""
        self._place.cleanup()

    def end(self) -> None:
        """Print the figures and leave; libFuzzer does not return."""
        print(f"readers: {self.count} inputs, {self.failures} failures", flush=True)
        self.close()
        os._exit(1 if self.failures else 0)


def guided(one: Callable[[bytes], None], corpus: Path) -> None:
    """Let libFuzzer change the inputs of a directory, where it also keeps those that reach new lines."""
    import atheris

    # The finder of an editable installation would give modules that are not instrumented; src is on the path without it.
    sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
    with atheris.instrument_imports(include=["shoal"]):
        for name in ("shoal.api.functions", "shoal.io.read.dispatch", "shoal.io.read.taxonomies", "shoal.io.rules_file"):
            import_module(name)
    atheris.Setup([sys.argv[0], str(corpus), f"-max_len={LONGEST}", "-print_final_stats=1", "-timeout=120", "-rss_limit_mb=4096"], one)
    atheris.Fuzz()


def main() -> None:
    """Run for some seconds, keep failures, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--found", type=Path)
    options = parser.parse_args()
    options.corpus.mkdir(parents=True, exist_ok=True)
    if options.found is not None:
        options.found.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(first_inputs()):
        (options.corpus / f"first-{number}").write_bytes(data)
    fuzzer = Fuzzer(options.found, options.seconds)
    if find_spec("atheris") is not None:
        guided(fuzzer.one, options.corpus)
    corpus = [path.read_bytes() for path in sorted(options.corpus.iterdir())]
    for data in mutants(random.Random(options.seed), corpus):
        fuzzer.one(data)


if __name__ == "__main__":
    main()
