"""Generators of random commands, one module for each family of methods."""
