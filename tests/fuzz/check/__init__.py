"""The independent checker: it reads the raw input and the written files, and recounts every claim from its definition."""
