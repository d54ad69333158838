"""Microaggregation: rows in groups of at least k owners, over any distance and centroid. Methods build on it and it knows none of them."""
