"""A test that notices one change of a judge; run by `test_mutants` alone."""

from shoal.privacy import public_k_anonymity


def test_nothing_was_changed() -> None:
    assert not hasattr(public_k_anonymity, "CHANGED")
