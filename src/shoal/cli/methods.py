"""shoal methods: what there is to anonymize with."""

from __future__ import annotations

from shoal.cli.catalogue import catalogue
from shoal.methods import METHODS

command = catalogue(
    "methods",
    METHODS,
    "What there is to anonymize with, and its parameters.",
    more="`shoal anonymize --method {name} --help` shows these as options",
)
