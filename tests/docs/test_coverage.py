"""The documentation keeps step with what methods, models, metrics and readers declare."""

from __future__ import annotations

import re

import pytest

from helpers.docs import ROOT
from shoal.cli.main import COMMANDS
from shoal.data.node_loss import LOSSES
from shoal.io.read.formats import FORMATS
from shoal.io.read.result import BROKEN_LINES
from shoal.io.read.taxonomies import FORMS
from shoal.methods import METHODS
from shoal.metrics import METRICS
from shoal.parameters import Param
from shoal.privacy import MODELS

DOCS = ROOT / "docs"


def section(page: str, heading: str) -> str:
    """The part of a page below a heading, up to the next of its rank."""
    parts = re.split(r"^## (.+)$", (DOCS / page).read_text("utf-8"), flags=re.MULTILINE)
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert heading in found, f"{page} has no section {heading!r}"
    return found[heading]


def shown(value: object) -> str:
    """A default as tables show it."""
    if value is None or isinstance(value, bool):
        return {None: "", True: "yes", False: "no"}[value]
    return f"{value:g}" if isinstance(value, float) else str(value)


def assert_row(table: str, declared: Param) -> None:
    """That a table has a row on the parameter which names its default and all its choices."""
    row = next((line for line in table.split("\n") if line.startswith(f"| `{declared.name}` |")), None)
    assert row is not None, f"no row on {declared.name}"
    assert not declared.choices or all(f"`{choice}`" in row for choice in declared.choices), row
    default = shown(declared.default)
    assert default in row.split("|")[3], f"the default of {declared.name} is {default}: {row}"


@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_a_page_that_knows_its_parameters(name: str) -> None:
    page = DOCS / "methods" / f"{name}.md"
    assert page.exists(), f"the method {name} has no page {page.relative_to(ROOT)}"
    text = page.read_text("utf-8")
    assert text.startswith(f"# {name}\n")
    for declared in METHODS[name].parameters():
        assert f"`{declared.name}`" in text, f"{page.name} does not mention {declared.name}"


@pytest.mark.parametrize(
    "name",
    [
        "clump",
        "partition",
        "coherence",
        "tds",
        "infrequent",
        "diffpart",
        "dp-ngrams",
        "dp-queries",
        "threshold",
        "query-cores",
        "old-remedies",
        "secret-sharing",
        "split-personality",
    ],
)
def test_tables_of_parameters_are_right(name: str) -> None:
    table = section(f"methods/{name}.md", "Parameters")
    declared = METHODS[name].parameters()
    for one in declared:
        assert_row(table, one)
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == [one.name for one in declared]


@pytest.mark.parametrize("name", METHODS)
def test_the_table_and_the_index_list_every_method(name: str) -> None:
    assert f"| `{name}` |" in (DOCS / "methods.md").read_text("utf-8")
    assert f"(methods/{name}.md)" in (DOCS / "README.md").read_text("utf-8")


@pytest.mark.parametrize("name", MODELS)
def test_every_model_has_a_section_with_its_parameters(name: str) -> None:
    text = section("models.md", name)
    for declared in MODELS[name].parameters():
        assert_row(text, declared)
    assert "*What it protects.*" in text
    assert "*What it does not protect.*" in text


QUESTIONS = ("what is verified", "numbers published next to it, and why that is safe", "what an attacker can still do")


def answers(text: str) -> dict[str, str]:
    """The answers to the three questions in the section of a model, by question."""
    rows = [re.fullmatch(r"\| (.+?) \| (.+) \|", line) for line in text.split("\n")]
    return {row[1]: row[2] for row in rows if row is not None and row[1] in QUESTIONS}


@pytest.mark.parametrize("name", MODELS)
def test_every_model_has_a_table_of_what_is_judged_published_and_still_possible(name: str) -> None:
    found = answers(section("models.md", name))
    assert tuple(found) == QUESTIONS, f"the section of {name} lacks its table"
    assert all(len(answer) > 40 for answer in found.values()), found
    others = [answers(section("models.md", other)) for other in MODELS if other != name]
    assert not any(found["what is verified"] == other.get("what is verified") for other in others), "copied from another model"


@pytest.mark.parametrize("name", [name for name in MODELS if not MODELS[name].safe_numbers])
def test_no_exact_numbers_are_promised_next_to_noise(name: str) -> None:
    assert "No exact number about the input is published" in answers(section("models.md", name))[QUESTIONS[1]]


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_has_a_section(name: str) -> None:
    assert len(section("metrics.md", name).strip()) > 40


def test_readers_and_taxonomies_are_covered() -> None:
    reading, taxonomies = ((DOCS / page).read_text("utf-8") for page in ("reading.md", "taxonomies.md"))
    assert [name for name in FORMATS if f"| `{name}` |" not in reading] == []
    assert [reason for reason in BROKEN_LINES if reason not in reading] == []
    assert [name for name in LOSSES if f"| `{name}`" not in taxonomies] == []
    assert [form for form in FORMS if form.lower() not in taxonomies.lower()] == []


def test_every_command_is_shown_somewhere() -> None:
    everything = "\n".join(page.read_text("utf-8") for page in [ROOT / "README.md", *DOCS.rglob("*.md")])
    assert [name for name in COMMANDS if f"shoal {name}" not in everything] == []


def test_the_changelog_knows_the_version() -> None:
    import shoal

    assert f"## [{shoal.__version__}]" in (ROOT / "CHANGELOG.md").read_text("utf-8")
