"""Where the blocks of a method are worked on."""

ENGINES = ("spark",)  # names of engines other than this machine
