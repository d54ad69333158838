"""shoal taxonomy learn: a taxonomy of topics from the words that people use together."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shoal.cli import screen
from shoal.cli.input_options import files_of, input_argument
from shoal.cli.options import WholeNumber, data_options
from shoal.util.wording import counted

if TYPE_CHECKING:
    from shoal.pipeline.learn_taxonomy import LearnedTaxonomy

_WITHOUT = ("taxonomy", "node-loss", "unknown", "tree", "floor", "min-support", "bag")


@click.command("learn", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@input_argument
@click.option("--out", "-o", type=click.Path(path_type=Path), help="Output file of edges, text or .parquet. [default: standard output]")
@click.option(
    "--people",
    type=WholeNumber(2),
    default=10,
    show_default=True,
    metavar="N",
    help="Minimum number of people who have each item (word or product) of the file.",
)
@click.option("--all-words", is_flag=True, help="Include items of fewer people. The file is then private.")
@click.option("--with-wordnet", is_flag=True, help="Place words that occur with no other one where WordNet has them. Use with --all-words.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@data_options(without=_WITHOUT)
def learn(input: Any, out: Path | None, people: int, all_words: bool, with_wordnet: bool, force: bool, **options: Any) -> None:
    """Learn a taxonomy of topics from INPUT: words that people use together are placed below the same topic.

    A topic is named by at most three of its most typical words. Each of them is used by at least N people. Words that occur together
    in a session are compared if the input has times, otherwise those of a record; --per chooses.
    """
    from shoal.io import partial_outputs as unfinished
    from shoal.io.release_directory import disk_errors, insist_apart, insist_outside_releases
    from shoal.io.write.taxonomy_file import edges_text, write_edges
    from shoal.pipeline.learn_taxonomy import learn_taxonomy
    from shoal.pipeline.options import TOPICS, Preparation
    from shoal.pipeline.request import parse_preparation

    per = options.pop("per")
    without = dict.fromkeys(name.replace("-", "_") for name in _WITHOUT)
    topics = {"taxonomy": TOPICS} if per is None and options["items_table"] is None else {}  # then a gap may end the sessions
    preparation = parse_preparation({**without, **topics, "per": per, **options}, Preparation())
    if out is not None:
        insist_apart(out, files_of(input))
        insist_outside_releases(out.parent)
    with screen.progress():
        kinds = {"all_words": all_words, "with_wordnet": with_wordnet}
        learned = learn_taxonomy(input, preparation, people, per=per, **kinds)
    screen.note(*learned.notes)
    if all_words:
        screen.warn("the file has items of only few people: do not publish it")
    if out is None:
        screen.content(edges_text(learned.taxonomy))
        return
    screen.note(*unfinished.clear(out.parent))
    with disk_errors(str(out)):
        write_edges(learned.taxonomy, out, force=force)
    _show(learned, out, people)


def _show(learned: LearnedTaxonomy, out: Path, people: int) -> None:
    tree = learned.taxonomy
    items = f"{learned.placed - learned.left_out:,} of {learned.words:,} in the taxonomy"
    rows = [("topics", f"{learned.topics:,}"), ("items", items), ("height", f"{tree.height:,}"), ("learned from", learned.contexts)]
    screen.pairs(f"{out}: written", rows)
    if learned.left_out:
        few = f"{counted(learned.left_out, 'item')} used by fewer than {people:,} people"
        screen.note(f"{few} left out; --all-words keeps them in a private file")
    screen.note(f"use it with --taxonomy {shlex.quote(str(out))}")
