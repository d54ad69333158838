"""Options from a TOML file: its keys are the long names of a command's options, and what is typed goes before."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from shoal.errors import InputError, ParameterError
from shoal.io.read.packed import content_of

Refusal = Callable[[str], ParameterError | None]


@dataclass(frozen=True)
class Settings:
    """What a file of options says."""

    file: Path = Path()
    values: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path) -> Settings:
        """All keys and values of a file; what they mean is seen later."""
        return cls(file, _read(file))

    def one(self, key: str) -> str | None:
        """The text of one key, if it is there."""
        return str(_scalar(self.file, key, self.values[key])) if key in self.values else None

    def become_defaults(self, context: click.Context, refuse: Refusal) -> None:
        """Make the values the defaults of the command's options. `refuse` may know better why a key is no option of it."""
        options = _options(context)
        defaults: dict[str, Any] = {}
        for key, value in self.values.items():
            if key not in options:
                raise refuse(key) or self._unknown(key, options, context)
            option = options[key]
            defaults[str(option.name)] = _value(self.file, key, value, option)
        context.default_map = {**(context.default_map or {}), **defaults}

    def _unknown(self, key: str, options: Mapping[str, click.Option], context: click.Context) -> ParameterError:
        near = difflib.get_close_matches(key, options, n=1)
        hint = f"did you mean {near[0]}?" if near else "keys are the names of options, such as k or taxonomy"
        return ParameterError(f"{self.file} has a key {key!r}, which is no option of {context.info_name}", hint=hint)


def _options(context: click.Context) -> dict[str, click.Option]:
    """The options a file may set, by their names without dashes; `no-header` and `set` are names too."""
    found: dict[str, click.Option] = {}
    for option in context.command.get_params(context):
        if isinstance(option, click.Option) and option.expose_value:
            found |= {name[2:]: option for name in (*option.opts, *option.secondary_opts) if name.startswith("--")}
    return found


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(content_of(file).decode("utf-8"))
    except UnicodeDecodeError:
        raise InputError(f"{file} is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{file} is not TOML: {error}") from None
    except RecursionError:
        raise InputError(f"{file} is nested too deeply") from None


def _value(file: Path, key: str, value: Any, option: click.Option) -> Any:
    if option.is_flag:
        if not isinstance(value, bool):
            raise ParameterError(f"{file}: {key} is true or false, not {value!r}")
        return value != (f"--{key}" in option.secondary_opts)
    return _scalar(file, key, value)


def _scalar(file: Path, key: str, value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, (str, int, float)):
        raise ParameterError(f"{file}: {key} is one value, not a {type(value).__name__}")
    return value
