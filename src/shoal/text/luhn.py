"""The check digit of card numbers (Luhn, US patent 2,950,048; ISO/IEC 7812-1)."""

from __future__ import annotations


def luhn_holds(digits: str) -> bool:
    """Whether the last digit is the check digit: with every second one from the right doubled, all digits add up to a multiple of 10."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0
