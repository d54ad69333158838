"""Execution of a method's blocks of records."""

ENGINES = ("spark",)  # names of engines other than this machine
