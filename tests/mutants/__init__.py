"""Mutants of the judges and their kernels: one operator or number changed at a time, which a test of that judge must notice."""
