"""Noise: drawn by OpenDP, scaled to a budget, and added to numbers with a bounded contribution of each person."""
