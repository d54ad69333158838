"""Bad input gets one clear line and exit code 1, and nothing is written: no release, no temporary directory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest

from helpers.cli import FOOD, Shell, baskets, clean_environment, failed, last_line, one_line, query_log

CYCLE = "child,parent\nA,B\nB,C\nC,A\nApple,A\n"
TWO_PARENTS = "child,parent\nApple,Fruit\nApple,Meat\nFruit,Food\nMeat,Food\n"
TWO_ROOTS = "child,parent\nApple,Fruit\nBeef,Meat\n"


@pytest.fixture
def data(shell: Shell) -> Shell:
    shell.file("baskets.txt", baskets())
    shell.file("food.csv", FOOD)
    shell.file("log.tsv", query_log())
    return shell


def refused(shell: Shell, *words: str | Path) -> str:
    """The one line with which `anonymize` refuses; nothing else came into being."""
    before = shell.names()
    line = one_line(shell("anonymize", *words, "--out", "release"))
    assert shell.names() == before
    return line


FILES: dict[str, tuple[str | bytes | None, str]] = {
    "missing": (None, "there is no file input"),
    "empty": ("", "input is empty"),
    "only a byte order mark": ("\ufeff", "input is empty"),
    "binary": (bytes(range(256)) * 40, "binary"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(200), "input"),
    "a broken gzip": (b"\x1f\x8b\x08\x00\x00", "truncated"),
    "a broken Parquet": (b"PAR1" + bytes(40), "Parquet"),
    "a header only": ("user,query\n", "no rows"),
    "blank lines only": ("\n\n\n", "input"),
    "an array that ends too early": ('[{"user": 1,', "ends too early"),
    "an object instead of lines": ("{}", "JSON object per line"),
    "two columns of one name": ("user,user,query\n1,2,a\n", "several columns could be the user"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_cannot_be_used(data: Shell, name: str):
    content, said = FILES[name]
    if content is not None:
        data.file("input", content)
    line = refused(data, "input")
    assert "input" in line or "column" in line
    assert said in line
    assert line.endswith(")"), "no next step"


def test_an_empty_word_is_not_the_current_directory(data: Shell):
    assert "the name of a file is empty" in refused(data, "")


def test_a_column_whose_name_is_there_twice_is_named_by_its_number(data: Shell):
    data.file("twice.csv", "user,user,query\n1,2,a\n")
    assert "--user 1" in refused(data, "twice.csv", "--user", "user", "--text", "query")


def test_one_person_is_not_called_people(data: Shell):
    data.file("one.csv", "user,query\n1,milk\n1,bread\n")
    assert data("anonymize", "one.csv", "--out", "release").err.endswith(
        "a group needs 5 people, but the data has only 1 (lower k or use more data)\n"
    )


def test_an_output_below_a_file(data: Shell):
    line = one_line(data("anonymize", "log.tsv", "--out", "log.tsv/release"))
    assert "is a file, not a directory (choose another place)" in line


def test_a_directory(data: Shell):
    data.directory.joinpath("folder").mkdir()
    assert "folder contains no data files" in refused(data, "folder")


def test_a_header_without_the_needed_columns(data: Shell):
    data.file("visits.csv", "user,page\n1,a\n2,b\n")
    line = refused(data, "visits.csv", "--user", "user", "--text", "query")
    assert "no column 'query'; it has 'user', 'page'" in line


def test_a_first_line_that_may_be_data_is_not_quoted(data: Shell):
    data.file("people.csv", "anna,lost cat\nbert,lost dog\n")
    line = refused(data, "people.csv", "--user", "who", "--text", "what")
    assert "anna" not in line
    assert "cat" not in line
    data.file("people.jsonl", '{"anna": "lost cat"}\n{"bert": "lost dog"}\n')
    line = refused(data, "people.jsonl", "--user", "who", "--text", "what")
    assert "anna" not in line


PARAMETERS = {
    "k below 2": (["--k", "1"], "k must be at least 2, not 1"),
    "a negative k": (["--k", "-5"], "k must be at least 2"),
    "k larger than the number of people": (["--k", "41"], "a group needs 41 people, but the data has only 40"),
    "a very large k": (["--k", str(10**18)], "a group needs 1,000,000,000,000,000,000 people"),
    "k beyond every number": (["--k", str(10**30)], "k must be at most"),
    "k in floating point": (["--k", "1e18"], "k must be a whole number, not '1e18'"),
    "k that is no number": (["--k", "nan"], "k must be a whole number, not 'nan'"),
    "an empty k": (["--k", ""], "k must be a whole number"),
    "seconds that are no number": (["--seconds", "nan"], "seconds must be a number"),
    "a negative r": (["--method", "clump", "--r", "-3"], "r must be at least 1"),
    "r beyond every number": (["--method", "clump", "--r", "9" * 30], "r must be at most"),
    "an unknown method": (["--method", "clamp"], "no method is called 'clamp' (did you mean clump? available: shoal, clump"),
    "an option of another method": (["--method", "partition", "--r", "3"], "the method partition has no option --r (its options are --k"),
    "an unknown choice": (["--method", "clump", "--order", "up"], "order must be one of descending, ascending, random"),
    "an unknown option": (["--kk", "3"], "No such option: --kk; did you mean '--k'?"),
    "an unknown format": (["--format", "excel"], "'excel' is not one of"),
    "a gap that is none": (["--per", "session", "--gap", "soon"], "gap must be a duration"),
    "a gap of nothing": (["--per", "session", "--gap", "0m"], "gap must be a duration"),
    "a gap of ages": (["--per", "session", "--gap", "99999999999999d"], "gap must be a duration"),
    "a gap without sessions": (["--gap", "5m"], "--gap is for sessions"),
    "sessions of transactions": (["--per", "session"], "transactions have no sessions"),
    "no threads": (["--threads", "0"], "--threads"),
    "threads that are no number": (["--threads", "two"], "'two' is not a valid integer"),
    "a separator of two characters": (["--sep", "ab"], "a separator is one ASCII character, not 'ab'"),
    "an output separator of two characters": (["--to", "transactions", "--to-sep", "ab"], "a separator is one ASCII character"),
    "an output separator for Parquet": (["--to-sep", ";"], "--to-sep is for transaction lines"),
    "no taxonomy of that name": (["--taxonomy", "foot.csv"], "no taxonomy file at foot.csv"),
    "a directory as taxonomy": (["--taxonomy", "."], "is a directory"),
    "a fan-out of one": (["--taxonomy", "generated:1"], "at least 2, not '1'"),
    "a fan-out that is no number": (["--taxonomy", "generated:many"], "at least 2, not 'many'"),
    "terms that are to be refused": (["--taxonomy", "few.csv", "--unknown", "refuse"], "not in the taxonomy"),
    "both a text and an item column": (["--text", "a", "--item", "b"], "not both"),
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_parameter_that_cannot_be(data: Shell, name: str):
    data.file("few.csv", "child,parent\nApple,Food\nOrange,Food\n")
    words, said = PARAMETERS[name]
    assert said in refused(data, "baskets.txt", *words)


def test_sessions_of_a_log_without_times(data: Shell):
    data.file("notimes.csv", "user,query\n1,dog\n2,cat\n3,dog\n")
    assert "sessions need times" in refused(data, "notimes.csv", "--per", "session")


@pytest.mark.parametrize(
    ("content", "nodes"), [(CYCLE, ["A", "B", "C"]), (TWO_PARENTS, ["Apple", "Fruit", "Meat"]), (TWO_ROOTS, ["Fruit", "Meat"])]
)
def test_a_taxonomy_that_is_no_tree_names_the_nodes(data: Shell, content: str, nodes: list[str]):
    data.file("tree.csv", content)
    line = refused(data, "baskets.txt", "--taxonomy", "tree.csv")
    assert "tree.csv" in line
    assert all(repr(node) in line for node in nodes)
    assert one_line(data("taxonomy", "check", "tree.csv")) == line


def test_a_mistake_in_the_taxonomy_is_found_before_the_log_is_read(data: Shell):
    data.file("tree.csv", CYCLE)
    assert "cycle" in refused(data, "no-such-log", "--taxonomy", "tree.csv")


def test_strictness_refuses_a_malformed_row_by_its_line(data: Shell):
    data.file("rows.csv", "user,query,time\n1,dog,2006-03-01 10:00:00\n2,cat\n3,cat,2006-03-01 10:00:00\n")
    line = refused(data, "rows.csv", "--strict")
    assert "line 3" in line
    assert "cat" not in line


# -- where the release is to go


def test_no_output_directory_is_named(data: Shell):
    assert "--out" in one_line(data("anonymize", "baskets.txt"))


@pytest.mark.parametrize("out", ["baskets.txt", "baskets.txt/", "./baskets.txt"])
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_the_input_is_not_the_output(data: Shell, out: str, force: list[str]):
    before = (data.directory / "baskets.txt").read_bytes()
    line = one_line(data("anonymize", "baskets.txt", "--taxonomy", "food.csv", "--out", out, *force))
    assert "would replace the input baskets.txt" in line
    assert (data.directory / "baskets.txt").read_bytes() == before


def test_a_missing_parent_is_not_made(data: Shell):
    failed(data("anonymize", "baskets.txt", "--out", "a/b"), "no-such-directory")
    assert "a" not in data.names()


def test_an_existing_release_is_replaced_by_force_only(kitchen: Shell):
    command = ["anonymize", "baskets.txt", "--taxonomy", "food.csv", "--out", "release"]
    before = (kitchen.directory / "release" / "manifest.json").read_bytes()
    failed(kitchen(*command), "release-exists")
    assert (kitchen.directory / "release" / "manifest.json").read_bytes() == before
    assert kitchen(*command, "--force").code == 0
    assert {file.name for file in (kitchen.directory / "release").iterdir()} == {"records.parquet", "manifest.json", "report.html"}
    assert kitchen.names() == {"baskets.txt", "food.csv", "release"}


def test_force_does_not_replace_what_is_no_release(data: Shell):
    data.directory.joinpath("thesis").mkdir()
    data.file("thesis/chapter1.tex", "years of work")
    line = one_line(data("anonymize", "baskets.txt", "--taxonomy", "food.csv", "--out", "thesis", "--force"))
    assert "chapter1.tex" in line
    assert (data.directory / "thesis" / "chapter1.tex").read_text() == "years of work"


def test_a_failing_run_leaves_the_release_that_it_was_to_replace(kitchen: Shell):
    before = (kitchen.directory / "release" / "records.csv").read_bytes()
    one_line(kitchen("anonymize", "baskets.txt", "--taxonomy", "food.csv", "--out", "release", "--force", "--k", "100"))
    assert (kitchen.directory / "release" / "records.csv").read_bytes() == before


@pytest.mark.parametrize("out", ["out put/", "größe/ärger", "link", "./deep/../plain"])
def test_places_with_odd_names(data: Shell, out: str):
    (data.directory / "größe").mkdir()
    (data.directory / "deep").mkdir()
    (data.directory / "link").symlink_to("elsewhere")
    made = data("anonymize", "baskets.txt", "--taxonomy", "food.csv", "--out", out)
    assert made.code == 0, made.err
    assert (data.directory / out / "manifest.json").exists()
    assert data("audit", out).code == 0


def test_a_link_to_the_input_is_read(data: Shell):
    (data.directory / "my baskets").symlink_to("baskets.txt")
    assert data("anonymize", "my baskets", "--taxonomy", "food.csv", "--out", "release").code == 0


# -- what only another process can show


def as_nobody(directory: Path, *commands: list[str]) -> list[str]:
    """What each command says to a user without rights, after the same commands ran once so that all is loaded."""
    if os.getuid() != 0:
        pytest.skip("only root can become another user")
    program = textwrap.dedent(
        f"""
        import os, shutil, sys
        from shoal.cli.main import run
        run(["demo", "--out", "{directory}/not/there"])
        run(["generate", "{directory}/warm.tsv", "--users", "5"])
        run(["anonymize", "{directory}/warm.tsv", "--k", "2", "--out", "{directory}/warm"])
        shutil.rmtree("{directory}/warm")
        os.unlink("{directory}/warm.tsv")
        os.setgid(65534)
        os.setuid(65534)
        for words in {commands!r}:
            print("shoal says", flush=True)
            print(run(words), flush=True)
        """
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=directory, capture_output=True, env=clean_environment(), check=False)
    assert b"Traceback" not in done.stderr, done.stderr
    assert done.stdout.decode().split("shoal says\n")[1:] == ["1\n"] * len(commands), done.stderr
    return [line for line in done.stderr.decode().splitlines() if line.startswith("shoal: ")][-len(commands) :]


def test_files_and_places_without_permission():
    with tempfile.TemporaryDirectory() as name:  # pytest's own directories are closed to other users
        place = Path(name)
        place.chmod(0o755)
        (place / "log.tsv").write_text(query_log())
        (place / "secret.tsv").write_text(query_log())
        (place / "secret.tsv").chmod(0o000)
        reading = ["anonymize", "secret.tsv", "--out", f"{tempfile.gettempdir()}/never-made"]
        writing = ["anonymize", "log.tsv", "--out", "release"]
        lines = as_nobody(place, reading, writing, ["demo"], ["generate", "new.tsv", "--users", "10"])
        assert {entry.name for entry in place.iterdir()} == {"log.tsv", "secret.tsv"}
    assert "'secret.tsv' is not readable" in lines[0]
    assert "may not be written by this user" in lines[1]
    assert "may not be written by this user" in lines[2]
    assert "new.tsv cannot be written: Permission denied" in lines[3]


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_a_full_disk(data: Shell, form: str):
    """Simulated by a limit on the size of files, which fails like a full disk in the middle of a write."""
    program = textwrap.dedent(
        f"""
        import resource, signal, sys
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        from shoal.cli import main
        from shoal.io import release_directory as directory
        entered = directory.ReleaseDirectory.__enter__
        def limited(self):
            resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))
            return entered(self)
        directory.ReleaseDirectory.__enter__ = limited
        sys.exit(main.run(["anonymize", "baskets.txt", "--taxonomy", "food.csv", "--to", "{form}", "--out", "release"]))
        """
    )
    before = data.names()
    done = subprocess.run([sys.executable, "-c", program], cwd=data.directory, capture_output=True, env=clean_environment(), check=False)
    assert done.returncode == 1
    assert done.stdout == b""
    last_line(done.stderr.decode())
    assert b"the disk is full" in done.stderr
    assert data.names() == before


def test_a_full_disk_while_generating(shell: Shell):
    program = textwrap.dedent(
        """
        import resource, signal, sys
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        from shoal.cli.main import run
        resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))
        sys.exit(run(["generate", "new.tsv", "--users", "50"]))
        """
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=shell.directory, capture_output=True, env=clean_environment(), check=False)
    assert done.returncode == 1
    assert b"the disk is full" in done.stderr
    last_line(done.stderr.decode())
    assert shell.names() == set()


def test_an_argument_that_is_typed_as_an_option_is_named(shell: Shell) -> None:
    """`audit` takes --original, `attack` an argument of this name."""
    answer = shell("attack", "release", "--original", "input")
    assert answer.code == 1 and "it is an argument: shoal attack ORIGINAL RELEASE" in answer.err
