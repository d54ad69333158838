"""shoal models: what can be promised of a release."""

from __future__ import annotations

from shoal.cli.catalogue import catalogue
from shoal.privacy import MODELS

command = catalogue("models", MODELS, "What can be promised of a release.")
