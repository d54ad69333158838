"""Computations with a secret key: tokens of texts, shares of secrets, encrypted texts."""
