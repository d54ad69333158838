"""What the studio calls its tasks, their states and their files."""

from __future__ import annotations

JOB = "job.toml"
RELEASE, PRIVATE = "release", "private.html"
CELLS = "cells.json"  # of a comparison, as its page shows them

QUEUED, RUNNING = "queued", "running"
DONE, FAILED, CANCELLED = "done", "failed", "cancelled"
INTERRUPTED, CRASHED = "interrupted", "crashed"  # the server ended before the task; its process died
OVER = (DONE, FAILED, CANCELLED, INTERRUPTED, CRASHED)
WORDS = {
    QUEUED: "waiting",
    RUNNING: "running",
    DONE: "done",
    FAILED: "refused",
    CANCELLED: "cancelled",
    INTERRUPTED: "interrupted by the end of the studio",
    CRASHED: "its process died",
}

LOOK, ADVISE, COMPARE, PUBLISH, AUDIT = "look", "advise", "compare", "publish", "audit"
ATTACK, TAXONOMY, COVERAGE = "attack", "taxonomy", "coverage"
KINDS = {PUBLISH: "Release", COMPARE: "Comparison", AUDIT: "Audit", ATTACK: "Attacks on a release"}  # of jobs that have a page of their own
EVERYTHING = 99  # items that an attacker may know: all of a record
STOP = "stop"  # the line that ends the measurements of a preview
