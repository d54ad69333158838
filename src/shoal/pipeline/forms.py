"""The form of files in an audit: nothing is published beside the content, neither in a release directory nor in a single file."""

from __future__ import annotations

from pathlib import Path

from shoal.io.canonical import directory_form, file_findings
from shoal.pipeline.manifest import Published
from shoal.pipeline.manifest_schema import manifest_bytes
from shoal.privacy import Verdict, verified_if
from shoal.report.lacking import lack_of


def judge_forms(place: Published) -> Verdict:
    """That the files of a release directory are in canonical form."""
    assert place.manifest is not None
    form = directory_form(place.file.parent, place.manifest, manifest_bytes(place.manifest), lack_of(place.manifest))
    return Verdict("files in canonical form", verified_if(not form.broken), {"files": form.files}, form.broken, form.notes)


def find_beside_content(path: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Search a single file for what is not content.

    Returns:
        The names of what can carry free text, which must be allowed by name, and notes on the style in which the file is written.
    """
    found = file_findings(path)
    style = [finding.words for finding in found if finding.style]
    notes = (f"not content: {'; '.join(style)}",) if style else ()
    return tuple(dict.fromkeys(finding.name for finding in found if not finding.style)), notes
