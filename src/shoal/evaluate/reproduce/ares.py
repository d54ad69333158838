"""The ARES report (Navarro-Arribas and Torra, 2010): documents, access logs and query logs under microaggregation."""

from __future__ import annotations

from shoal.evaluate.reproduce.ares_documents import documents
from shoal.evaluate.reproduce.ares_queries import queries
from shoal.evaluate.reproduce.ares_sites import sites
from shoal.evaluate.reproduce.experiment_page import Experiment
from shoal.evaluate.reproduce.paper import ExperimentSize, Paper


def run(size: ExperimentSize) -> Experiment:
    """Run chapters 2 and 3."""
    parts = [part(size) for part in (documents, sites, queries)]
    figures = tuple(figure for found, _, _ in parts for figure in found)
    statements = tuple(finding for _, found, _ in parts for finding in found)
    return Experiment("ares", TITLE, CITATION, "; ".join(source for _, _, source in parts), figures, statements, NOTES)


TITLE = "New privacy-preserving data mining techniques (ARES)"
CITATION = "Navarro-Arribas and Torra, deliverable report of the ARES project, WP4.T2, 2010, sections 2.4, 3.1.2 and 3.2.1"
NOTES = (
    "the report used 50 papers of a conference, logs of two web sites (site B: 15,000 records, over 6,000 pages) and a query log that it"
    " does not describe; where the option `data` names none, documents are long histories of a generated log, and sites are made up",
    "methods publish any query or page as in the report (`min_owners=1`), also one of a single person",
    "clusters are formed by the distance used for grouping, as in the report, which says itself that this favours its results",
    "the made-up sites have the pages and the clicks per hour of the report; their sessions have 60 clicks in the mean, 7 seconds apart",
    "sessions are found by address, agent and a timeout of 30 minutes; with the session variable by that variable, as in the report",
    "queries are identified by rank, never by text",
)
PAPER = Paper("ares", "people in the query log, and clicks of the smaller site", 1_000, 40, run, ("documents", "docs", "access", "quer"))
