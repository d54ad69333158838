"""All mutants of a Python file: each is the file with one comparison, operator, number or truth value changed."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

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
    """One changed place of a file, and the whole file with it."""

    line: int
    change: str
    source: str


def mutants(source: str) -> list[Mutant]:
    """All mutants of a file, in the order of its lines."""
    tree = ast.parse(source)
    untouched = {id(part) for whole in _not_computed(tree) for part in ast.walk(whole)}
    found = []
    for at, node in enumerate(ast.walk(tree)):
        if id(node) in untouched:
            continue
        for number in range(_ways(node)):
            changed = copy.deepcopy(tree)
            place = next(one for n, one in enumerate(ast.walk(changed)) if n == at)
            before = ast.unparse(place)
            _change(place, number)
            found.append(Mutant(node.lineno, f"{before} -> {ast.unparse(place)}", ast.unparse(changed)))  # type: ignore[attr-defined]
    return sorted(found, key=lambda mutant: mutant.line)


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
    """The annotations and decorators, which stay as they are."""
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
