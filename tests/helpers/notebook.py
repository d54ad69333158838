"""Notebooks of the documentation: run from the first cell to the last in a directory of their own, as a reader would."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

SECONDS = 300
METADATA = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}


def read(page: Path) -> Any:
    """A notebook as it is committed."""
    return nbformat.read(page, as_version=4)


def write(notebook: Any, page: Path) -> None:
    """Save a notebook."""
    nbformat.write(notebook, page)


def executed(notebook: Any, directory: Path) -> Any:
    """A copy of the notebook with what its cells give now. A cell that fails is an error."""
    fresh = copy.deepcopy(notebook)
    NotebookClient(fresh, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": str(directory)}}).execute()
    fresh.metadata = METADATA
    for cell in fresh.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = _joined(cell.outputs)
    return fresh


def _joined(outputs: list[Any]) -> list[Any]:
    """What a cell printed in one piece: where the pieces end depends on the time it took."""
    joined: list[Any] = []
    for output in outputs:
        if joined and output.output_type == joined[-1].output_type == "stream" and output.name == joined[-1].name:
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


def outputs(notebook: Any) -> list[tuple[str, list[dict[str, str]]]]:
    """The code cells and what each gives: text and pictures, without numbers of execution."""
    return [(cell.source, [_given(output) for output in cell.outputs]) for cell in notebook.cells if cell.cell_type == "code"]


def _given(output: Any) -> dict[str, str]:
    if output.output_type == "stream":
        return {output.name: output.text}
    return {kind: str(content) for kind, content in output.get("data", {"error": output.get("ename", "")}).items()}
