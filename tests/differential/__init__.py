"""Comparisons with other packages that compute the same; a test is skipped where its package is absent."""
