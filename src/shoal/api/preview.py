"""Preview of data. It imports only what reading needs, because it is the first thing that people try."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from shoal.api.argument_types import checked
from shoal.api.data_options import DataOptions, prepared_as
from shoal.api.messages import in_python, log_notes, spoken_in_python, using
from shoal.pipeline.look import Look
from shoal.pipeline.look import look as see
from shoal.pipeline.options import Preparation

__all__ = ["look"]


@checked
def look(
    data: str | Path | Any, *, whole: bool = False, show_rare: bool = False, threads: int | None = None, **options: Unpack[DataOptions]
) -> Look:
    """Show how data is read and what it contains, before making a release.

    The examples in the result are records as they were read, without user IDs. They are for you, not for publication.

    Args:
        data: A path, a frame, a column of lists, or lists of items, as in `shoal.anonymize`.
        whole: Whether to read all of a large file. Default: only the first 16 MB, and about 250,000 rows at most.
        show_rare: Whether the examples contain values that fewer than 5 people share.
        threads: Number of threads. Default: all cores.
        **options: How to read and prepare the data, as keywords of `shoal.anonymize`: format, user, time, text, item, record, count,
            rank, url, quasi, keep_column, drop_column, nominal, ordinal, hierarchy, item_sets, owners, sep, encoding, header, strict,
            malformed, site_links,
            per, gap, bag, taxonomy, levels, node_loss, unknown, terms, tree, floor, min_support, items_table,
            item_level, items_key, items_name, items_levels.

    Returns:
        The format, the roles of the columns, the numbers of people, records and items, and examples.

    Raises:
        ParameterError: An argument is not allowed.
        InputError: The data cannot be read.
        TaxonomyError: The taxonomy is not a tree.

    Example:
        >>> preview = shoal.look([["Apple", "Milk"], ["Beer"]], taxonomy="none")
        >>> preview.format
        'transactions'
        >>> preview.people, preview.items
        (2, 3)
    """
    with spoken_in_python(), using(threads):
        preparation, tree = prepared_as(options, Preparation.of_format(options.get("format")).following_data())
        preview = see(data, preparation, whole=whole, taxonomy=tree.tree, show_rare=show_rare)
        log_notes((*tree.notes, *preview.notes), [f"left out: {line}" for line in preview.defects])
        return replace(preview, protects={per: in_python(words) for per, words in preview.protects.items()})
