"""shoal's kernels: arrays in, arrays out."""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


class Cancelled(Exception):
    pass

class Infeasible(Exception):
    pass

class OutOfPatience(Exception):
    pass

class Task:
    """Progress of a running kernel, and the way to stop it."""

    def __init__(self) -> None: ...

    def cancel(self) -> None: ...

    def begin(self, total: int) -> None:
        """So much work is to come, in steps."""

    def step(self, n: int = 1) -> None:
        """So much of it is done. Raises Cancelled where the caller gave up."""

    def allow(self, steps: int) -> None:
        """
        Limit the work of the kernels that use this task. Beyond it they raise OutOfPatience.
        """

    @property
    def spent(self) -> int:
        """Steps of work that the kernels have counted."""

    @property
    def cancelled(self) -> bool: ...

    @property
    def done(self) -> int: ...

    @property
    def total(self) -> int: ...

class Rows:
    """
    Sparse rows: row i is ids[indptr[i]:indptr[i + 1]], each with its count.
    """

    def __init__(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

    @property
    def indptr(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def ids(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

    @property
    def counts(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

class Tree:
    """A tree in preorder: the subtree of node v is [v, end[v])."""

    def __init__(self, parent: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], end: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], depth: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

def canonical_rows(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], as_sets: bool, threads: int, task: Task) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

def renamed_rows(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], code: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], task: Task) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

def selected_rows(rows: Rows, chosen: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, task: Task) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

def identical_rows(rows: Rows, threads: int, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def content_order(rows: Rows, tie: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def frequencies(numbers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n: int, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """How often each number below n occurs; those below 0 are left out."""

def owners_per_item(rows: Rows, owners: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], items: int, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def shared_occurrences(rows: Rows, others: Rows, partner: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, task: Task) -> int:
    """
    Item occurrences that each row shares with its partner, all together; a partner below zero is none.
    """

def tree_counts(rows: Rows, up: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], end: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, task: Task) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

def min_sums(rows: Rows, left: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def meet_groups(rows: Rows, tree: Tree, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], members: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, task: Task) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

def covering_nodes(originals: Rows, published: Rows, row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tree: Tree, threads: int, task: Task) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

def published_forms(originals: Rows, published: Rows, row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tree: Tree, top: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, task: Task) -> tuple[int, int, int, int]:
    """
    Item occurrences that are published as themselves, as their parent, as a higher node, as a top node.
    """

class ClumpOptions:
    """How Clump assigns records."""

    def __init__(self, *, r: int, total: bool, by_length: bool = False) -> None: ...

def clump(records: Scored, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], options: ClumpOptions, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """The group of each record."""

def clump_printed(records: Scored, rows: Rows, tree: Tree, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], options: ClumpOptions, task: Task) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]]:
    """
    The group of each record, and what the printed BUIG publishes for each group.
    """

class PartitionOptions:
    """How Partition splits records."""

    def __init__(self, *, k: int, tries: int, recurse_leftover: bool, owners_repeat: bool) -> None: ...

def partition(rows: Rows, tree: Tree, leaves: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], owners: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], options: PartitionOptions, task: Task) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]]:
    """The group of each record, and the cut of each group."""

class SetQuestion:
    """Which sets of open items are looked at, and what makes one unsafe."""

    def __init__(self, *, size: int, k: int, h_numerator: int, h_denominator: int, most_examples: int) -> None: ...

def row_classes(rows: Rows, threads: int, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def known_sets(rows: Rows, row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], owner: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], open: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], hidden: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], question: SetQuestion, threads: int, task: Task) -> object: ...

def greatest_certainty(rows: Rows, row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], owner: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], open: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], hidden: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], most: int, threads: int, task: Task) -> object: ...

def largest_matching(of: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], record: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], wanted: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], records: int, task: Task) -> int: ...

def people_of_units(query: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], who: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], units: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_units: int, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """The number of different people with each unit."""

