"""Reads users' files: input in every format, taxonomies, and files of items."""
