"""The argument `taxonomy`: a name or path, nested dictionaries, a frame, or a tree."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoal.data.node_loss import DEFAULT_LOSS
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError, TaxonomyError
from shoal.io.read.frames_in_memory import table_of
from shoal.io.read.taxonomies import taxonomy_of_text
from shoal.io.read.taxonomy_levels import levels_of_frame
from shoal.pipeline.options import Preparation

GIVEN = "given"  # what a manifest calls a taxonomy that has no name

GivenTaxonomy = str | Path | Mapping[str, Any] | Taxonomy | Any
"""`wordnet`, `generated`, `none`, a path, `{"Food": {"Fruit": ["Apple", "Pear"]}}`, a frame of levels, or a `Taxonomy`."""


@dataclass(frozen=True, eq=False)
class TaxonomyArgument:
    """A requested taxonomy: its name, the tree if it is already loaded, and notes on how it was read."""

    name: str | None = None
    tree: Taxonomy | None = None
    notes: tuple[str, ...] = ()

    def settled(self, preparation: Preparation) -> Preparation:
        """Return the preparation with this taxonomy. A loaded tree has its own node loss."""
        return preparation if self.tree is None or preparation.typed_names else replace(preparation, loss=self.tree.loss_name)


def hierarchy_of(value: GivenTaxonomy | None, levels: Iterable[str] | None = None, loss: str | None = None) -> TaxonomyArgument:
    """Interpret the argument `taxonomy`; `levels` are the columns of a frame, from the highest level to the items."""
    if levels is not None and (value is None or isinstance(value, str | Path | Mapping | Taxonomy)):
        raise ParameterError(
            "levels name the columns of a frame, but the taxonomy is not a frame", code="levels-without-frame", hint="leave levels out"
        )
    if value is None or isinstance(value, str | Path):
        return TaxonomyArgument(None if value is None else str(value))
    if isinstance(value, Taxonomy):
        return TaxonomyArgument(GIVEN, value if loss is None else value.with_loss(loss))
    if isinstance(value, Mapping):
        return _of_nested(value, loss or DEFAULT_LOSS)
    return _of_frame(value, levels, loss or DEFAULT_LOSS)


def _of_nested(value: Mapping[str, Any], loss: str) -> TaxonomyArgument:
    try:
        text = json.dumps(value, ensure_ascii=False, default=_listed)
    except (TypeError, ValueError, RecursionError):
        raise TaxonomyError(
            "the dictionary does not contain nested names", code="taxonomy-not-nested", hint='write {"Food": {"Fruit": ["Apple", "Pear"]}}'
        ) from None
    reading = taxonomy_of_text(text, "json", loss)
    return TaxonomyArgument(GIVEN, reading.taxonomy, ("taxonomy given as nested names", *reading.notes))


def _listed(value: Any) -> list[Any]:
    """Convert sets and tuples of names to lists."""
    if isinstance(value, Set):
        return sorted(value)
    raise TypeError(type(value).__name__)


def _of_frame(value: Any, levels: Iterable[str] | None, loss: str) -> TaxonomyArgument:
    named = None if levels is None else list(levels)
    level_tree = levels_of_frame(table_of(value), named, loss)
    how = "taxonomy given as children and parents" if named is None else f"levels of the taxonomy: {' > '.join(map(repr, named))}"
    return TaxonomyArgument(GIVEN, level_tree.taxonomy, (how, *map(str, level_tree.conflicts), *level_tree.notes))
