"""Runs of small numbers in the pages of a Parquet file (the hybrid of run lengths and bit packing), visited without decoding."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]


class RunError(ValueError):
    """The bytes are not valid runs, or more than needed."""


def walk_runs(data: memoryview, width: int, wanted: int | None, *, repeated: bool = False) -> int:
    """Visit runs that must fill all these bytes.

    Args:
        data: The bytes.
        width: Bits of each number.
        wanted: How many numbers there must be; the last run of packed bits may be filled up with zeros. None if it is not known.
        repeated: Whether it may also be filled up with the numbers 32 places before, which Polars leaves there.

    Returns:
        The numbers in all runs.

    Raises:
        RunError: The runs hold fewer numbers, end elsewhere, or hold more than numbers.
    """
    at, numbers, end = 0, 0, len(data)
    value_bytes = (width + 7) // 8
    while at < end:
        if wanted is not None and numbers >= wanted:
            raise RunError("there are runs after the last number")
        head, at = _length(data, at)
        size = head >> 1
        if head & 1:
            packed = size * width
            if wanted is not None and numbers + 8 * size > wanted:
                _insist_on_padding(data[at : at + packed], (wanted - numbers) * width, 4 * width if repeated else 0)
                if numbers + 8 * (size - 1) >= wanted:
                    raise RunError("packed bits go beyond the last number")
            numbers += 8 * size
            at += packed
        else:
            if int.from_bytes(data[at : at + value_bytes], "little") >> width:
                raise RunError("a number has more bits than it should")
            numbers += size
            at += value_bytes
            if wanted is not None and numbers > wanted:
                raise RunError("a run goes beyond the last number")
    if at != end or (wanted is not None and numbers < wanted):
        raise RunError("the runs do not end where they should")
    return numbers


def _length(data: memoryview, at: int) -> tuple[int, int]:
    """Return the header of a run, and the position of the run."""
    head = shift = 0
    while at < len(data):
        byte = data[at]
        at += 1
        head |= (byte & 127) << shift
        if byte < 128:
            if head < 2 or (shift and not byte):
                raise RunError("a run is empty, or its length is padded")
            return head, at
        shift += 7
    raise RunError("a run breaks off")


def _insist_on_padding(packed: memoryview, used: int, back: int) -> None:
    """Raise unless all bits after the used ones are 0, or equal those this many bytes before, if any."""
    first = used // 8
    rest = np.frombuffer(packed[first:], np.uint8)
    if not _bits_after(rest, used % 8).any():
        return
    before = np.frombuffer(packed[first - back : len(packed) - back], np.uint8) if 0 < back <= first else rest[:0]
    if len(before) != len(rest) or (_bits_after(before, used % 8) != _bits_after(rest, used % 8)).any():
        raise RunError("there are bits after the last number")


def _bits_after(data: Bytes, used: int) -> Bytes:
    """Return the bytes without the first bits of the first one."""
    return np.concatenate([data[:1] >> used, data[1:]])


def deepest_in(data: memoryview, wanted: int, deepest: int) -> int:
    """Count the deepest of this many levels, which is the number of values; the runs have been visited before."""
    at = numbers = found = 0
    width = deepest.bit_length()
    value_bytes = (width + 7) // 8
    while numbers < wanted:
        head, at = _length(data, at)
        size = head >> 1
        if head & 1:
            held = min(8 * size, wanted - numbers)
            bits = np.unpackbits(np.frombuffer(data[at : at + size * width], np.uint8), bitorder="little").reshape(-1, width)
            found += int(np.count_nonzero(bits[:held] @ (1 << np.arange(width)) == deepest))
            at += size * width
        else:
            held = min(size, wanted - numbers)
            found += held if int.from_bytes(data[at : at + value_bytes], "little") == deepest else 0
            at += value_bytes
        numbers += held
    return found


def zeros_in(data: memoryview, wanted: int) -> int:
    """Count the zeros of this many one-bit numbers; the runs have been visited before."""
    at = numbers = zeros = 0
    while numbers < wanted:
        head, at = _length(data, at)
        size = head >> 1
        if head & 1:
            held = min(8 * size, wanted - numbers)
            zeros += held - int.from_bytes(data[at : at + size], "little").bit_count()
            at += size
        else:
            held = min(size, wanted - numbers)
            zeros += 0 if data[at] else held
            at += 1
        numbers += held
    return zeros
