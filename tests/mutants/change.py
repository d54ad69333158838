"""All mutants of a Python file: each is the file with one comparison, operator, number or truth value changed.

Not changed: annotations and decorators, `strict` of `zip` (which guards against mistakes of the program), what is charged to the limit of
work (`patience`), and what only words a message: the values of f-strings, and comparisons with 1 that choose between two texts.
"""

from __future__ import annotations

import ast
import copy
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import cast

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
NAMES = {"any": "all", "all": "any", "min": "max", "max": "min"}  # functions, and methods of tables and arrays


@dataclass(frozen=True)
class Mutant:
    """One changed place of a file: its lines, the change in words, and where it is in the syntax tree.

    It is named by the function or constant that it is in, the change, and a number among the same changes there.
    """

    line: int
    last_line: int
    where: str
    change: str
    number: int
    state: str  # of the function or constant: a digest of its code
    node: int
    way: int
    outside: bool  # of functions: it runs while the module is loaded


def mutants(source: str) -> list[Mutant]:
    """All mutants of a file, in the order of its lines."""
    tree = ast.parse(source)
    inside = {id(part) for part in _in_functions(tree)}
    untouched = {id(part) for whole in (*_not_computed(tree), *_wording(tree)) for part in ast.walk(whole)}
    places, same = {part: place for part, *place in _places(tree, "", "")}, Counter[tuple[str, str]]()
    found = []
    for at, node in enumerate(ast.walk(tree)):
        if id(node) in untouched:
            continue
        for way in range(_ways(node)):
            changed = copy.deepcopy(node)
            _change(changed, way)
            place = cast(ast.expr, node)
            last, change = place.end_lineno or place.lineno, f"{ast.unparse(node)} -> {ast.unparse(changed)}"
            where, state = places[id(node)]
            same[where, change] += 1
            found.append(Mutant(place.lineno, last, where, change, same[where, change], state, at, way, id(node) not in inside))
    return sorted(found, key=lambda mutant: mutant.line)


def changed(source: str, mutant: Mutant) -> ast.Module:
    """The syntax tree of the file with this change; its lines keep their numbers."""
    tree = ast.parse(source)
    node = next(islice(ast.walk(tree), mutant.node, None))
    _change(node, mutant.way)
    return ast.fix_missing_locations(tree)


def _places(node: ast.AST, name: str, state: str) -> Iterator[tuple[int, str, str]]:
    """The qualified name of the function, class or constant that each part of a file is in, and the state of its code."""
    outermost = isinstance(node, ast.Module | ast.ClassDef)
    for part in ast.iter_child_nodes(node):
        inner, code = name, _digest(part) if outermost and not isinstance(part, ast.ClassDef) else state
        match part:
            case ast.FunctionDef(name=own) | ast.ClassDef(name=own):
                inner = f"{name}.{own}" if name else own
            case ast.Assign(targets=[ast.Name(id=own)]) | ast.AnnAssign(target=ast.Name(id=own)) if outermost:
                inner = f"{name}.{own}" if name else own
            case ast.Assign(targets=[ast.Tuple(elts=names)]) if outermost:
                inner = ", ".join(map(ast.unparse, names))
        yield id(part), inner, code
        yield from _places(part, inner, code)


def _digest(node: ast.AST) -> str:
    return hashlib.sha256(ast.unparse(node).encode()).hexdigest()[:16]


def _in_functions(tree: ast.Module) -> Iterator[ast.AST]:
    """Everything that runs when a function is called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            for part in node.body if isinstance(node.body, list) else [node.body]:
                yield from ast.walk(part)


def _ways(node: ast.AST) -> int:
    """In how many ways a node can be changed."""
    match node:
        case ast.Compare():
            return len(node.ops)
        case ast.BinOp():
            return int(type(node.op) in OPERATORS)
        case ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            return 1
        case ast.Constant(value=bool() | int()):
            return 1
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return int(name in NAMES)
    return 0


def _not_computed(tree: ast.Module) -> Iterator[ast.expr]:
    """The annotations, the decorators, `strict` of `zip`, and the steps and entries that count towards the limit of work."""
    for node in ast.walk(tree):
        match node:
            case ast.AnnAssign():
                yield node.annotation
            case ast.arg(annotation=ast.expr() as annotation):
                yield annotation
            case ast.FunctionDef():
                yield from (*node.decorator_list, *([node.returns] if node.returns else []))
            case ast.ClassDef():
                yield from node.decorator_list
            case ast.Call(func=ast.Attribute(value=ast.Name(id="patience"), attr="spend" | "insist_on_room")):
                yield node
            case ast.Call(func=ast.Name(id="zip")):
                yield from (keyword.value for keyword in node.keywords)


def _wording(tree: ast.Module) -> Iterator[ast.expr]:
    """The values of f-strings, and the tests that choose the singular or the plural."""
    for node in ast.walk(tree):
        match node:
            case ast.JoinedStr():
                yield node
            case ast.IfExp(test=ast.Compare(ops=[ast.Eq()], comparators=[ast.Constant(value=1)]) as test):
                if all(
                    isinstance(text, ast.JoinedStr) or isinstance(getattr(text, "value", None), str) for text in (node.body, node.orelse)
                ):
                    yield test


def _change(node: ast.AST, number: int) -> None:
    match node:
        case ast.Compare():
            node.ops[number] = COMPARISONS[type(node.ops[number])]()
        case ast.BinOp():
            node.op = OPERATORS[type(node.op)]()
        case ast.BoolOp():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        case ast.UnaryOp():
            node.operand = ast.UnaryOp(ast.Not(), node.operand)
        case ast.Constant(value=bool() as value):
            node.value = not value
        case ast.Constant(value=int() as value):
            node.value = value + 1
        case ast.Call(func=ast.Name() as function):
            function.id = NAMES[function.id]
        case ast.Call(func=ast.Attribute() as method):
            method.attr = NAMES[method.attr]
