"""Starting: help and version cost nothing, commands explain themselves, and what is mistyped is understood."""

from __future__ import annotations

import ast
import platform
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from helpers.cli import Shell, baskets, clean_environment, failed, one_line, query_log
from shoal import kernels
from shoal.cli.main import COMMANDS, cli
from shoal.cli.start import another_shoal

HEAVY = ("numpy", "polars", "scipy", "altair", "rich", "jinja2", "pandas", "pyarrow")


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["-h"], []])
def test_help_and_version_load_nothing_heavy(words: list[str]):
    program = f"""
import sys
from shoal.cli.main import run
code = run({words!r})
heavy = [name for name in {HEAVY!r} if name in sys.modules]
sys.exit(f"loaded {{heavy}}" if heavy else code)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=clean_environment(), check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    assert b"shoal" in done.stdout


def test_importing_the_package_loads_nothing_heavy():
    program = f"import sys, shoal; dir(shoal); sys.exit(any(name in sys.modules for name in {HEAVY!r}))"
    assert subprocess.run([sys.executable, "-c", program], env=clean_environment(), check=False).returncode == 0


def test_without_arguments_help_is_shown(shell: Shell):
    alone = shell()
    assert alone.code == 0
    assert alone.out == shell("--help").out
    for name, summary in COMMANDS.items():
        assert name in alone.out
        assert summary in alone.out


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("ask", ["--help", "-h"])
def test_every_command_explains_itself(shell: Shell, name: str, ask: str):
    told = shell(name, ask)
    assert told.code == 0
    assert told.err == ""
    assert told.out.startswith(f"Usage: shoal {name} ")
    assert len(told.out.split("\n\n")[1]) > 20


@pytest.mark.parametrize("name", ["check", "show", "coverage"])
def test_every_part_of_taxonomy_explains_itself(shell: Shell, name: str):
    assert shell("taxonomy", name, "--help").out.startswith(f"Usage: shoal taxonomy {name} ")


def test_a_group_without_a_command_shows_its_help(shell: Shell):
    told = shell("taxonomy")
    assert told.code == 0
    assert "coverage" in told.out


def test_every_option_of_every_command_is_explained():
    import click

    pending = [cli.get_command(click.Context(cli), name) for name in COMMANDS]
    while pending:
        command = pending.pop()
        pending += getattr(command, "commands", {}).values()
        for option in command.params:
            if isinstance(option, click.Option):
                assert option.help, f"{command.name} {option.opts}"


MISTYPED = [("anonimize", "anonymize"), ("taxonmy", "taxonomy"), ("audti", "audit"), ("method", "methods")]


@pytest.mark.parametrize(("typed", "meant"), MISTYPED)
def test_a_mistyped_command_is_understood(shell: Shell, typed: str, meant: str):
    line = one_line(shell(typed, "x"))
    assert f"'{typed}'" in line
    assert f"did you mean '{meant}'?" in line


def test_a_command_like_no_other_points_to_the_help(shell: Shell):
    line = one_line(shell("xyzzy"))
    assert "did you mean" not in line
    assert "shoal --help" in line


@pytest.mark.parametrize("words", [["--nope"], ["anonymize"], ["audit"], ["generate"], ["anonymize", "a", "b"], ["taxonomy", "chek", "x"]])
def test_wrong_usage_points_to_the_help(shell: Shell, words: list[str]):
    assert "--help`" in one_line(shell(*words))


@pytest.mark.parametrize("listing", ["methods", "models", "metrics"])
def test_listings_list_what_there_is(shell: Shell, listing: str):
    from shoal.methods import METHODS
    from shoal.metrics import METRICS
    from shoal.privacy import MODELS

    told = shell(listing)
    assert told.code == 0
    for name in {"methods": METHODS, "models": MODELS, "metrics": METRICS}[listing]:
        assert name in told.out


def test_a_listing_tells_all_about_one(shell: Shell):
    from shoal.methods import METHODS

    told = shell("methods", "clump").out
    assert "SECRYPT" in told
    assert METHODS["clump"].parameters()[1].help in " ".join(told.split())
    assert "False" not in told
    failed(shell("methods", "clamp"), "unknown-method", value="clamp")
    assert "1/k" in shell("models", "k-anonymity").out


def test_the_doctor_finds_everything(shell: Shell):
    told = shell("doctor")
    assert told.code == 0
    assert "loaded and working" in told.out
    assert "MISSING" not in told.out


_COUNT = (
    f"HEAVY = {HEAVY!r}"
    + """
