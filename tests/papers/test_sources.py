"""The table of what the sources describe: complete, on the page as listed, and made of commands that the program accepts."""

from __future__ import annotations

import shlex
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import click
import pytest

from helpers.docs import ROOT
from shoal.cli.main import cli
from shoal.cli.options import method_parameters
from shoal.methods import METHODS
from shoal.metrics import METRICS
from shoal.pipeline.claims import parse_claims
from shoal.pipeline.request import chosen_method


def source_table() -> Any:
    """The script that writes the table."""
    spec = spec_from_file_location("source_table", ROOT / "scripts" / "source_table.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SCRIPT = source_table()
ITEMS = [item for source in SCRIPT.read_sources() for item in source.items]
COMMANDS = sorted({item.command for item in ITEMS if item.command})
FILES = {
    "baskets.txt": "a b\n",
    "food.csv": "a,food\nb,food\n",
    "sensitive.txt": "a\n",
    "public.txt": "b\n",
    "weights.tsv": "b\t2\n",
    "odp.csv": "a,all\n",
    "voters.csv": "name,age\nAnn,21\n",
    "own.tsv": "Ann\ta\n",
}


def test_the_page_has_the_table() -> None:
    page = (ROOT / "docs" / "papers.md").read_text("utf-8")
    assert SCRIPT.page_with_table(page) == page, "run python scripts/source_table.py"


def test_every_item_has_a_command_or_a_reason() -> None:
    assert len(ITEMS) == 99
    assert [item.item for item in ITEMS if sum(map(bool, (item.command, item.out, item.open))) != 1] == []
    assert len({(item.where, item.item) for item in ITEMS}) == len(ITEMS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A directory with the files that options name."""
    found = tmp_path_factory.mktemp("sources")
    for name, text in FILES.items():
        (found / name).write_text(text, "utf-8")
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_are_accepted(command: str, folder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """That the options, their values, the claims and the names of metrics are known; nothing is run."""
    monkeypatch.chdir(folder)
    program, name, *arguments = shlex.split(command)
    assert program == "shoal"
    asked = parsed(cli, name, arguments)
    parse_claims(asked.get("claim", ()))
    if "method" in asked:
        chosen_method(asked["method"] or next(iter(METHODS)), method_parameters(asked))
    assert name != "measure" or set(asked["names"]) <= set(METRICS)


def parsed(group: click.Group, name: str, arguments: list[str]) -> dict[str, Any]:
    """What a command is asked for; of a group, by its own command."""
    with click.Context(group, info_name="shoal", **group.context_settings) as parent:
        command = group.get_command(parent, name)
        assert command is not None, f"there is no command {name}"
        if isinstance(command, click.Group):
            return parsed(command, arguments[0], arguments[1:])
        return command.make_context(name, list(arguments), parent=parent).params


@pytest.mark.parametrize(
    "wrong",
    [
        "shoal anonymize baskets.txt --method clump --lcg perhaps --out release",
        "shoal anonymize baskets.txt --method mdav --lcg exact --out release",
        "shoal attack baskets.txt release --attack nothing",
        "shoal measure release --metric nothing",
        "shoal guess baskets.txt",
    ],
)
def test_wrong_commands_are_noticed(wrong: str, folder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Exception):  # noqa: B017 - whatever the parser raises
        test_commands_are_accepted(wrong, folder, monkeypatch)
