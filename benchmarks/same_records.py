"""Whether two versions of shoal publish the same: `python benchmarks/same_records.py BEFORE AFTER --data DIRECTORY [--only NAME ...]`.

BEFORE and AFTER are the programs `shoal` of two installations. Each makes the releases below from the bundled sample and from public data
sets. The rows of each table are compared as a multiset, without the random numbers of records, users and groups, and the manifests key by
key, without the digests of files. Notes and verdicts contain sentences: a difference there may be a changed wording, so both are printed.
"""

from __future__ import annotations

import argparse
import csv
import json
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

GROCERIES = "groceries-baskets.csv --format transactions --taxonomy groceries-taxonomy.tsv"
LASTFM = "lastfm-tags.tsv.gz --user user --item tag --taxonomy generated"
EXCITE = "excite-small.log.gz --format querylog --sep tab --no-header --user 1 --time 2 --text 3"
ACCESS = "apache-combined-10k.log.gz"
SAMPLE = "sample.tsv.gz"

RUNS = {
    "sample shoal": f"{SAMPLE} --k 5",
    "sample clump sessions": f"{SAMPLE} --method clump --k 5 --per session",
    "sample threshold": f"{SAMPLE} --method threshold --k 5",
    "sample threshold generalized": f"{SAMPLE} --method threshold --k 5 --unit term --rare generalize",
    "sample threshold by month": f"{SAMPLE} --method threshold --k 3 --unit term --rare omit --window month --times month",
    "sample infrequent": f"{SAMPLE} --method infrequent --k 3",
    "sample user-microaggregation": f"{SAMPLE} --method user-microaggregation --k 5",
    "groceries shoal": f"{GROCERIES} --k 5 --effort fast",
    "groceries km": f"{GROCERIES} --method km --k 5 --m 2",
    "groceries km one item": f"{GROCERIES} --method km --k 25 --m 1 --aim words",
    "groceries apriori": f"{GROCERIES} --method apriori --k 5 --m 2",
    "groceries disassociation": f"{GROCERIES} --method disassociation --k 5 --m 2",
    "groceries partition": f"{GROCERIES} --method partition --k 10",
    "last.fm coherence": f"{LASTFM} --method coherence --k 5 --p 1 --taxonomy none",
    "last.fm coherence pairs": f"{LASTFM} --method coherence --k 5 --p 2 --taxonomy none",
    "last.fm km": f"{LASTFM} --method km --k 5 --m 2",
    "last.fm hghs": f"{LASTFM} --method hghs --k 10 --m 1",
    "excite shoal": f"{EXCITE} --k 3",
    "excite km sessions": f"{EXCITE} --method km --k 3 --m 2 --per session --unknown drop",
    "excite threshold words": f"{EXCITE} --method threshold --k 3 --unit term",
    "excite threshold generalized": f"{EXCITE} --method threshold --k 3 --unit term --rare generalize",
    "access log mdav": f"{ACCESS} --method accesslog-mdav --k 5",
    "access log shoal": f"{ACCESS} --k 5 --taxonomy paths --per user",
}
SENTENCES = {".notes", ".claims"}
FRESH = {"record", "user", "group", "cluster", "chunk", "subrecord", "pseudonym", "address"}


def released(program: str, words: str, data: Path, out: Path) -> str:
    """Make a release. Returns the last line of the error if it failed."""
    command = [str(Path(program).absolute()), "anonymize", *shlex.split(words), "--out", str(out)]
    done = subprocess.run(command, cwd=data, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"exit code {done.returncode}: {done.stderr.strip().splitlines()[-1][:200]}"


def rows_of(path: Path) -> Counter[tuple[str, ...]]:
    """Return the rows of a file, without random numbers."""
    if path.suffix == ".log":
        return Counter((line.split(" ", 1)[1],) for line in path.read_text().splitlines())
    with path.open(newline="") as stream:
        table = csv.DictReader(stream)
        return Counter(tuple(value for name, value in row.items() if name not in FRESH) for row in table)


def manifest_of(release: Path) -> dict[str, Any]:
    """Return the manifest without digests."""
    manifest: dict[str, Any] = json.loads((release / "manifest.json").read_text())
    files = [{key: value for key, value in file.items() if key != "sha256"} for file in manifest.pop("files")]
    return {**{key: value for key, value in manifest.items() if key != "sha256"}, "files": files}


def differences(before: Any, after: Any, at: str = "") -> list[str]:
    """Return the keys with different values in two manifests; with both values for sentences."""
    if isinstance(before, dict) and isinstance(after, dict):
        return [line for key in before.keys() | after.keys() for line in differences(before.get(key), after.get(key), f"{at}.{key}")]
    if before == after:
        return []
    shown = f": {before} / {after}" if at in SENTENCES else ""
    return [at.lstrip(".") + shown]


def compared(before: Path, after: Path) -> list[str]:
    """Return the differences between two releases."""
    names = {path.name for release in (before, after) for path in release.iterdir() if path.suffix in {".csv", ".log"}}
    found = []
    for name in sorted(names):
        both = [rows_of(release / name) if (release / name).exists() else Counter() for release in (before, after)]
        if both[0] != both[1]:
            found.append(f"{name}: {sum((both[0] - both[1]).values())} and {sum((both[1] - both[0]).values())} rows differ")
    return [*found, *(f"manifest: {key}" for key in sorted(differences(manifest_of(before), manifest_of(after))))]


def main() -> int:
    """Make and compare all releases."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sample", type=Path, default=Path("src/shoal/samples/queries.tsv.gz"))
    parser.add_argument("--only", nargs="+", choices=RUNS, default=RUNS, metavar="NAME", help="some of the releases")
    options = parser.parse_args()
    worst = 0
    with tempfile.TemporaryDirectory() as place:
        data = Path(place) / "data"
        data.mkdir()
        for file in options.data.iterdir():
            (data / file.name).symlink_to(file.absolute())
        (data / SAMPLE).symlink_to(options.sample.absolute())
        for name in options.only:
            words = RUNS[name]
            form = "" if words.startswith(ACCESS) and "mdav" in words else " --to csv"
            places = [Path(place) / f"{name} {which}" for which in ("before", "after")]
            refused = [
                released(program, words + form, data, out) for program, out in zip((options.before, options.after), places, strict=True)
            ]
            found = [line for line in refused if line] if any(refused) else compared(*places)
            if refused[0] and refused[0] == refused[1]:
                found = [f"both refuse: {refused[0]}"]
            worst += bool(found)
            print(f"{name:30} {'; '.join(found) or 'the same'}", flush=True)
    return 1 if worst else 0


if __name__ == "__main__":
    sys.exit(main())
