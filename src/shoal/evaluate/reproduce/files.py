"""Writes an experiment: a page with its tables and charts, and every table as CSV."""

from __future__ import annotations

from typing import Any

from shoal.evaluate.reproduce.experiment_page import Experiment, Figure, Lines, markdown
from shoal.io.experiment_files import ExperimentFiles

# Line charts as SVG files, drawn by Vega-Lite without a browser: for pages that are read outside a report.


WIDTH, HEIGHT, ACROSS = 250, 190, 3


def drawn(figure: Figure) -> bytes:
    """Draw the figure as an SVG file."""
    import vl_convert

    assert figure.lines is not None
    return vl_convert.vegalite_to_svg(_specification(figure, figure.lines)).encode()


def _specification(figure: Figure, lines: Lines) -> dict[str, Any]:
    shown = [name for name in (lines.x, lines.y, lines.line, lines.panel) if name]
    values = [{name: row[name] for name in shown} for row in figure.rows if row.get(lines.y) is not None]
    order = list(dict.fromkeys(row[lines.line] for row in values))
    panel = {
        "mark": {"type": "line", "point": True},
        "encoding": {
            "x": {"field": _escaped(lines.x), "type": "quantitative", "title": lines.x, "scale": {"zero": False}},
            "y": {"field": _escaped(lines.y), "type": "quantitative", "title": lines.y},
            "color": {"field": _escaped(lines.line), "type": "nominal", "sort": order, "title": None},
        },
    }
    common = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "background": "white",
        "data": {"values": values},
        "config": {"legend": {"orient": "bottom", "labelLimit": 320, "columns": ACROSS}},
    }
    if not lines.panel:
        return {**common, "width": 2 * WIDTH, "height": HEIGHT, **panel}
    facet = {
        "field": _escaped(lines.panel),
        "type": "nominal",
        "title": None,
        "sort": list(dict.fromkeys(row[lines.panel] for row in values)),
    }
    independent = {"scale": {"x": "independent", **({"y": "independent"} if lines.own_scale else {})}}
    return {**common, "columns": ACROSS, "facet": facet, "resolve": independent, "spec": {"width": WIDTH, "height": HEIGHT, **panel}}


def _escaped(field: str) -> str:
    """Escape a column name for Vega-Lite, in which dots and brackets are paths into objects."""
    return "".join(f"\\{sign}" if sign in ".[]'" else sign for sign in field)


PAGE = "experiment.md"
FINDINGS = "findings"


def write_experiment(experiment: Experiment, files: ExperimentFiles, command: str) -> None:
    """Write the experiment; the page comes last, when everything it shows exists."""
    for figure in experiment.figures:
        files.write_table(f"{figure.name}.csv", figure.rows)
    write_pictures(experiment, files)
    findings = [{"place": one.place, "says": one.statement, "seen": one.measured, "verdict": one.verdict} for one in experiment.findings]
    files.write_table(f"{FINDINGS}.csv", findings)
    files.write(PAGE, markdown(experiment, command).encode())


def write_pictures(experiment: Experiment, files: ExperimentFiles) -> None:
    """Write every figure with a chart."""
    for figure in experiment.figures:
        if figure.lines is not None:
            files.write(f"{figure.name}.svg", drawn(figure))