def doubtful_blanks(stream: object, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """The places of texts whose blanks need a closer look."""

def text_words(stream: object, most_bytes: int, task: Task) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], list[TextColumn]]:
    """
    The words of texts between blanks as numbers, and the different words in the order of their numbers, in columns of so many bytes.
    """

def places_of_equals(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], numbers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], shown_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], shown_numbers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    The place of the equal sequence among those shown; numbers below 0 are none.
    """

def sums_of_units(weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], units: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_units: int, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def generalizes_pairs(originals: Rows, published: Rows, record: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tree: Tree, threads: int, task: Task) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

def generalizes(originals: Rows, published: Rows, row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tree: Tree, threads: int, task: Task) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

class Interner:
    """Numbers distinct strings in order of first appearance."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    def encode(self, stream: object, task: Task) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def words(self, stream: object, shortest: int, lower: bool, threads: int, task: Task) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

    def pieces(self, stream: object, separator: str, task: Task) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """The pieces of every string between separators, without empty ones."""

    def strings(self, first: int = 0) -> list[str]:
        """The strings in the order of their numbers, from this number on."""

def beyond_ascii(stream: object, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """The places of the strings that hold a character beyond ASCII."""

class RuleQuestion:
    """Which rules give a hidden item away."""

    def __init__(self, *, size: int, largest: int, numerator: int, denominator: int, most: int, work: int) -> None: ...

def breaching_rules(rows: Rows, owners: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], hidden: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], question: RuleQuestion, threads: int, task: Task) -> object: ...

class MoleQuestion:
    """Which sets of public items are unsafe."""

    def __init__(self, *, k: int, h_numerator: int, h_denominator: int, p: int, achieved: bool) -> None: ...

def itemset_supports(rows: Rows, role: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], owners: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, task: Task) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

def minimal_moles(rows: Rows, role: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], owners: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], question: MoleQuestion, threads: int, task: Task) -> object: ...

def eliminate_moles(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], loss: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], score: str, task: Task) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

def improve_hitting(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], loss: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], items: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def hit_rare_pairs(rows: Rows, owners: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, most: int, loss: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

FAR: int = 1048576

UNRELATED: int = 2305843009213693951

class Measure:
    """How far terms lie apart on a tree."""

    def __init__(self, parent: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], end: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], level: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], wu_palmer: bool, units: int, eps: int, omega: int) -> None: ...

