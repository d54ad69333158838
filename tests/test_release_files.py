"""What a release of shoal contains: the checks of scripts/release.py, licences of what others made, and the bill of materials."""

from __future__ import annotations

import importlib.util
import io
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
VERSION = "1.2.3"


def script(name: str) -> ModuleType:
    """A script, loaded as a module; scripts import each other by name."""
    if str(ROOT / "scripts") not in sys.path:
        sys.path.append(str(ROOT / "scripts"))
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RELEASE = script("release")
SBOM = script("sbom")


# -- sources


def sources(place: Path, *, date: str = "2026-12-01", cited: str = VERSION, urls: bool = True) -> Path:
    listed = '[project.urls]\nSource = "https://example.org"\nIssues = "https://example.org"\n' if urls else ""
    (place / "pyproject.toml").write_text(f'[project]\nname = "x"\nversion = "{VERSION}"\n{listed}')
    (place / "CHANGELOG.md").write_text(f"# Changelog\n\n## [{VERSION}] - {date}\n")
    (place / "CITATION.cff").write_text(f"title: x\nversion: {cited}\nlicense: y\n")
    return place


@pytest.mark.parametrize(
    ("wrong", "named"),
    [({}, None), ({"date": "unreleased"}, "CHANGELOG.md"), ({"cited": "1.2.2"}, "CITATION.cff"), ({"urls": False}, "project.urls")],
)
def test_the_version_is_the_same_everywhere(tmp_path: Path, wrong: dict[str, object], named: str | None):
    place = sources(tmp_path, **wrong)  # type: ignore[arg-type]
    found = list(RELEASE.metadata_problems(place, RELEASE.read_project(place)))
    assert len(found) == (named is not None)
    assert named is None or named in found[0]


