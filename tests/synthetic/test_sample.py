import gzip
from importlib.resources import files
from pathlib import Path

from shoal.io.synthetic_log import generate


def test_the_bundled_sample_is_what_its_recipe_makes(tmp_path: Path) -> None:
    bundled = files("shoal.samples").joinpath("queries.tsv.gz").read_bytes()
    assert len(bundled) < 600_000
    generate(tmp_path / "queries.tsv", 2_000, 1, nouns_per_user=9)
    assert gzip.decompress(bundled) == (tmp_path / "queries.tsv").read_bytes()
