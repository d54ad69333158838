"""What to type to get the same release: the command, and its options as a config file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.api.rerun_command import anonymize_command, options_file

RELEASE = "release"


def options_of_job(task: Mapping[str, Any]) -> dict[str, Any]:
    """All options of a publishing job, by the names that the command line gives them."""
    further = {name: task[name] for name in ("to", "attack") if task.get(name)}
    return {**task.get("options", {}), "method": task["method"], **task.get("settings", {}), **further}


def command_of_job(task: Mapping[str, Any]) -> str:
    """The command that makes a release with the same records."""
    return anonymize_command([_path(task["typed"])], options_of_job(task), RELEASE)


def config_of_job(task: Mapping[str, Any]) -> str:
    """The config file with the options of the command."""
    return options_file(options_of_job(task)) + "\n"


def _path(typed: str) -> str:
    """A path that is not taken for an option."""
    return f"./{typed}" if typed.startswith("-") else typed
