"""Comparison of methods on the same data: the cells, how each is run, and the results."""
