"""Documents as a user types them: a folder in, vectors out, audited with and without the original."""

from __future__ import annotations

import json

import pytest

from helpers.cli import Shell
from helpers.documents import json_lines, some_texts

ANONYMIZE = ("anonymize", "papers", "--format", "documents", "--method", "document-vectors", "-k", "3")


@pytest.fixture
def papers(shell: Shell) -> Shell:
    (shell.directory / "papers").mkdir()
    for n, text in enumerate([*some_texts(9, seed=2), "", "zorbulon zorbulon secretplan"]):
        shell.file(f"papers/{n}.txt", text)
    return shell


def manifest(shell: Shell, name: str = "release") -> dict[str, object]:
    found: dict[str, object] = json.loads((shell.directory / name / "manifest.json").read_text())
    return found


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_a_release_passes_an_audit_with_and_without_the_original(papers: Shell, form: str) -> None:
    made = papers(*ANONYMIZE, "--to", form, "--terms", "5", "--out", "release")
    assert made.code == 0, made.err
    assert papers("audit", "release").code == 0
    audited = papers("audit", "release", "--original", "papers")
    assert audited.code == 0, audited.everything


def test_the_table_alone_is_audited_with_a_claim(papers: Shell) -> None:
    assert papers("anonymize", "papers", "--method", "document-vectors", "--k", "3", "--to", "csv", "--out", "release").code == 0
    words = ("audit", "release/vectors.csv", "--original", "papers", "--format", "documents", "--claim")
    assert papers(*words, "weighted-k-anonymity(k=3)").code == 0
    assert papers(*words, "weighted-k-anonymity(k=200)").code == 3


def test_notes_come_before_the_work_and_what_is_withheld_is_counted(papers: Shell) -> None:
    made = papers(*ANONYMIZE, "--out", "release")
    assert "11 files, each a document; each document counts as a separate user" in made.err
    assert "2 documents have no term and will be suppressed" in made.err
    told = manifest(papers)
    assert told["accounting"]["records"] == {"in": 11, "published": 9, "withheld: empty": 2}  # type: ignore[index]
    assert told["accounting"]["words"]["dropped: not in the taxonomy"] == 3  # type: ignore[index]
    assert told["input"]["terms"] == 50  # type: ignore[index]
    everything = "".join(place.read_text(errors="replace") for place in (papers.directory / "release").iterdir())
    assert "zorbulon" not in everything + made.everything


def test_words_outside_wordnet_are_kept_on_request(papers: Shell) -> None:
    assert papers(*ANONYMIZE, "--unknown", "keep", "--out", "release").code == 0
    told = manifest(papers)
    assert told["accounting"]["words"]["not in the taxonomy"] == 3  # type: ignore[index]
    assert told["accounting"]["records"] == {"in": 11, "published": 10, "withheld: empty": 1}  # type: ignore[index]
    assert papers("audit", "release", "--original", "papers").code == 0


def test_the_method_alone_says_the_format(papers: Shell) -> None:
    assert papers("anonymize", "papers", "--method", "document-vectors", "--out", "release").code == 0


def test_an_author_with_several_documents_is_one_person(shell: Shell) -> None:
    shell.file("papers.jsonl", json_lines(some_texts(8, seed=5), author=["a", "a", "b", "b", "c", "c", "d", "d"]))
    asked = ("anonymize", "papers.jsonl", "--format", "documents", "--method", "document-vectors", "--user", "author")
    made = shell(*asked, "-k", "3", "--out", "release")
    assert made.code == 0, made.err
    assert manifest(shell)["claims"][0]["achieved"]["people"] >= 3  # type: ignore[index]
    assert manifest(shell)["input"]["protects"] == "each document among at least 3 people, but not all documents of a person together"  # type: ignore[index]
    assert shell("audit", "release", "--original", "papers.jsonl").code == 0
    refused = shell(*asked, "-k", "5", "--out", "other")
    assert refused.code == 1
    assert not (shell.directory / "other").exists()


def test_other_methods_take_documents_as_bags_of_words(papers: Shell) -> None:
    made = papers("anonymize", "papers", "--format", "documents", "--method", "shoal", "--k", "3", "--out", "release")
    assert made.code == 0, made.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--terms", "0"), "terms must be a whole number from 1 to 1,000"),
        (("--terms", "1001"), "terms must be a whole number from 1 to 1,000"),
        (("--taxonomy", "paths"), "taxonomy"),
        (("--per", "event"), "per"),
        (("--sep", ","), "not for documents"),
        (("--unknown", "refuse"), "WordNet lacks 3 words"),
        (("--format", "microdata"), "documents"),
    ],
)
def test_what_cannot_be_is_refused(papers: Shell, words: tuple[str, ...], says: str) -> None:
    refused = papers(*ANONYMIZE, *words, "--out", "release")
    assert refused.code == 1
    assert says in refused.err
    assert not (papers.directory / "release").exists()


def test_terms_are_of_documents_only(kitchen: Shell) -> None:
    refused = kitchen("anonymize", "baskets.txt", "--taxonomy", "food.csv", "--terms", "3", "--out", "other")
    assert refused.code == 1
    assert "--terms 3 is for document vectors" in refused.err


def test_a_changed_weight_is_found(papers: Shell) -> None:
    assert papers(*ANONYMIZE, "--to", "jsonl", "--out", "release").code == 0
    place = papers.directory / "release" / "vectors.jsonl"
    lines = place.read_text().splitlines()
    first = json.loads(lines[0])
    first["weights"][0] += 0.001
    place.write_text("\n".join([json.dumps(first), *lines[1:]]) + "\n")
    audited = papers("audit", "release")
    assert audited.code == 3
    assert "fewer than 3 records" in audited.everything
