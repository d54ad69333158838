"""Random runs of the whole program: `make` draws data and commands, `check` recounts what was written and imports nothing of shoal."""