def test_a_release_is_tagged_once_from_what_is_committed_on_main(tmp_path: Path):
    def git(*words: str) -> None:
        named = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        subprocess.run(["git", *named, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init", "--initial-branch=main")
    (tmp_path / "file").write_text("")
    assert "not committed" in " ".join(RELEASE.repository_problems(tmp_path, VERSION))
    git("add", ".")
    git("commit", "--message", "first")
    assert list(RELEASE.repository_problems(tmp_path, VERSION)) == []
    git("tag", f"v{VERSION}")
    assert "exists already" in " ".join(RELEASE.repository_problems(tmp_path, VERSION))
    git("switch", "--create", "other")
    assert "the branch is other" in " ".join(RELEASE.repository_problems(tmp_path, "1.2.4"))


# -- files


def complete(dist: Path) -> Path:
    """All files of a release, with the least content that passes."""
    with tarfile.open(dist / f"shoal_privacy-{VERSION}.tar.gz", "w:gz") as archive:
        for name in (*RELEASE.LICENCES, "CMakeLists.txt", "pyproject.toml"):
            archive.addfile(tarfile.TarInfo(f"shoal_privacy-{VERSION}/{name}"), io.BytesIO())
    licences = [f"x.dist-info/licenses/{name}" for name in (*RELEASE.LICENCES, f"src/{RELEASE.WORDNET}LICENSE")]
    for name in RELEASE.wheel_names(VERSION):
        with zipfile.ZipFile(dist / name, "w") as wheel:
            for entry in (*licences, f"{RELEASE.WORDNET}nodes.parquet", "shoal/_kernels.abi3.so"):
                wheel.writestr(entry, "")
    (dist / f"shoal_privacy-{VERSION}.cdx.json").write_text(f'{{"metadata": {{"component": {{"version": "{VERSION}"}}}}}}')
    return dist


def test_a_complete_release_has_no_problem(tmp_path: Path):
    assert list(RELEASE.file_problems(complete(tmp_path), VERSION)) == []
    assert len(RELEASE.wheel_names(VERSION)) == 8


@pytest.mark.parametrize("tags", ["manylinux2014_x86_64.manylinux_2_17_x86_64", "manylinux_2_17_x86_64.manylinux2014_x86_64"])
def test_wheels_may_have_older_names_of_their_systems(tags: str):
    assert RELEASE.without_aliases(f"shoal_privacy-{VERSION}-cp312-abi3-{tags}.whl") in RELEASE.wheel_names(VERSION)


def test_a_missing_file_and_one_of_another_version_are_named(tmp_path: Path):
    complete(tmp_path)
    wheel = min(RELEASE.wheel_names(VERSION))
    (tmp_path / wheel).rename(tmp_path / wheel.replace(VERSION, "1.2.2"))
    found = list(RELEASE.file_problems(tmp_path, VERSION))
    assert found == [f"dist has no {wheel}", f"dist has {wheel.replace(VERSION, '1.2.2')}, which is no file of this release"]


def test_what_a_wheel_lacks_is_named(tmp_path: Path):
    with zipfile.ZipFile(tmp_path / "x.whl", "w") as wheel:
        wheel.writestr("shoal/_kernels.so", "")
        wheel.writestr("tests/x.py", "")
    found = " ".join(RELEASE.wheel_problems(tmp_path / "x.whl"))
    assert all(name in found for name in (*RELEASE.LICENCES, "WordNet", "tests/x.py"))
    assert "kernels" not in found


def test_images_do_not_go_into_the_source_archive(tmp_path: Path):
    with tarfile.open(tmp_path / "x.tar.gz", "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("x-1/docs/images/a.png"), io.BytesIO())
    assert any("docs/images" in problem for problem in RELEASE.archive_problems(tmp_path / "x.tar.gz"))


def test_an_archive_that_was_cut_off_is_damaged(tmp_path: Path):
    archive = complete(tmp_path) / f"shoal_privacy-{VERSION}.tar.gz"
    archive.write_bytes(archive.read_bytes()[:100])
    assert list(RELEASE.archive_problems(archive)) == [f"{archive.name} is damaged"]


# -- licences and materials


def test_notice_names_every_part_and_its_licence():
    notice = (ROOT / "NOTICE").read_text("utf-8")
    named = set(re.findall(r"^Licence: (.+)$", notice, re.MULTILINE))
    assert named == {file for _, _, file in SBOM.INSIDE.values()}
    assert all((ROOT / file).stat().st_size > 500 for file in named)
    assert all(name in notice for name in SBOM.INSIDE)
    assert {f"licences/{file.name}" for file in (ROOT / "licences").iterdir()} <= named
    assert named - set(RELEASE.LICENCES) == {f"src/{RELEASE.WORDNET}LICENSE"}


def test_scripts_and_styles_in_the_package_are_of_this_project():
    foreign = re.compile(r"copyright|@license|\(c\)\s|sourceMappingURL|https?://(?!www\.w3\.org)", re.IGNORECASE)
    files = [file for kind in ("*.js", "*.css") for file in (ROOT / "src").rglob(kind)]
    assert files
    assert not [file.name for file in files if foreign.search(file.read_text("utf-8"))]
    assert not [file.name for file in files if max(map(len, file.read_text("utf-8").splitlines())) > 500], "minified, so not written here"


def test_the_bill_of_materials_has_all_that_is_inside_and_all_that_is_installed():
    bill = SBOM.bill_of_materials()
    listed = {entry["name"] for entry in bill["components"]}
    required = {re.match(r"[a-z0-9-]+", text)[0] for text in RELEASE.read_project(ROOT)["dependencies"]}  # type: ignore[index]
    assert required <= listed
    assert "markupsafe" in listed  # which jinja2 requires
    assert "pytest" not in listed
    root = bill["metadata"]["component"]
    assert {entry["name"] for entry in root["components"]} == set(SBOM.INSIDE)
    references = {root["bom-ref"], *(entry["bom-ref"] for entry in bill["components"])}
    assert {other for entry in bill["dependencies"] for other in entry["dependsOn"]} < references
    assert all(entry["version"] and entry["licenses"] for entry in bill["components"])


def test_every_dependency_has_a_lower_bound():
    lowest = script("lowest_versions").lowest
    assert lowest(["a>=1.2", "b[c]>=3,<4"]) == ["a==1.2", "b[c]==3"]
    assert len(lowest(RELEASE.read_project(ROOT)["dependencies"])) == len(RELEASE.read_project(ROOT)["dependencies"])
    with pytest.raises(ValueError, match="without a lower bound: a"):
        lowest(["a"])
