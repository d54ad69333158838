"""Faults while a command runs: signals, a full disk, errors of reading, refused memory, a clock that jumps, two runs at once."""
