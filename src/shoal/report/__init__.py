"""Report: facts about a release become charts and one self-contained page that is read offline, printed and signed."""
