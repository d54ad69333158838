"""Itemsets: selection, support counting, suppression and generalization."""
