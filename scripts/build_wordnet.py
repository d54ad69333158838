"""Builds the embedded noun taxonomy of `shoal.taxonomy.wordnet` from WordNet 3.0's own files.

    python scripts/build_wordnet.py [--source DIR] [--out DIR]

DIR holds data.*, index.*, *.exc and cntlist.rev (Debian's package `wordnet-base` has them).
WordNet's nouns are not a tree. In the tree each synset hangs under its first hypernym, or its first instance
hypernym where it has no other, and a noun means its first sense; all further hypernyms and senses are in tables
of their own. Adjectives, verbs and adverbs that are not nouns have a table of the noun that WordNet relates them to. The same source
always gives the same bytes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

SOURCE = Path("/usr/share/wordnet")
OUT = Path(__file__).resolve().parent.parent / "src/shoal/taxonomy/wordnet-data"

Senses = dict[str, list[int]]  # lemma -> the offsets of its synsets, first sense first


@dataclass(frozen=True)
class Synset:
    """One line of data.noun, as far as a tree needs it."""

    offset: int
    first_word: str
    above: tuple[int, ...]
    capitalized: frozenset[str]

    @property
    def parent(self) -> int | None:
        """The one it hangs under in the tree."""
        return self.above[0] if self.above else None


def entries(path: Path) -> Iterator[list[str]]:
    """The fields of each entry; lines that begin with two spaces are the licence."""
    with path.open(encoding="ascii") as lines:
        for line in lines:
            if not line.startswith("  "):
                yield line.split("|", 1)[0].split()


def read_synset(fields: list[str]) -> Synset:
    """offset file type words (word id)* pointers (symbol offset part source)*."""
    words = int(fields[3], 16)
    pointers = 4 + 2 * words
    above: dict[str, list[int]] = {"@": [], "@i": []}  # hypernyms, and hypernyms of instances
    for i in range(int(fields[pointers])):
        symbol, target = fields[pointers + 1 + 4 * i : pointers + 3 + 4 * i]
        above.setdefault(symbol, []).append(int(target))
    capitalized = frozenset(spelled(word) for word in fields[4:pointers:2] if word[0].isupper())
    return Synset(int(fields[0]), spelled(fields[4]), tuple(above["@"] + above["@i"]), capitalized)


def read_senses(path: Path) -> Senses:
    """lemma type synsets pointers symbol* senses tagged offset*."""
    return {spelled(f[0]): [int(offset) for offset in f[-int(f[2]) :]] for f in entries(path)}


def read_uses(path: Path) -> dict[str, int]:
    """How often each noun stands for its first sense in WordNet's tagged texts."""
    uses: dict[str, int] = {}
    for key, sense, count in entries(path):
        lemma, _, kind = key.partition("%")
        if kind.startswith("1:") and sense == "1":
            uses[spelled(lemma)] = int(count)
    return uses


def spelled(word: str) -> str:
    """A word as people write it and as the index orders it: lower case, spaces."""
    return word.lower().replace("_", " ")


def name_of(synset: Synset, senses: Senses) -> str:
    """The synset's first word, with the number of its sense unless it is the first: `bank`, `bank#2`."""
    sense = senses[synset.first_word].index(synset.offset) + 1
    return synset.first_word if sense == 1 else f"{synset.first_word}#{sense}"


def preorder(synsets: list[Synset], names: dict[int, str]) -> tuple[list[int], list[int]]:
    """Offsets in preorder, children by name, and the place of each one's parent."""
    children: dict[int | None, list[int]] = {}
    for synset in synsets:
        children.setdefault(synset.parent, []).append(synset.offset)
    (root,) = children[None]
    order: list[int] = []
    parents: list[int] = []
    pending = [(root, -1)]
    while pending:
        offset, parent = pending.pop()
        below = sorted(children.get(offset, []), key=names.__getitem__, reverse=True)
        pending.extend((child, len(order)) for child in below)
        order.append(offset)
        parents.append(parent)
    if len(order) != len(synsets):
        raise SystemExit(f"{len(synsets) - len(order)} synsets do not hang under the root")
    return order, parents


# -- adjectives, verbs and adverbs


OTHERS = ("adj", "verb", "adv")  # of several related nouns that of the first part of speech is taken
PARTS = {"a": "adj", "s": "adj", "v": "verb", "r": "adv"}
DERIVED, PERTAINS = "+", "\\"


def read_links(fields: list[str]) -> tuple[list[str], list[tuple[str, int, str, int, int]]]:
    """The words of a synset, and its links of form and meaning: symbol, offset, part of speech, number of the word and of the target."""
    words = int(fields[3], 16)
    pointers = 4 + 2 * words
    links = []
    for i in range(int(fields[pointers])):
        symbol, offset, part, between = fields[pointers + 1 + 4 * i : pointers + 5 + 4 * i]
        if symbol in (DERIVED, PERTAINS):
            links.append((symbol, int(offset), part, int(between[:2], 16), int(between[2:], 16)))
    return [spelled(word).split("(")[0] for word in fields[4:pointers:2]], links


