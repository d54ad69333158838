"""Options from a TOML file: its keys are the long names of a command's options; command-line options take precedence."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from shoal.errors import InputError, ParameterError, ShoalError
from shoal.util.wording import did_you_mean

Refusal = Callable[[str], ParameterError | None]
CONFIG_FILE = f"{__name__}.file"  # where `Context.meta` has the name of the file, or None

config_option = click.option(
    "--config", type=click.Path(path_type=Path), expose_value=False, help="TOML file of options; command-line options take precedence."
)


@dataclass(frozen=True)
class OptionsFile:
    """The content of an options file."""

    file: Path = Path()
    values: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path) -> OptionsFile:
        """Read all keys and values of a file. They are interpreted later."""
        return cls(file, _read(file))

    def one(self, key: str) -> str | None:
        """Return the text of one key, if present."""
        return str(_scalar(self.file, key, self.values[key])) if key in self.values else None

    def become_defaults(self, context: click.Context, refuse: Refusal, passed: Collection[str] = ()) -> None:
        """Make the values the defaults of the command's options, except for the keys in `passed`.

        `refuse` may raise a more specific error for a key that is not an option of the command.
        """
        options = options_of(context)
        defaults: dict[str, Any] = {}
        for key, value in self.values.items():
            if key not in options and key in passed:
                continue
            if key not in options:
                raise refuse(key) or self._unknown(key, options, context)
            option = options[key]
            defaults[str(option.name)] = _value(self.file, key, value, option)
        context.default_map = {**(context.default_map or {}), **defaults}

    def _unknown(self, key: str, options: Mapping[str, click.Option], context: click.Context) -> ParameterError:
        hint = did_you_mean(key, options) or "keys are the names of options, such as k or taxonomy"
        return ParameterError(
            f"{self.file} has a key {key!r}, which is not an option of {context.info_name}", code="unknown-config-key", hint=hint
        )


def typed_config(context: click.Context, typed: Mapping[str, Any]) -> OptionsFile:
    """Read the options file named among `typed`. Empty during shell completion if the file cannot be read."""
    file = context.meta[CONFIG_FILE] = typed.get("config")
    if file is None:
        return OptionsFile()
    try:
        return OptionsFile.read(Path(file))
    except ShoalError:
        if context.resilient_parsing:
            return OptionsFile()
        raise


def own_options(command: click.Command, context: click.Context, args: list[str]) -> dict[str, Any]:
    """Parse only the command's own options; all others are skipped."""
    lenient = {"resilient_parsing": True, "ignore_unknown_options": True, "allow_extra_args": True}
    glance = click.Context(command, info_name=context.info_name, **{**command.context_settings, **lenient})
    known = {name for one in command.get_params(glance) if isinstance(one, click.Option) for name in (*one.opts, *one.secondary_opts)}
    words = [_MASK + word if word.startswith("--") and word != "--" and word.partition("=")[0] not in known else word for word in args]
    parsed, _, _ = command.make_parser(glance).parse_args(words)
    return {name: value.removeprefix(_MASK) if isinstance(value, str) else value for name, value in parsed.items()}


_MASK = "\0"  # hides an unknown option from click, which would search all names for similar ones


def options_of(context: click.Context) -> dict[str, click.Option]:
    """Return the options that a file may set, by name without dashes, including names such as `no-header` and `set`."""
    options: dict[str, click.Option] = {}
    for option in context.command.get_params(context):
        if isinstance(option, click.Option) and option.expose_value:
            options |= {name[2:]: option for name in (*option.opts, *option.secondary_opts) if name.startswith("--")}
    return options


def _read(file: Path) -> dict[str, Any]:
    from shoal.io.read.source import content_of

    try:
        return tomllib.loads(content_of(file).decode("utf-8"))
    except UnicodeDecodeError:
        raise InputError(f"{file} is not UTF-8 text", code="not-utf8") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{file} is not TOML: {error}", code="invalid-toml") from None
    except RecursionError:
        raise InputError(f"{file} is nested too deeply", code="nested-too-deeply") from None


def _value(file: Path, key: str, value: Any, option: click.Option) -> Any:
    if option.is_flag:
        if not isinstance(value, bool):
            raise ParameterError(f"{file}: {key} is true or false, not {value!r}", code="wrong-type")
        return value != (f"--{key}" in option.secondary_opts)
    if option.multiple:
        return [str(_scalar(file, key, one)) for one in (value if isinstance(value, list) else [value])]
    return _scalar(file, key, value)


def _scalar(file: Path, key: str, value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, (str, int, float)):
        raise ParameterError(f"{file}: {key} is one value, not a {type(value).__name__}", code="wrong-type")
    return value