import sys
from shoal.cli.main import run
code = run(sys.argv[1:])
loaded = {name: name in sys.modules for name in HEAVY}
loaded["shoal"] = sum(name.split(".")[0] == "shoal" for name in sys.modules)
print(repr((code, loaded)), file=sys.stderr)
"""
)


def modules_loaded_by(*words: str | Path) -> dict[str, int]:
    """Run a command in a process of its own: the number of modules of this package it loads, and which large libraries."""
    done = subprocess.run(
        [sys.executable, "-c", _COUNT, *map(str, words)], capture_output=True, text=True, env=clean_environment(), check=True
    )
    code, loaded = ast.literal_eval(done.stderr.splitlines()[-1])
    assert code == 0, done.stderr
    return cast(dict[str, int], loaded)


def test_help_loads_few_modules():
    assert modules_loaded_by("--help")["shoal"] <= 13


@pytest.mark.parametrize("words", [["--help"], ["--method", "clump", "--help"]], ids=" ".join)
def test_the_help_of_anonymize_loads_no_method_and_nothing_heavy(words: list[str]):
    loaded = modules_loaded_by("anonymize", *words)
    assert not [name for name in HEAVY if loaded[name]]
    assert loaded["shoal"] <= 37


def test_the_help_of_no_command_loads_what_only_runs():
    """One process shows the help of every command, so what is loaded is what all of them need together."""
    program = f"""
import sys
from shoal.cli.main import COMMANDS, run
parts = [["taxonomy", name] for name in ("build", "check", "show", "coverage")]
codes = [run([*words, "--help"]) for words in [*([name] for name in COMMANDS), *parts]]
heavy = [name for name in {HEAVY!r} if name in sys.modules and name != "rich"]  # the screen is drawn with rich
count = sum(name.split(".")[0] == "shoal" for name in sys.modules)
sys.exit(f"{{codes}}, {{count}} modules, {{heavy}}" if any(codes) or heavy or count > 85 else 0)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=clean_environment(), check=False)
    assert done.returncode == 0, done.stderr


def test_a_small_release_loads_few_modules(tmp_path: Path):
    log = tmp_path / "log.tsv"
    log.write_text(query_log(users=300))
    loaded = modules_loaded_by("anonymize", log, "--k", "5", "--out", tmp_path / "release")
    assert not loaded["scipy"]
    assert loaded["shoal"] <= 235


def test_the_help_lists_every_command_once() -> None:
    from shoal.cli.main import COMMANDS, SECTIONS

    assert sorted(name for names in SECTIONS.values() for name in names) == sorted(COMMANDS)


def test_progress_in_a_pipe_is_a_line_every_ten_seconds(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from shoal.cli import screen

    clock = iter([0.0, 3.0, 10.5, 11.0, 21.0])
    monkeypatch.setattr(screen.time, "monotonic", lambda: next(clock))
    lines = screen._Lines()
    lines.stage("grouping", 3, 8)
    for done in (10, 20, 30, 40):
        lines.watch("clustering", done, 100)
    assert capsys.readouterr().err.splitlines() == [
        "after 0:10: step 3 of 8, grouping: clustering 20%",
        "after 0:21: step 3 of 8, grouping: clustering 40%",
    ]
    monkeypatch.setenv("SHOAL_PROGRESS", "off")
    with screen.bars() as watch:
        assert watch is None


def test_the_other_package_of_this_name_is_noticed(tmp_path: Path):
    (tmp_path / "ours" / "shoal_privacy-1.0.dist-info").mkdir(parents=True)
    (tmp_path / "other" / "shoal-0.3.1.dist-info").mkdir(parents=True)
    ours, other = str(tmp_path / "ours"), str(tmp_path / "other")
    assert another_shoal([str(tmp_path / "missing"), ours]) == ""
    assert another_shoal([ours, other]) == "shoal 0.3.1"
    command = [sys.executable, "-c", "from shoal.cli.start import main; main()", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, env=clean_environment() | {"PYTHONPATH": other}, check=True)
    assert "shoal 0.3.1 is installed too" in done.stderr
    assert "pip uninstall shoal" in done.stderr


def test_limits_of_numbers_are_in_words(shell: Shell) -> None:
    told = " ".join(shell("advise", "--help").out.split())
    assert "--seconds N Time for all trials together. [default: 20.0; 1 to 86,400]" in told
    assert "RANGE" not in told and "<=" not in told
    assert "1 is not in the range 2 or more" in one_line(shell("advise", "x", "--k", "1"))


def test_threads_of_a_command_share_heaps(monkeypatch: pytest.MonkeyPatch, shell: Shell):
    asked: list[bool] = []
    monkeypatch.setattr(kernels, "share_heaps", lambda: asked.append(True))
    shell.file("baskets.txt", baskets())
    assert shell("anonymize", "baskets.txt", "--k", "3", "--out", "release").code == 0
    assert asked


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only this C library has heaps for threads")
def test_the_c_library_shares_heaps() -> None:
    assert kernels.share_heaps()
