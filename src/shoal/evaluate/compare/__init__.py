"""Comparing methods on the same data: which cells there are, how each is worked on, and what came out."""
