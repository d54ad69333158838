"""The function `shoal.mask`: mask an access log, without a guarantee."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.api.messages import spoken_in_python
from shoal.errors import ParameterError
from shoal.masking.options import Masking
from shoal.parameters import insist_on_path

if TYPE_CHECKING:
    from shoal.masking.mask_file import Masked

__all__ = ["mask"]


def mask(
    data: str | Path | Sequence[Path],
    out: str | Path,
    *,
    force: bool = False,
    strict: bool = False,
    malformed: float | None = None,
    **options: Any,
) -> Masked:
    """Mask an access log line by line, WITHOUT ANY GUARANTEE: people can still be identified by the pages they visited.

    Args:
        data: The access log: a path, or several that are read as one log.
        out: The file to write, compressed if its name ends in `.gz`. A second file next to it states what is not protected.
        force: Overwrite an existing file.
        strict: Reject malformed lines instead of leaving them out and counting them.
        malformed: The largest accepted share of malformed lines; by default 0.1.
        **options: `addresses` (truncate, keyed, remove), `ipv4_bits` (24), `ipv6_bits` (48), `times` (second, minute, hour, day),
            `queries` (remove, keep), `users` (remove, keyed), `agents` (family, keep, remove), and `key`, the path of a key file.

    Returns:
        The outcome: the accounting of the lines, notes, and what is not protected (`lack`).

    Raises:
        GuaranteeNotMet: The written file still contains something that should have been removed. The file is deleted.
        InputError: The input is not an access log, or too many of its lines are malformed.
        ParameterError: An option is unknown or has a wrong value.
        OutputError: The file cannot be written.

    Example:
        >>> shoal.mask("access.log", "masked.log", times="day").rows.total  # doctest: +SKIP
        10000
    """
    with spoken_in_python():
        from shoal.masking.mask_file import mask_log

        insist_on_path("out", out)
        _insist_on_share(malformed)
        Masking.refuse_unknown(options)
        return mask_log(data, Path(out), Masking(**options), force=force, strict=strict, malformed=malformed)


def _insist_on_share(value: object) -> None:
    if value is not None and not isinstance(value, int | float):
        what = f"malformed must be a number, not a value of type {type(value).__name__}"
        raise ParameterError(what, code="wrong-type", argument="malformed")
