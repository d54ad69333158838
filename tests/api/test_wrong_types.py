"""Public functions refuse values of a wrong type with an error of shoal: never with an AssertionError, nor one of Python's own."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

import shoal
from helpers.accesslog import visits
from helpers.errors import refuses
from shoal.api.data_options import DATA_OPTIONS
from shoal.errors import ParameterError, ShoalError

FOOD = {"Food": {"Fruit": ["Apple", "Pear"], "Drink": ["Milk"]}}
BASKETS = [["Apple"], ["Apple"], ["Pear"]]
CALLS: dict[str, dict[str, Any]] = {
    "advise": {"data": BASKETS, "goal": "baskets", "k": 2, "seconds": 2.0, "taxonomy": FOOD},
    "anonymize": {"data": BASKETS, "k": 2, "taxonomy": FOOD},
    "attack": {"original": BASKETS, "release": "release", "taxonomy": FOOD},
    "audit": {"release": "release"},
    "bound": {"data": BASKETS, "k": 2, "taxonomy": FOOD},
    "decode": {"release": "release"},
    "from_sql": {"query": "select 1", "source": "duckdb:"},
    "generate": {"users": 2},
    "learn_taxonomy": {"data": [["Apple", "Pear"], ["Apple", "Pear"]], "people": 2},
    "look": {"data": BASKETS, "taxonomy": "none"},
    "mask": {"data": "access.log", "out": "masked.log", "force": True},
    "measure": {"release": "release"},
    "read": {"data": BASKETS},
    "read_taxonomy": {"path": "tree.csv"},
    "reproduce": {"paper": "none"},
    "wordnet": {},
}
ELSEWHERE = {"compare", "reconstruct", "models", "list_methods", "list_models", "list_metrics"}  # wrong arguments: test_evaluation.py
WRONG: tuple[Any, ...] = (object(), [None], b"x")


def test_every_public_function_is_called() -> None:
    assert set(CALLS) | ELSEWHERE == {name for name in shoal.__all__ if inspect.isfunction(getattr(shoal, name))}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("wrong")
    shoal.anonymize(BASKETS, k=3, taxonomy=FOOD).write(directory / "release")
    (directory / "access.log").write_text(visits(2))
    (directory / "tree.csv").write_text("child,parent\na,root\nb,root\n")
    return directory


@pytest.mark.parametrize("name", CALLS)
def test_wrong_types_are_refused_by_errors_of_shoal(name: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    function = getattr(shoal, name)
    parameters = inspect.signature(function).parameters.values()
    names = [one.name for one in parameters if one.kind != one.VAR_KEYWORD]
    names += DATA_OPTIONS if any(one.kind == one.VAR_KEYWORD for one in parameters) and name != "generate" else []
    for argument in dict.fromkeys(names):
        for value in (*WRONG, *([None] if argument in CALLS[name] or argument in {"claims", "attacks", "metrics", "previous"} else [])):
            try:
                function(**{**CALLS[name], argument: value})
            except ShoalError as error:
                assert error.code != "unspecified", (argument, value)
            except Exception as error:
                pytest.fail(f"{name}({argument}={value!r}) raises {type(error).__name__}: {error}")


def test_an_attack_needs_the_original(place: Path) -> None:
    with refuses("missing-argument", argument="original") as refused:
        shoal.attack(None, place / "release")
    assert (refused.value.code, refused.value.facts) == ("missing-argument", {"argument": "original"})


def test_a_refusal_does_not_quote_the_value(place: Path) -> None:
    with pytest.raises(ParameterError) as refused:
        shoal.audit([["a raw query"]])  # type: ignore[arg-type]
    assert str(refused.value) == "release must be a path, not a value of type list"


def test_columns_of_read_are_names_or_numbers() -> None:
    with refuses("wrong-type", value=1.5):
        shoal.read(BASKETS, user=1.5)


CLASSES = [name for name in shoal.__all__ if inspect.isclass(getattr(shoal, name)) and not issubclass(getattr(shoal, name), Exception)]


@pytest.mark.parametrize("name", CLASSES)
def test_no_public_class_fails_an_assertion(name: str) -> None:
    kind = getattr(shoal, name)
    names = [one.name for one in inspect.signature(kind).parameters.values() if one.kind in {one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY}]
    for value in (None, *WRONG):
        for given in ({argument: value} for argument in names), [dict.fromkeys(names, value)]:
            for arguments in given:
                try:
                    kind(**arguments)
                except AssertionError:
                    pytest.fail(f"{name}({arguments}) fails an assertion")
                except Exception:
                    continue
