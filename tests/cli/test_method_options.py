"""The help of a method shows its own options, in its own words; what another method takes is refused by name."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import click
import pytest
from click.shell_completion import ShellComplete

from helpers.cli import Shell, failed, one_line
from shoal.cli.anonymize import command
from shoal.cli.main import cli
from shoal.cli.options import method_options
from shoal.methods import METHODS, presets_of
from shoal.methods.catalogue import methods_by_family

LINES, COLUMNS = 48, 110
DASHED = re.compile(r"^ +(?:-\w, )?(--[\w-]+)", re.MULTILINE)


def declared(method: str) -> dict[str, str]:
    """What a method declares, straight from its parameters: options and their help; and what names its presets, if it has any."""
    own = {f"--{p.name.replace('_', '-')}": p.help for p in METHODS[method].parameters()}
    return own | ({"--preset": ", ".join(presets_of(method))} if presets_of(method) else {})


def squeezed(text: str) -> str:
    """Without the breaks that wrapping put in, also those after a hyphen."""
    return re.sub(r"\s+", "", text).lower()


def unbroken(text: str) -> str:
    """With names in one piece that were wrapped after a hyphen."""
    return re.sub(r"(?<=\w-)\n *", "", text)


@pytest.fixture
def wide(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    return shell


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("order", ["help last", "help first", "short"])
def test_the_help_of_a_method_shows_its_options_and_no_other(wide: Shell, method: str, order: str):
    words = {"help last": ["--method", method, "--help"], "help first": ["--help", "--method", method], "short": [f"-m{method}", "-h"]}
    told = wide("anonymize", *words[order])
    assert told.code == 0
    assert DASHED.findall(told.out) == list(declared(method))
    for text in declared(method).values():
        described, _, default = text.partition(" (default: ")
        assert squeezed(described) in squeezed(told.out)
        assert not default or squeezed(f"[default: {default.removesuffix(')')}") in squeezed(told.out)


def test_one_name_is_explained_in_the_words_of_the_chosen_method(wide: Shell):
    told = {
        method: " ".join(wide("anonymize", "--method", method, "--help").out.split()) for method in ("clump", "ssc", "shoal", "coherence")
    }
    assert "--order descending|ascending|random" in told["clump"]
    assert "--order ascending|descending|given" in told["ssc"]
    assert "largest share of the people in a group who may have the same one" in told["shoal"]
    assert "same private item" in told["coherence"]
    assert "[default: 0.4; 0 to 1]" in told["coherence"]


def test_plain_help_fits_one_screen_and_says_where_the_rest_is(wide: Shell):
    told = wide("anonymize", "--help").out
    assert len(told.splitlines()) <= LINES
    assert max(map(len, told.splitlines())) <= COLUMNS
    headings = [told.index(f"\n{heading}:\n") for heading in ("Input", "Privacy", "Method", "Output")]
    assert all(a < b for a, b in pairwise(headings))
    assert "`shoal anonymize --method NAME --help`" in told
    assert "`shoal methods NAME`" in " ".join(told.split())
    assert {"--k", "--method", "--out", "--taxonomy", "--user", "--help"} <= set(DASHED.findall(told))
    assert not {"--order", "--h", "--effort", "--private"} & set(DASHED.findall(told))
    families = methods_by_family()
    assert sum(map(len, families.values())) == len(METHODS)
    for family, methods in families.items():
        assert any(line.strip().startswith(f"{family.knows}  ") and methods[0] in line for line in told.splitlines()), family


def test_every_option_of_the_command_is_described_once_or_named(wide: Shell):
    common = [next(name for name in option.opts if name.startswith("--")) for option in command.params if isinstance(option, click.Option)]
    everything = wide("anonymize", "--help-all")
    assert everything.code == 0
    assert sorted(DASHED.findall(everything.out)) == sorted([*common, "--k", "--help"])
    plain = unbroken(wide("anonymize", "--help").out)
    named = re.findall(r"--[a-z-]+", plain[plain.index("More options") : plain.index("Each method")].replace("--help-all", ""))
    assert sorted([*DASHED.findall(plain), *named]) == sorted([*common, "--k", "--help"])


def test_no_method_takes_a_name_that_the_command_itself_has():
    """But for what says how records are made, of which a method that takes none may speak in its own way."""
    own = {name for option in command.params for name in (*option.opts, *option.secondary_opts)} | {"--help", "-h"}
    for method in METHODS:
        names = [name for option in method_options(method) for name in (*option.opts, *option.secondary_opts)]
        of_records = {"--per", "--gap"} if not METHODS[method].takes & {"sets", "bags"} else set()
        assert own & set(names) <= of_records
        assert len(names) == len(set(names))


REFUSED = [
    ("ssc", "--h", "0.4"),
    ("coherence", "--order", "given"),
    ("partition", "--seed", "1"),
    ("tds", "--exact", None),
    ("ssc", "--no-exact", None),
]


@pytest.mark.parametrize(("method", "option", "value"), REFUSED)
def test_an_option_of_another_method_is_refused(kitchen: Shell, method: str, option: str, value: str | None):
    line = one_line(kitchen("anonymize", "baskets.txt", "--out", "x", "--method", method, option, *([value] if value else [])))
    assert f"the method {method} has no option {option} (its options are {', '.join(declared(method))}; {option} belongs to " in line
    assert "x" not in kitchen.names()


def test_an_option_of_another_method_that_is_nearly_one_of_this(kitchen: Shell, monkeypatch: pytest.MonkeyPatch):
    near = {"clump": [click.Option(["--orders"])], "ssc": [click.Option(["--order"])]}
    monkeypatch.setattr("shoal.cli.method_command.method_options", lambda name: near.get(name, []))
    monkeypatch.setattr("shoal.cli.method_command.takers", lambda option: ["clump"])
    assert "has no option --orders (did you mean --order? " in one_line(
        kitchen("anonymize", "x", "-o", "y", "--method", "ssc", "--orders", "1")
    )


def test_a_mistyped_option_of_the_chosen_method(kitchen: Shell):
    assert "--min-owners" in one_line(kitchen("anonymize", "x", "-o", "y", "--method", "ssc", "--min-ownrs", "3"))


def test_the_method_may_come_after_its_options(kitchen: Shell):
    words = ["--distinct", "--order", "random", "--taxonomy", "food.csv", "--out", "x", "--json", "--method", "clump"]
    told = json.loads(kitchen("anonymize", "baskets.txt", *words).out)
    assert told["parameters"] | {"order": "random", "distinct": True} == told["parameters"]


def test_a_method_behind_a_value_that_looks_like_the_end_of_the_options(kitchen: Shell):
    words = ["anonymize", "baskets.txt", "--out", "x", "--sensitive", "--", "--method", "clump"]
    failed(kitchen(*words), "ambiguous-method")


@pytest.mark.parametrize("words", [["--config", "settings.toml", "--help"], ["--help", "--config", "settings.toml"]])
def test_a_file_of_options_may_choose_the_method_that_is_explained(kitchen: Shell, words: list[str]):
    kitchen.file("settings.toml", 'method = "ssc"\nmin-owners = 3\n')
    assert DASHED.findall(kitchen("anonymize", *words).out) == list(declared("ssc"))


def test_a_typed_method_goes_before_that_of_the_file_whose_options_are_refused(kitchen: Shell):
    kitchen.file("settings.toml", 'method = "ssc"\nmin-owners = 3\n')
    line = one_line(kitchen("anonymize", "baskets.txt", "--out", "x", "--config", "settings.toml", "--method", "clump"))
    assert "the method clump has no option --min-owners" in line


@pytest.mark.parametrize("name", ["", "clamp", " ssc"])
def test_the_help_of_a_method_that_does_not_exist(shell: Shell, name: str):
    assert f"no method is called {name!r}" in one_line(shell("anonymize", "--method", name, "--help"))


@pytest.mark.parametrize("value", ['"clamp"', '""', "3", "true"])
def test_a_method_in_a_file_that_does_not_exist(kitchen: Shell, value: str):
    kitchen.file("settings.toml", f"method = {value}\n")
    failed(kitchen("anonymize", "baskets.txt", "--out", "x", "--config", "settings.toml"), "unknown-method")


@pytest.mark.parametrize("method", METHODS)
def test_the_listing_of_a_method_says_how_its_parameters_are_typed(shell: Shell, method: str):
    told = shell("methods", method)
    assert set(re.findall(r"^(\w+)  ", re.split(r"default +description", told.out)[1], re.MULTILINE)) == {
        p.name for p in METHODS[method].parameters()
    }
    assert f"`shoal anonymize --method {method} --help`" in told.everything


def completed(*words: str) -> set[str]:
    """What the shell offers for the last word."""
    found = ShellComplete(cli, {}, "shoal", "_SHOAL_COMPLETE").get_completions(list(words[:-1]), words[-1])
    return {item.value for item in found}


def test_the_shell_completes_the_options_of_the_chosen_method():
    assert completed("anonymize", "--method", "ssc", "--min") == {"--min-owners", "--min-support"}
    assert completed("anonymize", "--method", "clump", "--min") == {"--min-support"}
    assert completed("anonymize", "--eff") == {"--effort"}
    assert completed("anonymize", "--method", "c") == {name for name in METHODS if name.startswith("c")} >= {"clump", "coherence"}
    assert completed("anonymize", "--method", "nonsense", "--out") == {"--out"}
    assert completed("anonymize", "--config", "nowhere.toml", "--forc") == {"--force"}
