"""What to type to get the same as a page: the command, and the options of a release as a config file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from shoal.api.rerun_command import (
    advise_command,
    anonymize_command,
    attack_command,
    audit_command,
    compare_command,
    look_command,
    options_file,
    taxonomy_command,
)

RELEASE, COMPARISON = "release", "comparison"


def options_of_job(task: Mapping[str, Any]) -> dict[str, Any]:
    """Return all options of a publishing job, by the names that the command line gives them."""
    further = {name: task[name] for name in ("to", "attack") if task.get(name)}
    return {**_typed_options(task), "method": task["method"], **task.get("settings", {}), **further}


def command_of_job(task: Mapping[str, Any]) -> str:
    """Return the command that makes a release with the same records."""
    return anonymize_command([_path(task["typed"])], options_of_job(task), RELEASE)


def command_of_comparison(task: Mapping[str, Any]) -> str:
    """Return the command that makes the same comparison."""
    requested = {"methods": ",".join(task["methods"]), "k": _list(task["k"]), **({"m": _list(task["m"])} if task["m"] else {})}
    quick = {"quick": True} if task["quick"] else {}
    return compare_command([_path(task["typed"])], {**_typed_options(task), **requested, **quick}, COMPARISON)


def command_of_attack(task: Mapping[str, Any]) -> str:
    """Return the command that attacks the same release."""
    return attack_command(_path(task["typed"]), RELEASE, {**_typed_options(task), **({"quick": True} if task["quick"] else {})})


def command_of_look(source: Mapping[str, Any]) -> str:
    """Return the command that shows how an opened file is read."""
    return look_command([_path(source["typed"])], _typed_options(source))


def command_of_advice(source: Mapping[str, Any], task: Mapping[str, Any]) -> str:
    """Return the command that tries the same routes for an opened file."""
    goal = {"for": task["goal"]} if task.get("goal") else {}
    return advise_command([_path(source["typed"])], {**_typed_options(source), **goal, "k": task["k"], "seconds": task["seconds"]})


def command_of_audit(task: Mapping[str, Any], *, unpacked: bool) -> str:
    """Return the command that makes the same audit: of a downloaded release, of a zip file that was unpacked, or of a single file."""
    release = RELEASE if unpacked or task.get("of") else _path(str(task.get("typed") or task["name"]))
    return audit_command(release, {"strength": task["k"]} if task.get("k") else {})


def command_of_taxonomy(task: Mapping[str, Any]) -> str:
    """Return the command that makes the same taxonomy from a product table or an opened file; empty for a file that is a taxonomy."""
    target = {"out": Path(task["target"]).name}
    if "levels" in task:
        return taxonomy_command("build", [_path(task["typed"])], {"levels": task["levels"], **target})
    if "people" in task:
        return taxonomy_command("learn", [_path(task["typed"])], {**_typed_options(task), "people": task["people"], **target})
    return ""


def command_of_coverage(task: Mapping[str, Any]) -> str:
    """Return the command that counts how much of a file a taxonomy covers."""
    return taxonomy_command("coverage", [Path(task["taxonomy"]).name, _path(task["typed"])], _typed_options(task))


def config_of_job(task: Mapping[str, Any]) -> str:
    """Return the config file with the options of the command."""
    return options_file(options_of_job(task)) + "\n"


def _typed_options(task: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options about the data; files of the studio by the names that they are downloaded under."""
    options = dict(task.get("options", {}))
    return options | {name: Path(options[name]).name for name in task.get("files", ()) if name in options}


def _list(values: Iterable[int]) -> str:
    return ",".join(map(str, values))


def _path(typed: str) -> str:
    """Return a path that is not taken for an option."""
    return f"./{typed}" if typed.startswith("-") else typed
