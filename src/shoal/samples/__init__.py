"""Bundled samples, made up: for `shoal demo` and `shoal studio`. README.md says how they were made."""
