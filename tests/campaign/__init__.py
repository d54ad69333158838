"""Long campaigns of random runs: the driver, the summary of a log, and the shrinker. `tests/fuzz` has the cases and the checker."""
