"""Writing an experiment: a page with its tables and pictures, and every table as CSV."""

from __future__ import annotations

from shoal.evaluate.reproduce.page import Experiment, markdown
from shoal.io.experiment_files import ExperimentFiles
from shoal.report.line_charts import drawn

PAGE = "experiment.md"
FINDINGS = "findings"


def write_experiment(experiment: Experiment, files: ExperimentFiles, command: str) -> None:
    """The page comes last, when everything it shows is there."""
    for figure in experiment.figures:
        files.write_table(f"{figure.name}.csv", figure.rows)
    write_pictures(experiment, files)
    told = [{"place": one.place, "says": one.says, "seen": one.seen, "verdict": one.verdict} for one in experiment.findings]
    files.write_table(f"{FINDINGS}.csv", told)
    files.write(PAGE, markdown(experiment, command).encode())


def write_pictures(experiment: Experiment, files: ExperimentFiles) -> None:
    """Every figure that is drawn."""
    for figure in experiment.figures:
        if figure.lines is not None:
            files.write(f"{figure.name}.svg", drawn(figure))
