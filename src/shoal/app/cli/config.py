"""Options from a TOML file: its keys are the long names of a command's options, and what is typed goes before."""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import Any

import click

from shoal.errors import InputError, ParameterError
from shoal.io.read.packed import open_regular, translated


def take_config(context: click.Context, parameter: click.Parameter, file: Path | None) -> None:
    """The callback of `--config`: the file's values become the defaults of the command's options."""
    if file is None:
        return
    options = _options(context.command)
    defaults: dict[str, Any] = {}
    for key, value in _read(file).items():
        if key not in options:
            near = difflib.get_close_matches(key, options, n=1)
            hint = f"did you mean {near[0]}?" if near else "keys are the names of options, such as k or taxonomy"
            raise ParameterError(f"{file} has a key {key!r}, which is no option of {context.info_name}", hint=hint)
        option = options[key]
        defaults[str(option.name)] = _value(file, key, value, option)
    context.default_map = {**(context.default_map or {}), **defaults}


def _options(command: click.Command) -> dict[str, click.Option]:
    """The options a file may set, by their names without dashes; `no-header` and `set` are names too."""
    found: dict[str, click.Option] = {}
    for option in command.params:
        if isinstance(option, click.Option) and option.expose_value:
            found |= {name[2:]: option for name in (*option.opts, *option.secondary_opts) if name.startswith("--")}
    return found


def _read(file: Path) -> dict[str, Any]:
    try:
        with translated(file), open_regular(file) as stream:
            return tomllib.loads(stream.read().decode("utf-8"))
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
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, (str, int, float)):
        raise ParameterError(f"{file}: {key} is one value, not a {type(value).__name__}")
    return value