def term_distances(measure: Measure, left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def term_set_distances(measure: Measure, rows: Rows, others: Rows, left: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], way: int, threads: int, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def nearest_distances(measure: Measure, rows: Rows, others: Rows, threads: int, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

class TermSetClusters:
    """Clusters of term sets and their centres."""

    @property
    def group(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def centres(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

    @property
    def members(self) -> list[list[int]]: ...

    @property
    def matched(self) -> int: ...

    def __len__(self) -> int: ...

def cluster_term_sets(measure: Measure, rows: Rows, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], owner: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, promising: int, task: Task) -> TermSetClusters: ...

def cluster_by_matched_terms(measure: Measure, rows: Rows, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], owner: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, promising: int, task: Task) -> TermSetClusters: ...

def joined_centre(measure: Measure, rows: Rows, members: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], task: Task) -> tuple[tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

def nearest_term_sets(measure: Measure, rows: Rows, wanted: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

class TypicalOptions:
    """What is published of a cluster."""

    def __init__(self, *, typical: int, min_owners: int, generalize_rare: bool) -> None: ...

class TypicalTermSets:
    """What is published, and what became of the matched occurrences."""

    @property
    def rows(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

    @property
    def kept(self) -> int: ...

    @property
    def replaced(self) -> int: ...

    @property
    def generalized(self) -> int: ...

def typical_term_sets(measure: Measure, clusters: TermSetClusters, rows: Rows, owner: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], options: TypicalOptions, publishable: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], task: Task) -> TypicalTermSets: ...

def top_closed(rows: Rows, weight: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n: int, shortest: int, task: Task) -> tuple[tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

def represent(measure: Measure, rows: Rows, others: Rows, row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], task: Task) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

class TextColumn:
    """
    Strings in Arrow's string-view layout; handing them on empties the column.
    """

    def __init__(self, stream: object) -> None:
        """A copy of an Arrow stream's strings; a null becomes an empty one."""

    def __len__(self) -> int: ...

    def lengths(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    def places_like(self, name: str) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """
        Where a string may be this name, in any case, with quotes, blanks or a byte order mark around it.
        """

    def take(self, places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> TextColumn: ...

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class Dialect:
    """How fields are written in delimited text."""

    def __init__(self, separator: str, quoted: bool, trimmed: bool = True) -> None: ...

class ChunkFacts:
    """What a chunk of delimited text held."""

    @property
    def lines(self) -> int: ...

    @property
    def consumed(self) -> int: ...

    @property
    def blank(self) -> int: ...

    def row_lines(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def broken(self) -> list[int]: ...

    @property
    def defects(self) -> list[int]: ...

def first_records(text: bytes, dialect: Dialect, last: bool, limit: int) -> list[tuple[int, list[str], int, int]]: ...

class ColumnCutter:
    """Cuts chunks of delimited text into columns, all in the same memory."""

    def __init__(self, dialect: Dialect, wanted: Sequence[int], fewest: int, most: int, threads: int) -> None: ...

    class Part:
        """Consecutive lines of a chunk. The next chunk overwrites its columns."""

        @property
        def facts(self) -> ChunkFacts: ...

        def column(self, i: int) -> TextColumn: ...

    def cut(self, text: bytes, last: bool, task: Task) -> int:
        """The number of parts that the chunk was cut in."""

    def part(self, i: int) -> ColumnCutter.Part: ...

def cut_items(text: bytes, dialect: Dialect, interner: Interner, keep_blank: bool, last: bool, task: Task) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], ChunkFacts]: ...

def joined_texts(words: object, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], most_bytes: int, task: Task) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], list[TextColumn]]:
    """
    The number of each text of words, and the different texts in columns of so many bytes; words below 0 are none.
    """

def texts_among(texts: object, others: object, task: Task) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """Whether each text is among the others."""

def encode_column(interner: Interner, column: TextColumn, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """The code of every string, -1 for an empty one."""

def encode_texts(interner: Interner, column: TextColumn, places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], task: Task) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """The code of the string at each place, also of an empty one."""

def text_columns(interner: Interner, most_bytes: int) -> list[TextColumn]:
    """
    The strings in the order of their numbers, in columns of so many bytes, or of a single longer string.
    """

def parse_times(column: TextColumn, threads: int, task: Task) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]:
    """
    Microseconds since 1970 and the shape each was written in, 0 where it is no time.
    """

def event_order(owner: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], time: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_owners: int, threads: int, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def shared_moments(owner: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], time: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

def give_back_memory() -> None:
    """
    Hand memory that was freed, but is still held, to the operating system.
    """

def unlike_previous(owner: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], time: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], payload: TextColumn) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

class Scored:
    """
    Records as tree counts in content order, with what scores need beside them.
    """

    def __init__(self, counts: Rows, lengths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], owners: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], units: int, k: int, owners_repeat: bool) -> None: ...

class GrowOptions:
    """How groups are grown."""

    def __init__(self, *, candidates: int) -> None: ...

    @property
    def candidates(self) -> int: ...

class RefineOptions:
    """How groups are refined."""

    def __init__(self, *, neighbours: int, depth: int, together: int, worst: int, worth: int) -> None: ...

    @property
    def neighbours(self) -> int: ...

    @property
    def depth(self) -> int: ...

    @property
    def together(self) -> int: ...

    @property
    def worst(self) -> int: ...

    @property
    def worth(self) -> int: ...

class CutTree:
    """
    Questions how much of a record lies below a node; -1 - l instead of a next one is leaf l.
    """

    def __init__(self, node: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], end: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], at_least: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], having: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], lacking: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def leaves_of(rows: Rows, cuts: CutTree, threads: int, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """The leaf of each record."""

def content_hashes(rows: Rows, alike: int, threads: int, task: Task) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """A hash of each record, in which ids from `alike` on are the same."""

class Coordinates:
    """
    Where records or groups lie, for cutting them into blocks of similar ones.
    """

    def __len__(self) -> int: ...

def coordinates(counts: Rows, lengths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], units: int, threads: int, task: Task) -> Coordinates: ...

