"""Reconstructions of a release of chunks: plain baskets for tools that take no chunks.

The chunks are judged first, from their files, and nothing is written unless all claims hold. Records are then drawn from the chunks alone:
the original is not read, so what is drawn is as safe as the chunks are.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shoal.auditing.audit import gathered
from shoal.data.claims import Verdict
from shoal.data.items import without_names
from shoal.data.release import Release
from shoal.data.tables.chunks import ChunkTable
from shoal.data.tables.reconstruction import reconstructed
from shoal.errors import GuaranteeNotMet, ParameterError
from shoal.io.release_directory import ReleaseDirectory
from shoal.io.write.output_format import OutputForm
from shoal.kinds import write_table
from shoal.parameters import Declared, param


@dataclass(frozen=True)
class Draws(Declared):
    """How many reconstructions are drawn, and by which seed."""

    name = "draws"

    number: int = param(1, minimum=1, maximum=1000, help="number of reconstructions")
    seed: int | None = param(None, minimum=0, help="random seed (default: a different one each time)")


@dataclass(frozen=True)
class Drawn:
    """The files that were written, how many records each has, and the claims that were judged before."""

    files: tuple[str, ...]
    records: int
    claims: tuple[Verdict, ...]


def reconstruct(release: str | Path, out: str | Path, draws: Draws, format: str = "csv") -> Drawn:
    """Write reconstructions of a release of chunks to a new directory, each a file of baskets, after judging the release."""
    material = gathered(release)
    table = next(iter(material.found.release.tables.values()))
    if not isinstance(table, ChunkTable):
        raise ParameterError(f"reconstructions are drawn from chunks, but this release has {table.kind}", code="wrong-kind-of-table")
    judged = material.judged()
    for verdict in (*judged.checks, *judged.claims):
        if verdict.standing == "not judged":
            what = f"{without_names(verdict.claim)} takes too long to verify: {verdict.unchecked}"
            raise GuaranteeNotMet(what, code="claim-not-verified", hint="nothing was written")
        if not verdict.holds:
            raise GuaranteeNotMet(f"the release fails {without_names(verdict.claim)}", code="claim-fails", hint="nothing was written")
    if not judged.claims:
        raise GuaranteeNotMet("the release claims nothing", code="no-claims", hint="nothing was written")
    return Drawn(_written(table, Path(out), draws, format), table.n_records, judged.claims)


def _written(table: ChunkTable, out: Path, draws: Draws, format: str) -> tuple[str, ...]:
    rng = np.random.default_rng(draws.seed)
    with ReleaseDirectory(out, force=None) as directory:
        drawn = (Release.from_records(reconstructed(table, rng)).bag_table for _ in range(draws.number))
        files = [write_table(one, directory.path, f"reconstruction_{i}", OutputForm(format)) for i, one in enumerate(drawn, 1)]
    return tuple(file.name for several in files for file in several)
