"""Large families of cases, of which a usual run takes a part: another part at every commit, and all of them with `--everything`."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from hypothesis import seed, settings

ROOT = Path(__file__).parents[2]
VARIABLE = "SHOAL_TEST_TURN"  # set once, so that all processes of a run take the same part

# Files whose tests are families of similar cases, and into how many parts they are divided. A file not named here runs in full every time.
ROTATING = {
    "tests/cluster/test_cluster_km.py": 6,
    "tests/api/test_given_taxonomies.py": 6,
    "tests/pipeline/test_honesty.py": 6,
    "tests/api/test_inputs.py": 6,
    "tests/pipeline/test_records_by_parts.py": 6,
    "tests/api/test_wrong_types.py": 6,
    "tests/attacks/test_sensitive_inference.py": 6,
    "tests/cli/test_absurd_values.py": 8,
    "tests/cli/test_accesslog_cli.py": 6,
    "tests/cli/test_accesslog_mdav_cli.py": 4,
    "tests/cli/test_audit_columns.py": 6,
    "tests/cli/test_audit_honest.py": 9,
    "tests/cli/test_bad_input.py": 6,
    "tests/cli/test_cahd_cli.py": 6,
    "tests/cli/test_completion.py": 6,
    "tests/cli/test_documents_cli.py": 6,
    "tests/cli/test_dp_queries_cli.py": 6,
    "tests/cli/test_encodings.py": 6,
    "tests/cli/test_field_tampering.py": 12,
    "tests/cli/test_file_honest.py": 6,
    "tests/cli/test_file_tampering.py": 9,
    "tests/cli/test_infrequent_cli.py": 6,
    "tests/cli/test_layouts.py": 6,
    "tests/cli/test_look.py": 6,
    "tests/cli/test_memory.py": 6,
    "tests/cli/test_method_options.py": 6,
    "tests/cli/test_microdata.py": 6,
    "tests/cli/test_no_guarantee.py": 6,
    "tests/cli/test_outputs_apart.py": 6,
    "tests/cli/test_pipes.py": 6,
    "tests/cli/test_privacy.py": 6,
    "tests/cli/test_read_again.py": 6,
    "tests/cli/test_reproducible.py": 6,
    "tests/cli/test_rules_cli.py": 6,
    "tests/cli/test_sensitive_cli.py": 6,
    "tests/cli/test_several_inputs.py": 6,
    "tests/cli/test_shapes.py": 6,
    "tests/cli/test_tampering.py": 9,
    "tests/cli/test_threshold_cli.py": 6,
    "tests/cli/test_topics.py": 6,
    "tests/cli/test_unlisted.py": 6,
    "tests/contract/test_access_methods.py": 6,
    "tests/contract/test_chunk_methods.py": 8,
    "tests/contract/test_document_methods.py": 6,
    "tests/contract/test_group_methods.py": 6,
    "tests/contract/test_methods.py": 9,
    "tests/contract/test_profile_methods.py": 6,
    "tests/contract/test_rows_contract.py": 6,
    "tests/contract/test_rows_methods.py": 6,
    "tests/contract/test_ssc_contract.py": 3,
    "tests/contract/test_table_methods.py": 6,
    "tests/contract/test_unguaranteed.py": 6,
    "tests/docs/test_docstrings.py": 6,
    "tests/docs/test_examples.py": 18,
    "tests/engines/test_engines.py": 6,
    "tests/engines/test_plan.py": 6,
    "tests/fuzz/test_fuzz.py": 3,
    "tests/fuzz/test_weakened.py": 6,
    "tests/fuzzers/test_fuzzers.py": 6,
    "tests/io/test_json_lines.py": 6,
    "tests/io/test_records.py": 6,
    "tests/io/test_tables.py": 6,
    "tests/leaks/test_pairs.py": 8,
    "tests/leaks/test_side_outputs.py": 6,
    "tests/methods/test_heavy_owners.py": 6,
    "tests/methods/test_owners.py": 6,
    "tests/methods/test_shoal.py": 6,
    "tests/methods/test_threshold_definition.py": 6,
    "tests/metrics/test_hidden_words.py": 6,
    "tests/papers/test_cahd.py": 3,
    "tests/papers/test_document_vectors.py": 6,
    "tests/papers/test_mdav_published.py": 6,
    "tests/papers/test_thesis.py": 6,
    "tests/parity/test_cuts.py": 2,
    "tests/parity/test_improve.py": 6,
    "tests/parity/test_itemset_kernels.py": 3,
    "tests/parity/test_mdav.py": 6,
    "tests/parity/test_senses.py": 3,
    "tests/parity/test_ssc.py": 6,
    "tests/pipeline/test_job.py": 6,
    "tests/privacy/test_differential_privacy.py": 6,
    "tests/privacy/test_mutations.py": 6,
    "tests/privacy/test_orders_recount.py": 3,
    "tests/privacy/test_support_recount.py": 4,
    "tests/privacy/test_threshold_mutations.py": 6,
    "tests/report/test_comparison_page.py": 6,
    "tests/report/test_page.py": 6,
    "tests/report/test_payloads.py": 6,
}

# Files whose tests each start a JVM, a cluster, processes or a long computation: of all their tests together a usual run takes one of so
# many parts.
IN_TURN = {
    "tests/io/test_trials.py": 3,
    "tests/noise/test_epsilon_audit.py": 4,
    "tests/papers/test_microaggregation_losses.py": 9,
    "tests/report/test_browser.py": 3,
    "tests/spark/test_failures.py": 3,
    "tests/spark/test_reading.py": 3,
    "tests/spark/test_spark.py": 5,
    "tests/spark/test_topics.py": 3,
    "tests/synthetic/test_querylog.py": 5,
}

# The same for several files together: a usual run takes one of so many parts of all their tests, so not every file has its turn.
TOGETHER = {
    (  # work in a copy of the sources
        "tests/docs/test_adding_a_kind.py",
        "tests/docs/test_adding_a_method.py",
    ): 9,
    (  # comparisons
        "tests/evaluate/test_compare_runs.py",
        "tests/api/test_evaluation.py",
        "tests/cli/test_compare.py",
        "tests/cli/test_expected_time.py",
    ): 20,
    (  # other commands, each many times
        "tests/cli/test_advise.py",
        "tests/cli/test_anonymize_attack.py",
        "tests/cli/test_attack.py",
        "tests/cli/test_attack_logs.py",
        "tests/cli/test_damaged_parquet.py",
        "tests/cli/test_disassociation_cli.py",
        "tests/cli/test_every_line.py",
        "tests/cli/test_in_fact.py",
        "tests/cli/test_little_kept.py",
        "tests/cli/test_patience.py",
        "tests/cli/test_reproduce.py",
        "tests/cli/test_sql_input.py",
        "tests/cli/test_streams.py",
    ): 8,
    (  # runs that are ended, or have a fault
        "tests/cli/test_interrupts.py",
        "tests/cli/test_killed.py",
        "tests/faults/test_faults.py",
    ): 5,
    (  # releases, counted in plain Python
        "tests/privacy/test_chunks_recount.py",
        "tests/privacy/test_classes_recount.py",
        "tests/privacy/test_people_recount.py",
    ): 3,
    (  # a server, and often a browser
        "tests/studio/test_browser.py",
        "tests/studio/test_compare_page.py",
        "tests/studio/test_hostile_files.py",
        "tests/studio/test_path.py",
        "tests/studio/test_processes.py",
        "tests/studio/test_release_attacks.py",
        "tests/studio/test_wire_attacks.py",
    ): 16,
    (  # whole runs, most of them on a cluster of their own
        "tests/spark/test_backend.py",
        "tests/spark/test_cluster.py",
        "tests/spark/test_killed_runs.py",
    ): 15,
    (  # methods on Spark
        "tests/spark/test_from_below.py",
        "tests/spark/test_itemsets.py",
        "tests/spark/test_noisy_counts.py",
        "tests/spark/test_thresholds.py",
    ): 15,
}
TURNS = {(file,): parts for file, parts in IN_TURN.items()} | TOGETHER

# Files with one expensive fixture for all their tests, which run in full at one of so many turns and are skipped at the others.
WHOLE = {
    "tests/docs/test_site.py": 6,  # links of the pages themselves are tested in every run
}

# Of the random examples of a property a usual run draws one in so many, other ones at every commit, and never fewer than these.
EXAMPLES, FEWEST = 4, 10
SETTINGS = "_hypothesis_internal_use_settings"  # where Hypothesis keeps those of a test


class Case(Protocol):
    """A test case, as far as the selection needs it."""

    nodeid: str


AnyCase = TypeVar("AnyCase", bound=Case)


class Split(NamedTuple):
    """The number of a part, counted from 0, and how many parts there are."""

    turn: int
    parts: int

    def of(self, cases: Sequence[AnyCase]) -> list[AnyCase]:
        """This part of the cases of one test, at least one. All parts together are all cases."""
        mixed = sorted(cases, key=lambda case: (zlib.crc32(case.nodeid.encode()), case.nodeid))
        parts = min(self.parts, len(mixed))
        return mixed[self.turn % parts :: parts] if parts else []


def current_turn() -> int:
    """The number of this run: from the environment, else from the commit, else (outside a repository) from the day."""
    if told := os.environ.get(VARIABLE):
        return int(told)
    if (ROOT / ".git").exists() and shutil.which("git"):
        found = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
        if found.returncode == 0:
            return int(found.stdout[:7], 16)
    return int(time.time() // 86400)


def chosen(items: Iterable[AnyCase], turn: int) -> list[AnyCase]:
    """The tests of a usual run, in their order: parts of each test of `ROTATING`, of all tests of files in turn, and everything else."""
    items = list(items)
    in_turn = {file: (" ".join(files), parts) for files, parts in TURNS.items() for file in files}
    families: dict[tuple[str, int], list[AnyCase]] = defaultdict(list)
    for item in items:
        file, _, name = item.nodeid.partition("::")
        if file in ROTATING:
            families[f"{file}::{name.split('[')[0]}", ROTATING[file]].append(item)
        elif file in in_turn:
            families[in_turn[file]].append(item)
    left_out: set[str] = set()
    for (_, parts), cases in families.items():
        left_out |= {case.nodeid for case in cases} - {case.nodeid for case in Split(turn, parts).of(cases)}
    return [item for item in items if item.nodeid not in left_out]


def waiting(items: Iterable[AnyCase], turn: int) -> list[AnyCase]:
    """The tests of files of `WHOLE` that have their turn at other commits."""
    files = {file for file, parts in WHOLE.items() if turn % parts}
    return [item for item in items if item.nodeid.partition("::")[0] in files]


def fewer_examples(tests: Iterable[Any]) -> None:
    """Let tests of Hypothesis draw the examples of a usual run."""
    drawing = {id(test): test for test in tests if hasattr(test, SETTINGS)}  # cases of one test share it
    for test in drawing.values():
        found: settings = getattr(test, SETTINGS)
        share = min(found.max_examples, max(FEWEST, found.max_examples // EXAMPLES))
        setattr(test, SETTINGS, settings(found, max_examples=share))


def draw_examples_of_the_turn(case: Case, turn: int) -> None:
    """Let a test of Hypothesis draw the same random examples in each run of this turn, and others in the next; cases of one test differ."""
    test = getattr(case, "obj", None)
    if hasattr(test, SETTINGS):
        seed(zlib.crc32(f"{turn} {case.nodeid}".encode()))(test)