def split_blocks(at: Coordinates, chosen: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], size: int, round: int, threads: int, task: Task) -> list[Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Blocks of about `size` of the chosen things, each in rising order; another round cuts elsewhere.
    """

def use_wide_vectors(wanted: bool) -> bool:
    """
    Whether sketches are compared with vectors of 32 bytes from now on: what is found is the same. False where the processor lacks them.
    """

def noise(a: int, b: int, c: int) -> int:
    """A number that looks random and is the same wherever it is asked for."""

def identical_groups(records: Scored, kind: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], times: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], task: Task) -> tuple[tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """Full groups of identical records, and the records in none of them."""

def meet_counts(records: Scored, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], members: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], task: Task) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """The least tree counts of each group, as rows."""

def grow_block(records: Scored, block: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], options: GrowOptions, task: Task) -> tuple[tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """Groups of k people out of the records of a block, and those left over."""

def join_leftovers(records: Scored, meets: Rows, sizes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], left: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """The group that each record left over joins."""

def refine_block(records: Scored, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], members: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], options: RefineOptions, shake: int, seconds: float, task: Task) -> tuple[tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]], int]:
    """
    Better groups of the same records, and how many changes led there. It stops after so many seconds; below zero: when done.
    """

class BoundOptions:
    """How much work the lower bound on loss is worth."""

    def __init__(self, *, neighbours: int, patience: int, ceilings: bool, work: int) -> None: ...

def unavoidable_losses(records: Scored, asked: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], options: BoundOptions, threads: int, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    For each record asked for, twice what it must lose in any k-anonymous release.
    """

def mdav(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], owner: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, threads: int, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """The group of each row; of equal distances the first row is taken."""

def improve_groups(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], owner: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], group: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, rounds: int, seed: int, threads: int, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    Groups of k owners or more after so many rounds of local search on their sum of squares.
    """

class ImproveOptions:
    """
    The fewest owners of a group, the rounds of search, and the seed of its random order.
    """

    def __init__(self, *, k: int, rounds: int, seed: int) -> None: ...

def improve_kinds(codes: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], kinds: Sequence[tuple[int, float, Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]]], owner: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], group: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], options: ImproveOptions, threads: int, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    The same for attributes of several kinds, each with its distance and centroid, by exchanges between near groups.
    """

class FieldUnits:
    """
    Units of several fields: field f of unit u is values[starts[u * F + f]:], with counts.
    """

    def __init__(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], numbers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_values: int) -> None: ...

    def __len__(self) -> int: ...

    def mean(self, units: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The point that stands for these units."""

    def distances(self, point: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], units: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, task: Task) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """How far each of these units lies from the point."""

class RecodingPlan:
    """
    How many people must hold any set of how many items, and which steps lead there.
    """

    def __init__(self, *, k: int, m: int, suppressed: int, start: str, undo: bool, suppress: bool, local: bool) -> None: ...

def recode_rare_sets(rows: Rows, owners: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tree: Tree, loss: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], publishable: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: RecodingPlan, task: Task) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

class RareSets:
    """
    Sets of nodes that too few people hold, and the records that hold them.
    """

    def __init__(self, start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], nodes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], record: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], set: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def of_several(self) -> bool:
        """Whether some set has two nodes or more."""

    def of_each_node(self, nodes: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """How many of the sets hold each node."""

class PublishedRecords:
    """
    What records publish, kept for the search of rare sets; nothing at first.
    """

    def __init__(self, rows: Rows, owners: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], nodes: int, k: int, m: int) -> None: ...

    def publish(self, places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], nodes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Publish other nodes, or -1 for nothing, at some places."""

    def rare_sets(self, changed: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], task: Task) -> RareSets:
        """The minimal rare sets with one of these nodes."""

    def give_up_pairs(self, shown: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], fresh: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], changed: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], batch: int, task: Task) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,))], bool]:
        """
        What records give up because of rare nodes and pairs with one of these nodes, and whether there is such a pair.
        """

