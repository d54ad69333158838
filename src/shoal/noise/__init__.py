"""Noise: drawn by OpenDP, scaled to a budget, and added to numbers in which each person counts for little."""