def related_nouns(source: Path) -> dict[str, str]:
    """The noun of each adjective, verb and adverb that is no noun: that of its first sense that has one, an adverb's by its adjective."""
    nouns = read_senses(source / "index.noun")
    words = {int(f[0]): [spelled(word) for word in f[4 : 4 + 2 * int(f[3], 16) : 2]] for f in entries(source / "data.noun")}
    synsets = {part: {int(f[0]): read_links(f) for f in entries(source / f"data.{part}")} for part in OTHERS}

    def noun_of(word: str, part: str, seen: frozenset[str] = frozenset()) -> str | None:
        for offset in senses[part].get(word, []):
            spellings, links = synsets[part][offset]
            for symbol in (DERIVED, PERTAINS):
                for _, target, kind, own, its in (link for link in links if link[0] == symbol):
                    if own and spellings[own - 1] != word:
                        continue
                    if kind == "n":
                        return words[target][its - 1 if its else 0]
                    other = synsets[PARTS[kind]][target][0][its - 1 if its else 0]
                    if other not in seen and (found := noun_of(other, PARTS[kind], seen | {word})):
                        return found
        return None

    senses = {part: read_senses(source / f"index.{part}") for part in OTHERS}
    found: dict[str, str] = {}
    for part in OTHERS:
        for word in senses[part]:
            if word not in nouns and word not in found and " " not in word and (noun := noun_of(word, part)):
                found[word] = noun
    return found


def other_forms(source: Path, words: dict[str, str]) -> list[tuple[str, str]]:
    """Irregular forms of these words: went, go."""
    lines = [f for part in OTHERS for f in entries(source / f"{part}.exc")]
    pairs = {(spelled(form), spelled(base)) for form, base, *_ in lines}
    return sorted((form, base) for form, base in pairs if base in words and form not in words)


def licence(path: Path) -> str:
    """The licence at the head of the data file, without its line numbers."""
    with path.open(encoding="ascii") as lines:
        head = [line for line in lines if line.startswith("  ")]
    return "".join(line.lstrip().partition(" ")[2].rstrip() + "\n" for line in head)


def build(source: Path, out: Path) -> None:
    """Writes the nodes, the lemmas, their further hypernyms and senses, the irregular plurals and the licence."""
    senses = read_senses(source / "index.noun")
    synsets = [read_synset(fields) for fields in entries(source / "data.noun")]
    names = {synset.offset: name_of(synset, senses) for synset in synsets}
    if len(set(names.values())) != len(synsets):
        raise SystemExit("two synsets bear one name")
    order, parents = preorder(synsets, names)
    number = {offset: i for i, offset in enumerate(order)}
    irregular = [(spelled(f[0]), spelled(base)) for f in entries(source / "noun.exc") for base in f[1:]]

    out.mkdir(parents=True, exist_ok=True)
    write(out / "nodes.parquet", name=[names[o] for o in order], parent=parents)
    lemmas = sorted(senses)
    capitalized = {synset.offset: synset.capitalized for synset in synsets}
    uses = read_uses(source / "cntlist.rev")
    write(
        out / "lemmas.parquet",
        lemma=lemmas,
        node=[number[senses[word][0]] for word in lemmas],
        senses=[len(senses[word]) for word in lemmas],
        uses=[uses.get(word, 0) for word in lemmas],
        proper=[word in capitalized[senses[word][0]] for word in lemmas],
    )
    further = [(number[s.offset], number[above]) for s in synsets for above in s.above[1:]]
    write(out / "hypernyms.parquet", node=[node for node, _ in sorted(further)], above=[above for _, above in sorted(further)])
    others = [(place, number[offset]) for place, word in enumerate(lemmas) for offset in senses[word][1:]]
    write(out / "senses.parquet", lemma=[place for place, _ in others], node=[node for _, node in others])
    write(out / "exceptions.parquet", form=[f for f, _ in irregular], base=[b for _, b in irregular])
    related = related_nouns(source)
    place = {word: i for i, word in enumerate(lemmas)}
    write(out / "related.parquet", word=sorted(related), lemma=[place[related[word]] for word in sorted(related)])
    forms = other_forms(source, related)
    write(out / "related_forms.parquet", form=[form for form, _ in forms], base=[base for _, base in forms])
    (out / "LICENSE").write_text(licence(source / "data.noun"), encoding="ascii")


def write(path: Path, **columns: list[str] | list[int] | list[bool]) -> None:
    """One Parquet table; numbers are 32 bits wide."""
    table = pl.DataFrame(columns).cast({pl.Int64: pl.Int32})
    table.write_parquet(path, compression="zstd", compression_level=19, statistics=False)
    print(f"{path.name}: {len(table):,} rows, {path.stat().st_size:,} bytes")


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--source", type=Path, default=SOURCE, help="directory of WordNet's files")
    parser.add_argument("--out", type=Path, default=OUT, help="directory to write to")
    arguments = parser.parse_args()
    build(arguments.source, arguments.out)


if __name__ == "__main__":
    main()