def give_up(begins: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], shown: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], fresh: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], rare: RareSets, everywhere: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], task: Task) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

class MatchIndex:
    """Published rows by the nodes that they hold, with the weights of nodes."""

    def __init__(self, published: Rows, parent: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], copies: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class NumberLists:
    """List i is values[indptr[i]:indptr[i + 1]]."""

    def __init__(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Knowledge:
    """Items that people have or lack, and their rows."""

    def __init__(self, *, items: NumberLists, counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], own: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], absent: NumberLists, mine: NumberLists, possible: NumberLists, limited: bool) -> None: ...

def best_matches(index: MatchIndex, known: Knowledge, with_rows: bool, threads: int, task: Task) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

def possible_rows(index: MatchIndex, records: Rows, threads: int, task: Task) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

def band_order(rows: Rows, items: int, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def private_groups(known: Rows, sensitive: Rows, items: int, owners: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], p: int, window: int, nearest: int, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

class CompanyBounds:
    """
    How many features there are, and how much of the company of words is counted and kept.
    """

    def __init__(self, *, features: int, longest: int, enough: int, strongest: int, smoothing: float, units: int) -> None: ...

class TopicBounds:
    """
    How far topics are split, and how many words are proposed for their names.
    """

    def __init__(self, *, balance: float, smallest: int, titles: int, narrow: int) -> None: ...

def company(contexts: Rows, owners: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], fingerprint: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], wanted: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: CompanyBounds, threads: int, task: Task) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

def people_of_words(rows: Rows, owners: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], number: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], task: Task) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    The people who have each word, as rows; ids of the rows are numbered anew.
    """

def topic_tree(company: Rows, features: int, people: Rows, frequent: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: TopicBounds, threads: int, task: Task) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

class ChunkPlan:
    """How many people must hold any set of how many terms."""

    def __init__(self, *, k: int, m: int) -> None: ...

def clusters_by_terms(rows: Rows, owners: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], most: int, k: int, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def chunks_of_terms(rows: Rows, owners: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], cluster: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: ChunkPlan, task: Task) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

def unit_owners(query: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], owner: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], units: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_units: int, few: int, task: Task) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    The number of owners of each unit, and the owners of units with few of them: where those of each begin, and who they are.
    """

def owner_classes(query: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], owner: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], class_of: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, n_owners: int, task: Task) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """
    For each owner and each class whether the owner has a row with a query of this class.
    """

APART: int = 16384

class QueryTexts:
    """Texts of queries as words, or as letters."""

    def __init__(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], letters: bool) -> None: ...

class QueryTrees:
    """People as trees of queries with a text, a time and clicks."""

    def __init__(self, queries: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], text: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], time: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], clicks: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rank: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], host: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class TreeWeights:
    """What counts in the distance of two people, in shares of APART."""

    def __init__(self, text: int, time: int, clicks: int, rank: int, host: int) -> None: ...

class ComparedPeople:
    """People prepared for being compared with many points."""

    def __init__(self, texts: QueryTexts, people: QueryTrees, weights: TreeWeights) -> None: ...

    def distances(self, point: QueryTrees, chosen: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """How far the only person of a point lies from each of these."""

    def distances_from(self, person: int, chosen: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """How far one of the people lies from each of these."""

ALIKE: int = 2671465728531600

DEEPEST: int = 20

class Senses:
    """
    Terms as rows of the nodes at or above their senses, each with the least level of a sense below it.
    """

    def __init__(self, terms: Rows, level: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def match_terms(senses: Senses, left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], int]:
    """
    The matching of the largest total similarity: partners of the left terms, common nodes, the total in units of 1 / ALIKE.
    """

def matched_similarities(senses: Senses, documents: Rows, threads: int, task: Task) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    The largest total similarity of a matching for every two documents, in units of 1 / ALIKE.
    """
