"""Errors carry a code, facts and the names of options; each front end spells the options in its own way."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

import shoal
from helpers.cli import Shell, one_line
from shoal.cli.screen import in_shell, in_shell_throughout
from shoal.errors import InputError, ParameterError, ShoalError, in_python, option

ROOT = Path(__file__).parents[1]

# What a message says of options: for the shell, and for Python.
SPELLED = [
    (f"name it with {option('keep-column')}", "name it with --keep-column", "name it with keep_column"),
    (f"add {option('per', 'session')}", "add --per session", 'add per="session"'),
    (f"say {option('header', True)} or {option('header', False)}", "say --header or --no-header", "say header=True or header=False"),
    (f"{option('bag', True)}, {option('bag', False)}", "--bag, --set", "bag=True, bag=False"),
    (f"{option('no-guarantee', True)} runs it", "--no-guarantee runs it", "no_guarantee=True runs it"),
    (f"as in {option('user', 1)} {option('item', 2)};", "as in --user 1 --item 2;", "as in user=1, item=2;"),
    (f"{option('user', placeholder='NAME')} {option('item', placeholder='NAME')}", "--user NAME --item NAME", "user=NAME, item=NAME"),
    (f"{option('user')} {option('item')}", "--user --item", "user item"),
    (f"say {option('user', 'full name')}", "say --user 'full name'", 'say user="full name"'),
    ("say " + option("user", 'a"b'), "say --user 'a\"b'", 'say user="a\\"b"'),
    (f"{option('malformed', 0.5)} accepts it", "--malformed 0.5 accepts it", "malformed=0.5 accepts it"),
    ("a range of 1--2, a path a --user 3/b and -- alone", *["a range of 1--2, a path a --user 3/b and -- alone"] * 2),
]


@pytest.mark.parametrize(("marked", "typed", "called"), SPELLED)
def test_each_front_end_spells_options(marked: str, typed: str, called: str) -> None:
    assert in_shell(marked) == typed
    assert in_python(marked) == called


def test_a_value_cannot_end_its_mark() -> None:
    mark = option("x")[-1]
    assert in_shell(f"a {option('user', f'b{mark}c')} d") == "a --user 'b\\ufdd2c' d"


def test_texts_inside_an_answer_for_programs_are_spelled() -> None:
    assert in_shell_throughout({"a": [option("per"), 1, None, {"b": option("k", 2)}]}) == {"a": ["--per", 1, None, {"b": "--k 2"}]}


def test_an_error_has_a_code_facts_and_options() -> None:
    error = ParameterError(f"{option('gap')} is for sessions", hint=f"add {option('per', 'session')}", code="gap-without-sessions", value=3)
    assert (error.code, error.facts, error.options, error.exit_code) == ("gap-without-sessions", {"value": 3}, ("gap", "per"), 1)
    assert (error.message, error.hint) == ("gap is for sessions", 'add per="session"')
    assert str(error) == 'gap is for sessions (add per="session")'
    assert in_shell(error.marked) == "--gap is for sessions (add --per session)"
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (twin.code, twin.facts, str(twin)) == (error.code, error.facts, str(error))


def test_rare_names_are_shown_only_where_asked_for() -> None:
    hidden, shown = (ShoalError("an item is rare", code="rare", rare=["secret"]) for _ in range(2))
    for _ in range(2):  # a hint is given once
        hidden.naming(False, option("show-rare"))
    assert in_shell(hidden.marked) == "an item is rare (--show-rare names them)"
    shown.naming(True, option("show-rare"))
    assert str(shown) == "an item is rare: secret"


# -- paths and names of the user stay as they are


def test_a_path_that_looks_like_an_option_is_named_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "x --user 2017" / "log.csv"
    with pytest.raises(InputError) as refused:
        shoal.read(str(path))
    assert str(path) in str(refused.value)
    assert str(path) in refused.value.message


def test_a_path_that_looks_like_an_option_is_read_and_refused_under_its_name(shell: Shell) -> None:
    (shell.directory / "x --no-header").mkdir()
    file = shell.file("x --no-header/log.csv", "a,b\n1,2\n3,4\n")
    with pytest.raises(InputError) as refused:
        shoal.read(str(file), format="table")
    assert str(file) in refused.value.message
    assert str(file) in one_line(shell("look", file, "--format", "table"))


def test_the_same_refusal_for_the_shell_and_for_python(shell: Shell) -> None:
    file = shell.file("log.csv", "user,item\n1,a\n2,a\n")
    typed = one_line(shell("anonymize", file, "--k", "2", "--gap", "10m", "--taxonomy", "none", "--out", "r", "--method", "km"))
    assert "--gap is for sessions" in typed
    assert "(add --per session)" in typed
    with pytest.raises(ParameterError) as refused:
        shoal.anonymize(str(file), "km", k=2, gap="10m", taxonomy="none")
    assert refused.value.options == ("gap", "per")
    assert 'gap is for sessions, but one record is made per user (add per="session")' in str(refused.value)


# -- codes


def error_codes() -> Any:
    """The script that lists the codes."""
    spec = spec_from_file_location("error_codes", ROOT / "scripts" / "error_codes.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CODES = error_codes()


@cache
def sites() -> list[Any]:
    """All places where an error is made. Found when first asked for: every process that collects tests would wait for it."""
    return list(CODES.sites())


def test_every_error_in_the_sources_has_a_code() -> None:
    assert not [f"{site.file}:{site.line}" for site in sites() if site.code == ""]
    assert len(sites()) > 600


def test_codes_are_lower_case_words_with_hyphens() -> None:
    assert not [site.code for site in sites() if site.code and not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", site.code)]


def test_an_error_without_a_code_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_text(
        'raise InputError("no code")\nraise InputError("a code", code="a")\nraise InputError("?", code=f"b{c}")\n'
    )
    monkeypatch.setattr(CODES, "PACKAGE", tmp_path)
    assert [(site.line, site.code) for site in CODES.sites()] == [(1, ""), (2, "a"), (3, "")]


def test_the_page_lists_every_code_with_its_meaning() -> None:
    assert {site.code for site in sites() if site.code} == set(CODES.MEANINGS)
    assert (ROOT / "docs" / "errors.md").read_text("utf-8") == CODES.page(sites()), "run python scripts/error_codes.py"


@pytest.mark.parametrize(
    ("failing", "code", "options"),
    [
        (lambda: shoal.anonymize([["a"]], "shaol"), "unknown-method", ()),
        (lambda: shoal.anonymize([["a"]], k=1), "out-of-range", ()),
        (lambda: shoal.anonymize([["a"]], usr="x"), "unknown-option", ()),
        (lambda: shoal.anonymize([["a"]], gap="10m"), "option-not-applicable", ("gap", "per")),
        (lambda: shoal.anonymize([["a"]], "cahd", p=2), "items-not-named", ("sensitive",)),
        (lambda: shoal.read("nowhere.csv"), "file-not-found", ()),
        (lambda: shoal.read([["a"]], format="tabel"), "unknown-format", ()),
    ],
)
def test_a_python_user_gets_the_code(failing: Callable[[], object], code: str, options: tuple[str, ...]) -> None:
    with pytest.raises(ShoalError) as refused:
        failing()
    assert (refused.value.code, refused.value.options) == (code, options)
