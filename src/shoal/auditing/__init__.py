"""Verification of a release, alone and together with earlier ones."""

CROSSING = 2  # smallest change, in people, of a query between two releases
