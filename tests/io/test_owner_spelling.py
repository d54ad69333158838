"""Names of owners without their spelling, against a plain twin: most are numbers, which are left as they are, and the others are not."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal, InvalidOperation

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from shoal.io.read.columns import folded

# Of Default_Ignorable_Code_Point in Unicode, what is not in the category Cf and may be met: joiners, fillers, variation selectors.
IGNORABLE = {0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x3164, *range(0xFE00, 0xFE10), 0xFFA0}
IGNORABLE |= set(range(0xE0100, 0xE01F0))


def invisible(letter: str) -> bool:
    is_control = unicodedata.category(letter) == "Cc" and letter not in "\t\n\v\f\r\x85"
    return is_control or unicodedata.category(letter) == "Cf" or ord(letter) in IGNORABLE


def plainly(name: str) -> str:
    seen = "".join(letter for letter in name if not invisible(letter))
    spaced = re.sub(r"\s+", " ", unicodedata.normalize("NFKC", seen).upper().lower().replace("i\u0307", "i")).strip()
    for quote in "\"'":
        if len(spaced) > 1 and spaced[0] == spaced[-1] == quote:
            spaced = spaced[1:-1].strip()
    if re.fullmatch(r"[+-]?[0-9.]+e[+-]?[0-9]{1,3}", spaced):
        try:
            spaced = f"{Decimal(spaced):f}"
        except InvalidOperation:
            return spaced
    spaced = re.sub(r"^([+-]?)(\.\d)", r"\g<1>0\2", spaced)
    number = re.fullmatch(r"([+-]?)(\d+)(?:\.(\d*))?", spaced)
    if number is None:
        return spaced
    sign, whole, part = number.groups()
    decimals = (part or "").rstrip("0")
    plain = ("-" if sign == "-" else "") + (whole.lstrip("0") or "0") + (f".{decimals}" if decimals else "")
    return "0" if plain == "-0" else plain


@given(
    st.lists(
        st.text("0012.+-e \"'aAéß１ﬁ\u200b\u00ad\ufeff\n\x01\x7f\ufe0f\u3164\uffa0", max_size=8) | st.integers(0, 10**12).map(str),
        max_size=12,
    )
)
def test_names_without_their_spelling(names: list[str]) -> None:
    given_names = pl.Series(names, dtype=pl.String)
    assert folded(given_names).to_list() == [plainly(name) for name in names]
    assert given_names.to_list() == names


def test_numbers_that_are_written_in_one_way_stay() -> None:
    assert folded(pl.Series(["7", "07", "7.0", "+7", "0", "00", "12 ", "1e3"])).to_list() == ["7", "7", "7", "7", "0", "0", "12", "1000"]


def test_forms_of_one_name_are_one() -> None:
    forms = [
        ("-7", "-7.0", "-007"),
        ("0", "-0", "0.0"),
        ("1.5", "1.50", "01.5"),
        ("0.5", ".5", "+.50", "5e-1"),
        ("1000", "1e3", "1.0E+3"),
        ("Straße", "STRASSE"),
        ("İlkay", "ilkay", "ILKAY"),
    ]
    for form in [
        *forms,
        ("ann", '"ann"', "' Ann '", "ann\u200b", "\ufeffann", "an\u00adn", "ANN", "ann\ufe0f", "a\u034fnn", "ann\u3164", "\x01ann"),
    ]:
        assert folded(pl.Series(form)).n_unique() == 1, form
