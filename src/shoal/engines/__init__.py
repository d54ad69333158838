"""Where the blocks of a method are worked on."""
