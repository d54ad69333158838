"""The keywords of Python are the options of the command line, and refusals are told in the words of Python."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any

import click
import polars as pl
import pytest

import shoal
from helpers.data import food
from helpers.errors import refuses
from shoal.api.data_options import DATA_OPTIONS
from shoal.cli import anonymize as typed
from shoal.cli.options import DATA_PARAMETERS
from shoal.errors import ParameterError, ShoalError
from shoal.methods import METHODS, Clump

# Where the result goes is said to `Result.write`; what is printed and from which file options come has no meaning here.
OF_WRITING = {"out", "form", "layout", "to_sep", "force"}
OF_THE_TERMINAL = {"show_rare", "as_json", "config", "help_all", "private_report", "verbose"}
OF_QUERIES = {"sql", "source"}  # in Python a query is a value, `shoal.from_sql`
# In Python a frame of Spark says that its cluster does the work.
OF_THE_CLUSTER = {"engine", "master"}
# What the command line has as arguments, in files, or among the options of the method.
OF_PYTHON = {"data", "levels", "k", "seed", "parameters", "events", "cancel"}


def test_the_keywords_are_the_options():
    options = {str(p.name) for p in typed.command.params if isinstance(p, click.Option)}
    keywords = set(inspect.signature(shoal.anonymize).parameters)
    assert keywords - OF_PYTHON == options - OF_WRITING - OF_THE_TERMINAL - OF_QUERIES - OF_THE_CLUSTER
    assert set(DATA_OPTIONS) - {"levels"} == set(DATA_PARAMETERS)
    assert set(DATA_OPTIONS) <= keywords
    written = {"to" if name == "form" else name for name in OF_WRITING} - {"out"}
    assert set(inspect.signature(shoal.Result.write).parameters) == {"self", "directory", *written}


def test_shared_parameters_of_methods_are_keywords_of_their_own():
    declared = [{p.name for p in kind.parameters()} for kind in METHODS.values()]
    shared = {name for names in declared for name in names if 2 * sum(name in other for other in declared) > len(METHODS)}
    assert shared <= set(inspect.signature(shoal.anonymize).parameters)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"taxnomy": "wordnet"}, "has no parameter taxnomy (did you mean taxonomy? its parameters are k,"),
        ({"method": "clump", "effort": "fast"}, "the method clump has no parameter effort (its parameters are k, r, r_by, criterion"),
        ({"method": "clump", "effort": "fast"}, "effort belongs to shoal"),
        ({"method": "clump", "critrion": "loss"}, "did you mean criterion?"),
        ({"k": 1}, "k must be at least 2, not 1"),
        ({"k": 2.5}, "k must be a whole number, not 2.5"),
        ({"effort": "lazy"}, "effort must be one of"),
        ({"method": "shaol"}, "no method is called 'shaol'"),
        ({"method": Clump(k=2), "k": 3}, "k is given next to a method that already has its parameters (write Clump(k=...))"),
        ({"method": Clump}, "a method is a name, or a value such as"),
        ({"gap": "10m"}, 'gap is for sessions, but one record is made per user (add per="session")'),
        ({"levels": ["a", "b"]}, "levels name the columns of a frame"),
        ({"malformed": 2}, "malformed must be a share from 0 to 1"),
        ({"malformed": "much"}, "malformed must be a share from 0 to 1"),
        ({"user": True}, "user is the name of a column, or its number from 1"),
        ({"item": ["item"]}, "item is the name of a column, or its number from 1"),
        ({"quasi": 3}, "quasi is a list of columns"),
        ({"strict": "yes"}, "strict is True or False"),
        ({"threads": 0}, "threads must be a whole number from 1 to 1024"),
    ],
)
def test_wrong_keywords_are_refused_like_wrong_options(given: dict[str, Any], said: str):
    frame = pl.DataFrame({"user": [1, 2, 3], "item": ["Apple", "Pear", "Beef"]})
    with pytest.raises(ParameterError) as refused:
        shoal.anonymize(frame, **{"taxonomy": food(), **given})
    assert said in str(refused.value)
    assert "--" not in str(refused.value)


def test_names_of_columns_with_dashes_stay_as_they_are():
    with refuses("missing-column", columns=["my--item", "b"]):
        shoal.anonymize(pl.DataFrame({"my--item": [1], "b": [2]}), k=2)


def test_rare_names_are_kept_apart():
    error = ShoalError("an item is rare", rare=["secret"])
    with pytest.raises(ShoalError) as raised:
        from shoal.api.messages import spoken_in_python

        with spoken_in_python():
            raise error
    assert "secret" not in str(raised.value)
    assert raised.value.rare == ("secret",)


def test_columns_by_number_and_as_lists():
    frame = pl.DataFrame({"a": [1, 1, 2, 2], "b": ["Apple", "Beef", "Apple", "Beef"]})
    assert shoal.anonymize(frame, k=2, user=1, item=2, taxonomy=food()).release.n_records == 2
    table = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "name": list("abcd"), "y": [1.0, 2.0, 3.0, 4.0]})
    result = shoal.anonymize(table, "mdav", k=2, quasi=["x", "y"], drop_column="name")
    assert sorted(result.to_polars().columns) == ["x", "y"]


def test_other_functions_refuse_what_they_do_not_know(tmp_path: Any):
    for refused in (
        lambda: shoal.look([["a"]], usr="x"),
        lambda: shoal.read([["a"]], usr="x"),
        lambda: shoal.bound([["a"]], k=1),
        lambda: shoal.generate(user=3),
        lambda: shoal.measure(tmp_path / "nothing", user="x"),
        lambda: shoal.audit(tmp_path / "nothing", user="x"),
    ):
        with pytest.raises(ParameterError):
            refused()


def test_the_package_says_that_it_is_typed():
    from importlib.resources import files

    assert (files("shoal") / "py.typed").is_file()


def test_importing_costs_next_to_nothing():
    """Whoever imports shoal, or reads data with it, does not wait for libraries that only other data needs."""
    heavy = "{'pandas', 'pyarrow', 'scipy', 'click', 'rich', 'jinja2', 'polars', 'numpy'}"
    bare = f"import sys, shoal; assert not {heavy} & set(sys.modules), {heavy} & set(sys.modules)"
    used = (
        "import sys, shoal; r = shoal.anonymize([['a'], ['a'], ['b'], ['b']], k=2, taxonomy='generated'); r.to_polars(); repr(r); "
        "assert not {'pandas', 'pyarrow', 'click', 'rich'} & set(sys.modules)"
    )
    for code in (bare, used):
        subprocess.run([sys.executable, "-c", code], check=True)
