"""Spelling of options in messages as they are typed in a shell."""

from __future__ import annotations

import shlex
from typing import Any

from shoal.errors import OPPOSITES, Value, spell

PAIRED = {"bag": "--bag/--set"}  # where either may have been typed


def in_shell(text: str) -> str:
    """Spell the marked options of a text as they are typed, such as `--per session` and `--no-header`."""
    return spell(text, _typed, " ")


def in_shell_throughout(value: Any) -> Any:
    """Do the same for all texts inside lists and dictionaries."""
    if isinstance(value, str):
        return in_shell(value)
    if isinstance(value, dict):
        return {in_shell(name) if isinstance(name, str) else name: in_shell_throughout(one) for name, one in value.items()}
    return [in_shell_throughout(one) for one in value] if isinstance(value, (list, tuple)) else value


def _typed(name: str, value: Value | None, placeholder: bool) -> str:
    if value is None:
        return PAIRED.get(name, f"--{name}")
    if value is True:
        return f"--{name}"
    if value is False:
        return f"--{OPPOSITES.get(name, f'no-{name}')}"
    return f"--{name} {value if placeholder else shlex.quote(str(value))}"
