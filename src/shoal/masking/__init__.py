"""Masks an access log line by line, as log tools do: the same format, fewer details, and no guarantee."""
