"""Replace the code of a module that is loaded, so that everything that has imported parts of it runs the changed code.

Functions keep their identity and get another code object. What a module computes while it is loaded (constants, defaults of arguments and
of fields) is computed again in a copy of the module, and simple values are copied from there.
"""

from __future__ import annotations

import ast
import gc
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import Field, is_dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from shoal.parameters import _declared_by

SIMPLE = (bool, int, float, str, bytes, tuple, frozenset, list, dict, set, re.Pattern, type(None))


class NotReplaced(Exception):
    """The change has no effect that could be brought into a loaded module."""


class LoadedFunctions:
    """All functions of some files in this process, found once: a fork that changes one has them."""

    def __init__(self, paths: Iterable[Path]) -> None:
        names = set(map(str, paths))
        self._functions: dict[str, list[FunctionType]] = defaultdict(list)
        gc.unfreeze()
        for thing in gc.get_objects():
            if type(thing) is FunctionType and thing.__code__.co_filename in names:
                self._functions[thing.__code__.co_filename].append(thing)
        gc.freeze()

    def replace(self, name: str, path: Path, tree: ast.Module) -> None:
        """Give the functions of a module the code of a changed syntax tree.

        Raises:
            NotReplaced: Nothing of the loaded module differs afterwards.
        """
        before = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
        after = compile(tree, str(path), "exec", dont_inherit=True)
        replaced = 0
        for old, new in _differing(before, after):
            for function in self._functions[str(path)]:
                if function.__code__ == old:
                    function.__code__ = new
                    replaced += 1
        if not replaced and not _load_again(name, path, after):
            raise NotReplaced(name)


def _differing(before: CodeType, after: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The code of functions before and after the change, where it differs."""
    for old, new in zip(_codes(before), _codes(after), strict=True):
        if old != new:
            yield old, new


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _load_again(name: str, path: Path, code: CodeType) -> int:
    """Run the changed module in a copy, and copy the simple values that differ. Returns how many these are."""
    loaded, copy = sys.modules[name], ModuleType(name)
    copy.__dict__.update(__file__=str(path), __package__=name.rpartition(".")[0], __spec__=loaded.__spec__)
    sys.modules[name] = copy
    try:
        exec(code, copy.__dict__)
    finally:
        sys.modules[name] = loaded
    count = 0
    for attribute, new in vars(copy).items():
        old = vars(loaded).get(attribute)
        if isinstance(new, type) and isinstance(old, type) and new.__module__ == name:
            count += _copy_class(old, new)
        elif isinstance(new, FunctionType) and isinstance(old, FunctionType) and new.__module__ == name:
            count += _copy_defaults(old, new)
        elif isinstance(new, SIMPLE) and not attribute.startswith("__") and old != new:
            count += _set_everywhere(attribute, old, new)
    return count


def _set_everywhere(attribute: str, old: Any, new: Any) -> int:
    """Set a constant in all modules that have it under its name."""
    holders = [module for module in list(sys.modules.values()) if isinstance(getattr(module, "__dict__", None), dict)]
    holders = [module for module in holders if type(vars(module).get(attribute)) is type(old) and vars(module)[attribute] == old]
    for module in holders:
        setattr(module, attribute, new)
    return len(holders)


def _copy_class(old: type, new: type) -> int:
    count = 0
    for attribute, value in list(vars(new).items()):
        before = vars(old).get(attribute)
        if isinstance(value, FunctionType) and isinstance(before, FunctionType):
            count += _copy_defaults(before, value)
        elif isinstance(value, SIMPLE) and not attribute.startswith("__") and value != before:
            setattr(old, attribute, value)
            count += 1
    if is_dataclass(new) and is_dataclass(old):
        fields: Mapping[str, Field[Any]] = old.__dataclass_fields__
        for field_name, field in new.__dataclass_fields__.items():
            if isinstance(field.default, SIMPLE) and field.default != fields[field_name].default:
                fields[field_name].default = field.default
                count += 1
            if dict(field.metadata) != dict(fields[field_name].metadata):
                fields[field_name].metadata = field.metadata
                count += 1
        _declared_by.cache_clear()
    return count


def _copy_defaults(old: FunctionType, new: FunctionType) -> int:
    """Copy the defaults of arguments, and simple values of enclosing functions."""
    count = 0
    if old.__defaults__ != new.__defaults__ or old.__kwdefaults__ != new.__kwdefaults__:
        old.__defaults__, old.__kwdefaults__ = new.__defaults__, new.__kwdefaults__
        count += 1
    if old.__code__.co_freevars == new.__code__.co_freevars:
        for one, other in zip(old.__closure__ or (), new.__closure__ or (), strict=True):
            if isinstance(other.cell_contents, SIMPLE) and one.cell_contents != other.cell_contents:
                one.cell_contents = other.cell_contents
                count += 1
    return count
