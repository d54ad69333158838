"""Report: facts about a release become charts and one page that is read offline, printed and signed."""
