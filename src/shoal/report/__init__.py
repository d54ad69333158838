"""Report: turns facts about a release into charts and one self-contained page, which can be printed and signed."""
