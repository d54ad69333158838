"""Doubts about a file are questions: each answer sets an option, and nothing goes on before all are answered."""

from __future__ import annotations

import re

import pytest

from helpers.studio import Visitor

VISITS = "who,visit,what\n" + "".join(f"c{n % 30},b{n},{'tea' if n % 2 else 'milk'}\n" for n in range(60))
NO_HEADER = "".join(f"{n % 9},milk,2020-01-{n % 28 + 1:02d}\n" for n in range(50))
SPELLING = "user,item\n" + "".join(f"{name},milk\n{name},tea\n" for name in ["ann", "Ann", "bob", "Bob", "eve"] * 4)
CONTENT = "What does the file contain?"
TWO = "user,customer,item\n" + "1,2,milk\n" * 4


def title(page: str) -> str:
    return re.search("<h1>(.*?)</h1>", page)[1]  # type: ignore[index]


@pytest.mark.parametrize(
    ("content", "asked", "options"),
    [
        (
            VISITS,
            [(CONTENT, "table"), ("Which column has the user ID?", "who"), ("Which column has the item?", "what")],
            {"format": "table", "user": "who", "item": "what"},
        ),
        (
            NO_HEADER,
            [(CONTENT, "querylog"), ("Which column has the user ID?", "1"), ("Which column has the query text?", "2")],
            {"format": "querylog", "user": "1", "text": "2"},
        ),
        (SPELLING, [("Are these the same person?", "folded")], {"owners": "folded"}),
        (TWO, [("Which column has the user ID?", "customer")], {"user": "customer"}),
    ],
    ids=["columns", "numbers", "spelling", "two"],
)
def test_a_file_is_read_after_its_questions_are_answered(
    visitor: Visitor, content: str, asked: list[tuple[str, str]], options: dict[str, str]
) -> None:
    address = visitor.open(content)
    for question, answer in asked:
        page = visitor.get(address).text
        assert title(page) == question
        assert visitor.post(f"{address}/confirm", people="yes").status_code == 400
        [option] = re.findall('name="option" value="([^"]+)"', page)
        assert answer in re.findall('name="answer" value="([^"]*)"', page)
        assert visitor.post(f"{address}/answer", option=option, answer=answer).status_code == 200
    assert title(visitor.get(address).text) == "How your file is read"
    source = visitor.studio.store.source(address.rpartition("/")[2])
    assert source is not None
    assert source.options == options


def test_an_answer_counts_people_and_is_part_of_the_command(visitor: Visitor) -> None:
    for answer, people in (("folded", 3), ("exact", 5)):
        address = visitor.open(SPELLING)
        page = visitor.post(f"{address}/answer", option="owners", answer=answer).text
        assert f"{people} people" in page
        visitor.post(f"{address}/confirm", people="yes")
        source = visitor.studio.store.source(address.rpartition("/")[2])
        assert source is not None
        assert source.options["owners"] == answer


def test_a_changed_answer_takes_back_the_confirmation(visitor: Visitor) -> None:
    address = visitor.open(TWO)
    visitor.post(f"{address}/answer", option="user", answer="user")
    assert visitor.post(f"{address}/confirm", people="yes").status_code == 200
    visitor.post(f"{address}/answer", option="user", answer="customer")
    assert visitor.get(f"{address}/choose").status_code == 400


@pytest.mark.parametrize(
    ("option", "answer"),
    [("user", "nobody"), ("owners", "maybe"), ("format", "../x"), ("encoding", "utf-7"), ("taxonomy", "/etc/passwd"), ("", "")],
)
def test_only_answers_that_were_offered_count(visitor: Visitor, option: str, answer: str) -> None:
    address = visitor.open(TWO)
    visitor.get(address)
    assert visitor.post(f"{address}/answer", option=option, answer=answer).status_code == 400
    source = visitor.studio.store.source(address.rpartition("/")[2])
    assert source is not None
    assert not source.options


def test_a_file_in_another_encoding_names_the_field_that_helps(visitor: Visitor) -> None:
    location = visitor.upload(b"user,item\n" + "1,Käse\n2,Käse\n".encode("latin-1") * 4).json()["location"]
    assert "“Encoding” = latin-1" in visitor.get(location).text
    page = visitor.post(f"{location}/read", encoding="latin-1").text
    assert title(page) == "How your file is read"


def test_markup_in_a_question_stays_text(visitor: Visitor) -> None:
    script = "<script>alert(1)</script>"
    address = visitor.open(f"{script},b,c\n" + "1,2,x\n3,4,y\n" * 5)
    visitor.post(f"{address}/answer", option="format", answer="table")
    page = visitor.get(address).text
    assert title(page) == "Which column has the user ID?"
    assert script not in page
