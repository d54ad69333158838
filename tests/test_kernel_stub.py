"""The type stub of the kernels: it is that of the module as built, and no kernel takes a long row of arguments."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

from shoal import _kernels

STUB = ast.parse((Path(__file__).parents[1] / "src" / "shoal" / "_kernels.pyi").read_text())
MOST_ARGUMENTS = 8
HOW = "run python scripts/kernel_stub.py"


def stubbed(body: list[ast.stmt]) -> dict[str, list[str]]:
    """The parameters of each function, and of each method as Class.method, without self."""
    found: dict[str, list[str]] = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{name}": [p for p in names if p != "self"] for name, names in stubbed(node.body).items()}
        if isinstance(node, ast.FunctionDef) and not any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list):
            found[node.name] = [p.arg for p in (*node.args.args, *node.args.kwonlyargs)]
    return found


def parameters(signature: str) -> list[str]:
    """The names in a signature as nanobind writes it: `name(a: int, b: ndarray[dtype=int64, shape=(*)] = 1) -> int`."""
    text = re.sub(r"\\\d+|\s", "", signature)
    inside = text[text.index("(") + 1 :]
    names, depth, word = [], 0, ""
    for letter in inside:
        depth += (letter in "([{") - (letter in ")]}")
        if depth < 0:
            break
        if letter == "," and depth == 0:
            names.append(word)
            word = ""
        else:
            word += letter
    return [re.split("[:=]", name)[0] for name in (*names, word) if name not in ("", "*", "/")]


def built(owner: Any, before: str = "") -> dict[str, list[str]]:
    """The same of the module that was built."""
    found: dict[str, list[str]] = {}
    for name, value in vars(owner).items():
        if isinstance(value, type) and value.__module__.endswith("_kernels"):
            found |= built(value, f"{before}{name}.")
        elif hasattr(value, "__nb_signature__"):
            names = parameters(value.__nb_signature__[0][0])
            found[before + name] = [p for p in names if p != "self"]
    return found


def test_the_stub_is_that_of_the_module() -> None:
    in_stub, in_module = stubbed(STUB.body), built(_kernels)
    assert len(in_module) > 50
    assert in_stub == in_module, HOW


def test_every_class_and_constant_is_in_the_stub() -> None:
    named = {node.name for node in STUB.body if isinstance(node, ast.ClassDef)}
    named |= {node.target.id for node in STUB.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)}
    others = {name for name, value in vars(_kernels).items() if not name.startswith("__") and not hasattr(value, "__nb_signature__")}
    assert named == others, HOW


def test_no_kernel_takes_more_than_eight_arguments() -> None:
    long = {name: names for name, names in stubbed(STUB.body).items() if len(names) > MOST_ARGUMENTS}
    assert not long


def test_options_are_given_by_name() -> None:
    """Numbers in a row can be mixed up; options cannot."""
    makers = {
        node.name: maker
        for node in STUB.body
        if isinstance(node, ast.ClassDef) and node.name.endswith(("Options", "Question"))
        for maker in node.body
        if isinstance(maker, ast.FunctionDef) and maker.name == "__init__"
    }
    assert len(makers) >= 8
    assert not {name for name, maker in makers.items() if len(maker.args.args) > 1 or not maker.args.kwonlyargs}
