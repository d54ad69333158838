"""Readers of access logs: lines, their visitors, and what links between pages say about visits."""
