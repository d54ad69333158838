"""BUIG, literally as Algorithm 5.6 of the thesis prints it: the printed version that errata are shown on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from shoal.data.taxonomy import Taxonomy

# The tree of height three in which batch BUIG fails on plain sets of leaves.
TALL = Taxonomy.from_parents(
    {
        "Root": None,
        "Food": "Root", "Fruit": "Food", "Or": "Fruit", "Ap": "Fruit", "Ba": "Fruit",
        "Meat": "Food", "Be": "Meat", "Ch": "Meat",
        "Non": "Root", "Soap": "Non", "Pen": "Non",
    },
    "lm",
)  # fmt: skip


def buig(records: Sequence[Sequence[str]], taxonomy: Taxonomy, *, counts: bool = False) -> tuple[str, ...]:
    """The bag it returns, sorted; with `counts` it starts from multiplicities instead of line 4's ones."""
    names, parent = taxonomy.names.names.to_list(), taxonomy.parent
    children: dict[int, list[int]] = {node: [] for node in range(len(names))}
    for node in range(1, len(names)):
        children[int(parent[node])].append(node)
    held = [Counter(record) for record in records]
    array = {node: [bag[name] if counts else min(1, bag[name]) for bag in held] for node, name in enumerate(names)}
    found: list[str] = []

    def visit(node: int) -> None:
        if not children[node]:
            return
        for child in children[node]:
            visit(child)
            least = min(array[child])
            if least > 0:
                found.extend([names[child]] * least)
            else:
                array[node] = [a + b for a, b in zip(array[node], array[child], strict=True)]
        if node == 0:
            found.extend([names[0]] * (min(map(len, records)) - len(found)))

    visit(0)
    return tuple(sorted(found))


def one_at_a_time(records: Sequence[Sequence[str]], taxonomy: Taxonomy, *, counts: bool = False) -> tuple[str, ...]:
    """As Lemma 4.1.1 has it: what was found so far, generalized with the next record."""
    found: Sequence[str] = tuple(records[0]) if len(records) == 1 else buig(records[:2], taxonomy, counts=counts)
    for record in records[2:]:
        found = buig([found, record], taxonomy, counts=counts)
    return tuple(found)
