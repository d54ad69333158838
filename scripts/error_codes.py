"""Write docs/errors.md: every code that an error of shoal can have, read from the sources, with its class, exit code and meaning.

Usage: python scripts/error_codes.py
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from shoal import errors

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "shoal"
PAGE = ROOT / "docs" / "errors.md"
CLASSES = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, errors.ShoalError)}
CHOSEN_BY_CALLER = {"error": ("InputError", "TaxonomyError"), "kind": ()}  # classes that are in a variable where the error is made

MEANINGS = {
    "accounting-incomplete": "The release does not account for all that it was made from.",
    "accounting-not-recorded": "The metric needs the account of all occurrences, which release files do not contain.",
    "accounting-unbalanced": "The counts of what was published, changed and withheld do not add up.",
    "address-outside-network": "A published access log has an address outside 10.0.0.0/8.",
    "all-weights-zero": "At least one weight must be positive.",
    "ambiguous-column": "Several columns could have a role; name one.",
    "ambiguous-floor": "A number is both a level and the name of a node of the taxonomy.",
    "ambiguous-method": "The command line does not show which method is meant.",
    "attack-breaks-guarantee": "Attack results are exact numbers about the original, which would break the guarantee of this method.",
    "attack-not-applicable": "This kind of release or input cannot be attacked.",
    "attack-succeeds": "An attack on the release succeeded more often than its guarantee allows. Nothing was written.",
    "byte-order-unknown": "The text may be UTF-16, but no byte order mark says so; name the encoding.",
    "cancelled": "The run was cancelled by whoever started it. Nothing is left behind.",
    "cannot-listen": "The studio cannot listen on this address or port.",
    "claim-fails": "The release does not have a property that it claims. Nothing was written.",
    "claim-mismatch": "The given items are not those of the claim: their SHA-256 differs.",
    "claim-names-items": "A claim is published and must not name items.",
    "claim-not-applicable": "The claim is not about this kind of table, or cannot be made for another method.",
    "claim-not-verified": "A claim cannot be verified, or takes too long to verify, so it does not count as verified.",
    "cluster-result-inconsistent": "Workers of the cluster returned items that are not in the taxonomy of all records.",
    "column-name-taken": "A column of the log has the name of a column that the method publishes.",
    "column-not-claimed": "The release has a column that no claim covers.",
    "column-role-conflict": "A column cannot have two roles.",
    "column-role-missing": "Columns of microdata have no role; name each as quasi-identifier, nominal, to keep or to drop.",
    "columns-differ": "A file of the release has other columns, or another layout, than declared.",
    "compressed-parquet": "The file is Parquet inside another compression; unpack it first.",
    "damaged-file": "The file is damaged and cannot be read.",
    "data-sets-missing": "The directory has none of the data sets of the experiment.",
    "database-connection-lost": "The connection to the database was lost before all rows had arrived. Nothing was written.",
    "database-login-refused": "The database server refuses the user, the password or the database.",
    "database-not-reached": "The database server cannot be reached, or its address is not valid.",
    "defective-rows": "Rows cannot be read, and none may be skipped.",
    "directory-has-other-files": "The output directory contains files that shoal did not write.",
    "directory-not-empty": "The output directory is not empty.",
    "disk-full": "The disk is full. Nothing was written.",
    "duplicate-column": "A column is named twice, or two columns have the same name.",
    "duplicate-item": "An item occurs twice where each may occur once.",
    "duplicate-key": "A key is given twice.",
    "duplicate-table": "The manifest lists tables of two kinds under one name.",
    "empty-directory": "The directory has no files.",
    "empty-input": "The input is empty.",
    "empty-list": "The option needs at least one name.",
    "empty-name": "A node of a taxonomy needs a name in one line.",
    "empty-path": "A path must not be empty.",
    "empty-query": "The SQL query is empty.",
    "encoding-conflict": "The byte order mark of a file names another encoding than the option.",
    "encrypted-archive": "The zip archive is encrypted.",
    "exposed-by-earlier-release": "Together with an earlier release, the new one exposes queries or people. Nothing was written.",
    "file-changed": "The file changed while it was read.",
    "file-not-found": "There is no such file.",
    "file-not-opened": "A claim of a manifest names a file, which is not opened for safety.",
    "file-not-read": "A file of items, weights or keys was named but not read.",
    "files-differ-from-release": "The written files do not contain the release. Nothing was kept.",
    "files-not-alike": "The input files do not have the same columns or format.",
    "generated-names-disclose": "Names in a generated taxonomy contain numbers of items, which the guarantee does not allow.",
    "goal-not-applicable": "The data is not of a kind that this goal is for.",
    "groups-not-possible": "The records cannot be divided into groups of the required size.",
    "guarantees-nothing": "The method has no privacy guarantee and runs only with consent.",
    "header-repeated": "On a cluster, a header is repeated inside a file or is missing from one.",
    "header-unclear": "The first line may be a header or data.",
    "incomplete-task-file": "A file that a task of the cluster wrote is incomplete. Nothing was written.",
    "input-named-twice": "An input file is named twice, or with a compressed copy of itself.",
    "input-read-once": "The input can be read only once, so it cannot be tried again.",
    "inside-a-release": "The output would be inside a release directory.",
    "invalid-column-names": "A header leaves a column without a name, or gives two columns the same name.",
    "invalid-counts": "Counts must be positive numbers.",
    "invalid-description": "A manifest describes a parameter in a form that is not known.",
    "invalid-distances": "A space returned distances that are negative, missing or not finite.",
    "invalid-hierarchy": "The hierarchy of a column is not valid.",
    "invalid-json": "The file is not valid JSON.",
    "invalid-key-length": "The key is too short or too long.",
    "invalid-levels": "Levels must be two or more different values or columns.",
    "invalid-log": "A log needs one value per row in the columns `owner` (the user), `time` and `payload`.",
    "invalid-microdata": "A quasi-identifier has values that are missing or not allowed.",
    "invalid-records": "Records contain numbers that are not allowed.",
    "invalid-separator": "The separator is not usable here.",
    "invalid-table": "A published table does not have the required columns and values.",
    "invalid-taxonomy": "The taxonomy is not valid.",
    "invalid-toml": "The config file is not valid TOML.",
    "item-names-not-unique": "Two items of the items table have one name even with their keys.",
    "item-role-conflict": "Items are named both public and private.",
    "items-above-floor": "Items above the floor cannot be suppressed because they are not public.",
    "items-key-unclear": "Several columns of the items table may have the items, or the only one has few of them; name it.",
    "items-levels-unclear": "The levels of the items table cannot be distinguished from its other columns; name them.",
    "items-like-topics": "Items contain what separates the words in names of topics, so names and items could not be distinguished.",
    "items-name-unclear": "Several columns of the items table may have the names of the items; name one.",
    "items-not-found": "No column of the items table contains an item of the data.",
    "items-not-in-data": "Named items are not in the data.",
    "items-not-named": "Items are needed, but none are named.",
    "items-table-not-located": "The release was made with an items table, whose file the manifest does not name.",
    "lazy-query-failed": "The query of a lazy frame failed.",
    "lengths-differ": "Columns or users do not have one value for each record.",
    "levels-not-named": "It is not clear which columns of the frame are the levels of the taxonomy.",
    "levels-not-ordered": "Levels of the items table are named from fine to coarse, but one has more groups than the one below it.",
    "levels-without-frame": "Levels name columns of a frame, but the taxonomy is not a frame.",
    "links-line-invalid": "A line of the file of links between pages does not have two pages.",
    "links-not-located": "Visitors were separated by links from a file, which must be named.",
    "line-too-long": "A line of the file is too long.",
    "link-out-of-directory": "A link in an input directory leads out of it.",
    "manifest-invalid": "The manifest does not match its schema.",
    "mapping-not-recorded": "The mapping from records to published records is needed, but release files do not contain it.",
    "memory-too-small": "The memory limit is too small for this input.",
    "method-contract-broken": "The method did not do what it declares. Nothing was written.",
    "metric-not-applicable": "The metric is not defined for this release.",
    "metrics-not-recorded": "The metric is not recorded in the release.",
    "missing-argument": "A required argument is missing.",
    "missing-column": "A required column is missing.",
    "missing-hierarchy": "The column has no hierarchy.",
    "missing-package": "An optional package is needed and not installed.",
    "missing-part": "A table of several files lacks one of them.",
    "missing-pseudonym-column": "The manifest names no pseudonym column for the profiles.",
    "missing-record-column": "The rows do not name the record they belong to.",
    "missing-times": "Times are needed, but the log has none.",
    "missing-user": "Rows do not name the user they belong to.",
    "missing-user-column": "No column with the user ID was found.",
    "missing-value": "A field of a form is empty.",
    "mixed-log-formats": "The file mixes lines in the common and in the combined log format.",
    "mixed-values": "A column has values of several types.",
    "names-changed": "The method publishes names as they are in the input, but they were normalized before it.",
    "needs-records": "This is counted on data, but only a taxonomy is given.",
    "needs-taxonomy": "A taxonomy is needed.",
    "nested-directory": "An input directory contains directories, which may contain data too.",
    "nested-too-deeply": "The file is nested too deeply.",
    "nested-values": "A column has lists where single values are needed.",
    "no-claims": "The release claims nothing.",
    "no-conversations": "The file has no conversations in a known format.",
    "no-items": "There are no items to build a taxonomy from.",
    "no-numeric-column": "The table has no numeric column to protect.",
    "no-paths": "No item is a path with slashes.",
    "no-records": "There are no records to compare with.",
    "no-referrers": "No line of the access log has a referrer.",
    "no-rules-file": "The release directory has no file of rules.",
    "no-standard-input": "There is no standard input.",
    "no-such-directory": "The directory does not exist.",
    "no-usable-rows": "The input has no usable rows.",
    "no-user-ids": "The input has no user IDs, which are needed to look up people.",
    "no-workers": "The cluster has no workers.",
    "nodes-above-floor": "The release contains nodes above the floor. Nothing was written.",
    "not-a-directory": "The path is not a directory.",
    "not-a-duckdb-database": "The file is not a DuckDB database, or is open in another program.",
    "not-a-regular-file": "The path is a pipe or a device, not a file.",
    "not-a-release": "The path is not a release directory of shoal.",
    "not-a-rules-file": "The file is not a file of rules, or is damaged.",
    "not-an-access-log": "The file is not an access log, or has lines that are not.",
    "not-finite": "The value must be a finite number.",
    "not-json-lines": "The file has neither one JSON object per line nor an array of objects.",
    "not-local": "The address would let other machines reach the studio.",
    "not-numeric": "A numeric column is needed.",
    "not-on-a-cluster": "This runs on one machine only.",
    "not-open-for-writing": "The release directory is not open for writing.",
    "not-plain-text": "The file is not plain text.",
    "not-utf8": "The text is not valid UTF-8.",
    "not-writable": "The output cannot be written.",
    "nothing-to-compare": "No method is left to compare.",
    "nothing-to-decode": "Releases of this method are not encoded.",
    "nothing-to-learn": "Too few words of enough people occur together, so no topics can be learned.",
    "nothing-to-publish": "With these parameters nothing is left to publish.",
    "number-too-large": "The numbers are too large for exact noise.",
    "one-row-per-person": "People have several rows, and one row for each is needed.",
    "option-not-applicable": "The option has no meaning for this input, method or command.",
    "options-conflict": "Two options contradict one another.",
    "order-not-named": "The values of a column are not numbers, so a claim must name their order.",
    "out-of-range": "The value is outside its range.",
    "output-exists": "The output file exists.",
    "output-format-not-applicable": "The output format cannot represent this kind of table.",
    "output-is-a-directory": "The output path is a directory.",
    "output-is-a-file": "The output directory exists as a file.",
    "output-not-a-directory": "The output is a directory, but its name is that of a file.",
    "output-replaces-input": "The output would replace an input.",
    "outside-root": "The path is outside the root folder of the studio, or does not exist.",
    "parquet-from-standard-input": "Parquet cannot be read from standard input.",
    "path-is-a-directory": "A file is needed, but the path is a directory.",
    "people-not-confirmed": "In the studio, it was not confirmed who the people are.",
    "people-not-in-data": "People who are named are not in the data.",
    "process-not-started": "A worker process could not be started.",
    "records-already-read": "The rows already belong to records.",
    "release-altered": "The release was changed after it was written.",
    "release-exists": "The release directory exists.",
    "release-not-of-original": "The release does not belong to this original.",
    "releases-not-comparable": "The releases publish different kinds of records or make different guarantees.",
    "repeated-items": "The method takes sets, but records repeat items.",
    "report-not-possible": "There is no report for these tables.",
    "reserved-item-name": "Items end in a suffix that is reserved on a cluster.",
    "rules-conflict": "The options differ from those that the rules were found with.",
    "rules-not-applicable": "The method has no rules, or others than the file.",
    "rules-taxonomy-differs": "The rules belong to another taxonomy.",
    "sensitive-item-too-frequent": "A sensitive item is too frequent for the guarantee.",
    "several-formats": "An input directory has files of several formats; name those that are meant.",
    "several-sheets": "The workbook has several sheets; one is read.",
    "several-users-per-record": "A record names several users.",
    "several-zip-members": "A zip archive must contain exactly one file.",
    "spark-failed": "Spark failed; the log of the cluster has the details.",
    "sql-column-missing": "The query names a column that the database does not have, or combines types that do not fit.",
    "sql-failed": "The query failed while it ran.",
    "sql-file-unreadable": "The query reads a file that is missing or not of its format.",
    "sql-not-a-select": "The query is not one SELECT.",
    "sql-not-permitted": "The database does not permit the query, or it would change something.",
    "sql-out-of-memory": "The query needs more memory than it may take.",
    "sql-syntax": "The query is not valid SQL for the database.",
    "sql-table-missing": "The query names a table, view or function that the database does not have.",
    "table-among-documents": "A directory of documents contains a table.",
    "task-failed": "A task of the cluster failed unexpectedly.",
    "taxonomy-cycle": "The taxonomy has a cycle.",
    "taxonomy-does-not-fit": "The taxonomy contains too few of the items.",
    "taxonomy-json-ld": "The taxonomy is JSON-LD, which is not read; Turtle and RDF/XML are.",
    "taxonomy-label-invalid": "A label of the taxonomy is not allowed.",
    "taxonomy-line-invalid": "A line of the taxonomy cannot be read.",
    "taxonomy-mismatch": "The records do not belong to this taxonomy.",
    "taxonomy-name-taken": "Another node of the taxonomy has this name.",
    "taxonomy-needs-data": "This taxonomy is made from data, but there is none here.",
    "taxonomy-not-located": "The release was made with a taxonomy from a file, which must be named.",
    "taxonomy-not-nested": "The dictionary does not contain nested names.",
    "taxonomy-parent-missing": "A parent is not a node itself.",
    "taxonomy-root-fixed": "The root of a taxonomy cannot be moved.",
    "taxonomy-several-roots": "A taxonomy has one root.",
    "taxonomy-two-parents": "A node has two parents.",
    "terms-not-in-taxonomy": "Terms are not in the taxonomy.",
    "too-few-documents": "The file has too few documents for the experiment.",
    "too-few-items": "A taxonomy has two or more items.",
    "limits-impossible": "No groups within the limits exist.",
    "groups-alike": "Groups would be published with the same values, and exceed a limit together.",
    "too-few-people": "There are fewer people than the guarantee or the experiment needs.",
    "too-few-values": "The table has fewer sensitive values than are asked for.",
    "too-many-addresses": "There are more visitors than private addresses.",
    "too-many-cuts": "There are too many cuts of the taxonomy for an exhaustive search.",
    "too-many-decimals": "The number has too many decimals.",
    "too-many-itemsets": "There are too many sets of items to count.",
    "too-many-pairs": "More pairs of queries are similar than fit into memory.",
    "too-many-malformed-rows": "More rows are malformed than allowed.",
    "too-many-nodes": "The taxonomy has more nodes than the studio edits.",
    "too-many-occurrences": "There are too many occurrences to score exactly.",
    "too-many-people": "There are more people than the weights are exact for.",
    "too-many-values": "There are too many different values, windows and people to count together.",
    "too-much-memory": "Verification needs more memory than allowed.",
    "too-much-work": "Verification takes more steps than the patience allows.",
    "taxonomy-not-public": "The guarantee needs a taxonomy that does not depend on the data, but this one is made from it.",
    "topics-disclose": "Topics that are learned from the data disclose more than the guarantee allows, or cannot be verified here.",
    "truncated-file": "The compressed data ends too early.",
    "unit-not-in-input": "The input has no values of the unit to count.",
    "unknown-account": "There is no account of that name.",
    "unknown-attack": "There is no attack of that name.",
    "unknown-choice": "The value is not one of those that the option takes.",
    "unknown-column": "There is no column of that name.",
    "unknown-completion": "The completion variable names an unknown shell or action.",
    "unknown-config-key": "The config file has a key that is not an option of the command.",
    "unknown-database": "Queries are sent to DuckDB or PostgreSQL only.",
    "unknown-encoding": "There is no encoding of that name.",
    "unknown-format": "There is no input format of that name.",
    "unknown-kind-of-table": "There is no kind of table of that name.",
    "unknown-layout": "There is no layout of that name.",
    "unknown-level": "The items table has no such level.",
    "unknown-method": "There is no method of that name.",
    "unknown-metric": "There is no metric of that name.",
    "unknown-model": "There is no privacy model of that name.",
    "unknown-name": "There is nothing of that name.",
    "unknown-node": "The taxonomy has no such node.",
    "unknown-node-loss": "There is no loss function of that name.",
    "unknown-option": "There is no option or parameter of that name.",
    "unknown-output-format": "There is no output format of that name.",
    "unknown-paper": "There is no experiment for that paper.",
    "unknown-preset": "The method has no preset of that name.",
    "unknown-release-format": "The format of the release file is not known.",
    "unknown-table": "The release has no table of that name, or has several.",
    "unknown-taxonomy-form": "There is no taxonomy format of that name.",
    "unpublishable-column": "The type of the column cannot be published unchanged.",
    "unreadable-directory": "The directory cannot be read.",
    "unreadable-file": "The file cannot be read.",
    "unreadable-header": "The first line cannot be read.",
    "unreadable-line": "A line of the file cannot be read.",
    "unreadable-value": "The text of the value cannot be parsed.",
    "unrecognized-input": "The format of the input was not recognized.",
    "unsupported-column-type": "A column of the query has a type that cannot be read.",
    "unsupported-data": "Data of this type cannot be read.",
    "unsupported-line-ends": "The file ends its lines with carriage returns alone.",
    "user-column-unclear": "A column may contain user IDs; give its role.",
    "user-spelling-unclear": "User IDs differ only in spelling; specify whether they are the same person.",
    "users-next-to-lists": "The input has lists of items and user IDs next to them.",
    "value-not-listed": "Values of a column are not in the order or the tree that a claim names.",
    "value-not-writable": "The output format cannot represent a value.",
    "weights-missing": "Public items have no weight.",
    "weights-too-different": "The weights differ too much or have too many digits.",
    "withheld-without-floor": "Records are withheld although there is no floor. Nothing was written.",
    "worker-died": "A worker of the cluster ended in the middle of a task.",
    "workers-lost": "The cluster lost workers too often.",
    "wrong-column-type": "A column has values of the wrong type.",
    "wrong-encoding": "The file has bytes that are not text in its encoding.",
    "wrong-kind-of-input": "The method or experiment needs another kind of input.",
    "wrong-kind-of-original": "The release is compared with an original of another kind.",
    "wrong-kind-of-table": "The release has another kind of table.",
    "wrong-type": "The value has the wrong type.",
    "xml-entities": "The XML declares entities, which are not expanded.",
}


class Site(NamedTuple):
    """A place where an error is made."""

    file: str
    line: int
    classes: tuple[str, ...]
    code: str | None  # None where it is taken over from another error


def sites() -> Iterator[Site]:
    """Every place in the package where an error of shoal is made; the code is empty where none is given."""
    for file in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(file.read_text("utf-8"))
        tables = _tables(tree)
        for node in ast.walk(tree):
            classes = _classes(node)
            if classes is not None and isinstance(node, ast.Call):
                code_node = next((keyword.value for keyword in node.keywords if keyword.arg == "code"), None)
                for code in _codes(code_node, tables):
                    yield Site(str(file.relative_to(PACKAGE)), node.lineno, classes, code)


def _classes(node: ast.AST) -> tuple[str, ...] | None:
    if not isinstance(node, ast.Call) or not node.args:
        return None
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name in CLASSES:
        return (name,)
    if name in CHOSEN_BY_CALLER and any(keyword.arg in {"code", "hint"} for keyword in node.keywords):
        return CHOSEN_BY_CALLER[name]
    return None


def _tables(tree: ast.Module) -> dict[str, list[str]]:
    """Dictionaries of codes at the top of a module, by name."""
    return {
        target.id: [value.value for value in node.value.values if isinstance(value, ast.Constant) and isinstance(value.value, str)]
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _codes(code_node: ast.expr | None, tables: dict[str, list[str]]) -> list[str | None]:
    if isinstance(code_node, ast.Constant) and isinstance(code_node.value, str):
        return [code_node.value]
    if isinstance(code_node, ast.Attribute) and code_node.attr == "code":  # of an error that is quoted
        return [None]
    if isinstance(code_node, ast.Subscript) and ast.unparse(code_node) == 'found["code"]'.replace('"', "'"):  # of an error on a worker
        return ["task-failed"]
    if isinstance(code_node, ast.Call) and isinstance(code_node.func, ast.Attribute) and isinstance(code_node.func.value, ast.Name):
        otherwise = code_node.args[1] if len(code_node.args) > 1 else None
        return [*tables.get(code_node.func.value.id, []), *_codes(otherwise, {})]
    return [""]


def page(found: Iterable[Site]) -> str:
    """The text of docs/errors.md for these places."""
    classes: dict[str, set[str]] = {}
    for site in found:
        if site.code:
            classes.setdefault(site.code, set()).update(site.classes or ("ShoalError",))
    rows = [
        f"| `{code}` | {', '.join(f'`{name}`' for name in sorted(names))} | {_exit_codes(names)} | {MEANINGS.get(code, '')} |"
        for code, names in sorted(classes.items())
    ]
    return "\n".join([HEAD, *rows, ""])


def _exit_codes(names: set[str]) -> str:
    return ", ".join(map(str, sorted({CLASSES[name].exit_code for name in names})))


HEAD = """# Errors

Every error of shoal is a `shoal.ShoalError`. Its `code` names the problem and stays the same when the wording changes. `message` and `hint`
describe the problem and what to do about it, `options` names the options concerned, and `facts` has values that belong to the problem.
Programs should compare the class or the code, never the wording.

The command line prints the message and the hint as one line on the error stream and exits with the code of the third column: 1 for
a problem with the options, the input or the output, 3 where a guarantee does not hold or could not be verified. In both cases no release
is written.

`python scripts/error_codes.py` writes this table from the sources.

| code | class | exit | meaning |
|---|---|---|---|"""


if __name__ == "__main__":
    PAGE.write_text(page(sites()), "utf-8")
