"""What is scrubbed, what is not, and the check digit of Luhn."""

from __future__ import annotations

import pytest

from shoal.taxonomy.wordnet import lemmas
from shoal.text.scrubbing import KINDS, Names, luhn_holds, scrubbed

# Numbers for tests that card companies publish, and the example of the patent's check digit.
VALID = ["4111111111111111", "5555555555554444", "378282246310005", "6011111111111117", "30569309025904", "79927398713"]


@pytest.mark.parametrize("number", VALID)
def test_numbers_with_a_check_digit(number: str) -> None:
    assert luhn_holds(number)
    for place in range(len(number)):
        wrong = number[:place] + str((int(number[place]) + 1) % 10) + number[place + 1 :]
        assert not luhn_holds(wrong), "Luhn finds every single wrong digit"


SCRUBBED = {
    "mail bob.miller+x@mail.example.org now": "mail <e-mail> now",
    "4111 1111 1111 1111": "<card>",
    "pay 4111-1111-1111-1111 today": "pay <card> today",
    "378282246310005": "<card>",
    "ping 192.168.0.1": "ping <IP address>",
    "123-45-6789": "<social security>",
    "call 555-123-4567": "call <phone>",
    "(555) 123-4567": "<phone>",
    "1-800-555-1234": "<phone>",
    "5552345678": "<phone>",
    "+43 1 4277 100": "<phone>",
    "555-1234": "<phone>",
    "12 elm street springfield": "<address> springfield",
    "1600 Pennsylvania Ave": "<address>",
    "221b baker st": "<address>",
    "Hauptstraße 12": "<address>",
    "a@b.org and c@d.org": "<e-mail> and <e-mail>",
}


@pytest.mark.parametrize("text", SCRUBBED)
def test_what_is_scrubbed(text: str) -> None:
    assert scrubbed(text).text == SCRUBBED[text]


ORDINARY = [
    "weather", "cheap flights to new york", "2 for 1", "windows 95", "911", "1984", "10 best books of 2006", "2006-2007 season", "route 66",
    "@ home", "r&b", "3.14159", "500 gb hard drive", "3 days no way", "2pac feat dr dre", "version 1.2.3", "1.2.3.999", "street fighter 2",
    "abbey road", "the 39 steps", "4111 1111 1111 1112", "1234567890123456", "zip 90210-1234", "24 hours a day", "9/11", "24/7", "50 cent",
]  # fmt: skip


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_words_and_numbers_stay(text: str) -> None:
    assert scrubbed(text) == (text, {})


def test_no_noun_of_wordnet_is_scrubbed() -> None:
    nouns = lemmas()["lemma"].to_list()
    assert len(nouns) > 100_000
    assert [noun for noun in nouns if scrubbed(noun).text != noun] == []


def test_names_are_whole_words_of_any_case_the_longest_first() -> None:
    names = Names(["Ann", "ann miller", "O'Neil"])
    assert names.scrubbed("ANN miller asks ann, not annie or hann") == ("<name> asks <name>, not annie or hann", 2)
    assert names.scrubbed("shaquille o'neil") == ("shaquille <name>", 1)
    assert Names([" ", "!"]).scrubbed("ann") == ("ann", 0)


def test_what_was_scrubbed_is_not_scrubbed_again() -> None:
    assert scrubbed("call 555-1234", Names(["phone", "call"])).text == "<name> <phone>"


def test_all_is_counted() -> None:
    found = scrubbed("a@b.org 4111111111111111 5555555555554444 ann", Names(["ann"])).found
    assert found == {"e-mail": 1, "card": 2, "name": 1}
    assert set(found) <= set(KINDS)
