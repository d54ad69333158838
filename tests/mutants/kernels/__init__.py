"""Mutants of the kernels that judges count with: all are compiled into one module, and switched on one at a time."""
