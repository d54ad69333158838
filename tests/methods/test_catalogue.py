"""The catalogue of methods, from which help is shown, says what the methods declare."""

from __future__ import annotations

from pathlib import Path

import pytest

import shoal.methods
from shoal.methods import METHODS
from shoal.methods.catalogue import FILE, ListedMethod, catalogue_text, listed_method, listed_methods

HOW = "run python scripts/method_catalogue.py"


@pytest.mark.parametrize("name", METHODS)
def test_the_catalogue_lists_what_a_method_declares(name: str):
    assert listed_methods()[name] == ListedMethod.of(METHODS[name]), HOW


def test_the_catalogue_lists_all_methods_in_their_order():
    assert list(listed_methods()) == list(METHODS), HOW
    written = Path(shoal.methods.__file__).with_name(FILE).read_text("utf-8")
    assert written == catalogue_text(), HOW


def test_a_method_that_is_not_in_the_catalogue_yet_is_listed_from_its_class(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("shoal.methods.catalogue.listed_methods", dict)
    assert listed_method("clump") == ListedMethod.of(METHODS["clump"])
