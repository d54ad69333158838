"""Sets of items: which are chosen, who holds them, and which to suppress or generalize."""
