"""Reuse of recoding rules: the rules stored with a release, their method, and their verification by an audit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.data.bags import Bags, stacked
from shoal.data.claims import Verdict, verified_if
from shoal.data.item_costs import ItemCosts
from shoal.data.items import Items, ItemWeights
from shoal.data.personal_items import PersonalItems
from shoal.data.recoding_rules import Rules, digest_of_taxonomy, published_parents
from shoal.data.release import Release
from shoal.errors import InputError, ParameterError, option
from shoal.io.read.parameter_files import with_files_read
from shoal.io.rules_file import PARENTS, RULES, RulesFile, read_rules
from shoal.methods import METHODS, Method
from shoal.methods.bases.recoding import RecodingMethod
from shoal.parameters import Param
from shoal.pipeline.options import AS_TYPED, PATHS, is_generated, is_topics, taxonomy_label
from shoal.pipeline.prepare import Prepared
from shoal.privacy.evidence.equivalence_classes import identical_records
from shoal.taxonomy.place_terms import UNLISTED
from shoal.util.wording import counted

NOT_COMPARED = f"not checked without the original: which names of {RULES} are nodes, and {PARENTS}"
ONLY_DESCRIBED = (Items, ItemCosts, ItemWeights, PersonalItems)  # parameters of which a file of rules has a description only


def rules_file(rules: Rules, release: Release, prepared: Prepared) -> RulesFile:
    """Return the rules of a release to be written next to the records."""
    original = prepared.records
    label = taxonomy_label(prepared.preparation.taxonomy) if original.on_taxonomy else None
    parents = published_parents(rules.names, original.tree) if original.on_taxonomy else {}
    return RulesFile(rules, release.method, release.parameters, label, parents)


def ruled_method(rules: RulesFile, typed: Mapping[str, Any]) -> RecodingMethod:
    """Return the method of a rules file with its parameters. Typed parameters must agree; items and weights must be given again."""
    kind, parameters = METHODS[rules.method], dict(rules.parameters)
    if not issubclass(kind, RecodingMethod) or not kind.one_recoding:
        raise InputError(
            f"the method {rules.method} does not recode items globally, so it has no rules",
            code="rules-not-applicable",
        )
    known = {declared.name: declared for declared in kind.parameters()}
    if known.keys() != parameters.keys():
        raise InputError(f"the rules name other parameters than the method {rules.method} takes", code="rules-not-applicable")
    for name in typed.keys() - known.keys():
        if typed[name] is not None:
            raise ParameterError(f"the method {rules.method} has no parameter {name}", code="unknown-option")
    return with_files_read(kind(**{name: _agreed(declared, parameters[name], typed.get(name)) for name, declared in known.items()}))


def _agreed(declared: Param, recorded: Any, requested: Any) -> Any:
    """Return the value of a parameter that the rules and possibly the user specify."""
    value, name = declared.parse(requested) if isinstance(requested, str) else requested, declared.name.replace("_", "-")
    if declared.type in ONLY_DESCRIBED:
        if recorded is not None and value is None:
            raise ParameterError(
                f"the rules were made with a value of {name}, which a file of rules does not contain",
                code="rules-conflict",
                hint=f"give {option(name)}",
            )
        return value
    if value is not None and declared.check(value) != recorded:
        raise ParameterError(
            f"the rules were made with {name}={recorded}, not {value}", code="rules-conflict", hint=f"leave {option(name)} out"
        )
    return recorded


def method_under(rules: RulesFile, requested: Method | str | None, typed: Mapping[str, Any]) -> RecodingMethod:
    """Do the same for a method requested in Python by name or as an object, which must be that of the rules."""
    own = requested.values() if isinstance(requested, Method) else {}
    _refuse_another(rules.method, requested.name if isinstance(requested, Method) else requested)
    return ruled_method(rules, {name: value for name, value in {**own, **typed}.items() if value is not None})


def named_method(path: str | Path, requested: str | None) -> str:
    """Return the method of the rules at a path. Raise if another one was requested."""
    method = read_rules(path).method
    METHODS[method]
    _refuse_another(method, requested)
    return method


def _refuse_another(method: str, requested: str | None) -> None:
    if requested is not None and requested != method:
        raise ParameterError(
            f"the rules belong to the method {method}, not to {requested}", code="rules-conflict", hint=f"leave {option('method')} out"
        )


def insist_on_taxonomy(file: RulesFile, prepared: Prepared) -> None:
    """Raise unless the rules fit the taxonomy of the records: it has their nodes, with the same published names above them.

    A generated taxonomy numbers the items of one data set, so its nodes mean something else in every other one.
    """
    original = prepared.records
    if file.taxonomy_sha256 is not None:
        _insist_on_digest(file, prepared)
        return
    if file.taxonomy is None and original.on_taxonomy:
        raise ParameterError(
            "the rules are for names as they are in the input, but the records are on a taxonomy",
            code="rules-taxonomy-differs",
            hint=f"leave {option('taxonomy')} out",
        )
    if file.taxonomy is not None and not original.on_taxonomy:
        raise ParameterError(
            f"the rules are for the items of a taxonomy ({file.taxonomy}), but the records have none",
            code="rules-taxonomy-differs",
            hint=f"give {option('taxonomy')}",
        )
    if file.taxonomy is None:
        return
    kind = taxonomy_label(prepared.preparation.taxonomy)
    if (is_generated(file.taxonomy) or is_topics(file.taxonomy)) and file.rules.nodes:
        raise ParameterError(
            "the rules are for a taxonomy that was made from data, whose nodes mean something else for other data",
            code="rules-taxonomy-differs",
            hint=f"make the first release with {option('taxonomy', placeholder='FILE')}; its rules can be used again",
        )
    assert prepared.taxonomy is not None
    whole = prepared.taxonomy
    listed = sorted(file.rules.names)
    known = {name for name, code in zip(listed, whole.names.codes(listed).tolist(), strict=True) if code >= 0}
    tree = original.tree
    # The node of unknown terms has another name if the data contains a term of this name.
    added = {UNLISTED} if tree.unlisted is None else {UNLISTED, tree.names[tree.unlisted]}
    missing = 0 if kind == file.taxonomy == PATHS else len(set(file.rules.nodes) - known - added)
    above = published_parents(known, whole)
    moved = sum(above.get(name) != file.parents.get(name) for name in known)
    if missing or moved:
        what = f"{counted(missing, 'node')} of the rules" if missing else f"{counted(moved, 'name')} of the rules"
        why = f"{what} not in it" if missing else f"{what} below another published name"
        raise ParameterError(
            f"the rules are for another taxonomy than this one: {why}",
            code="rules-taxonomy-differs",
            hint=f"they were made with {file.taxonomy}",
        )


def _insist_on_digest(file: RulesFile, prepared: Prepared) -> None:
    """Do the same for rules of an earlier version, which have a digest of their whole taxonomy."""
    original = prepared.records
    digest = digest_of_taxonomy(prepared.taxonomy) if original.on_taxonomy and prepared.taxonomy is not None else None
    if digest != file.taxonomy_sha256:
        raise ParameterError(
            f"the rules are for another taxonomy than this one: {file.taxonomy}, whose SHA-256 differs",
            code="rules-taxonomy-differs",
            hint="give that taxonomy; one that is made from the data, generated or paths, is another for other data",
        )


def reapplied(method: Method, prepared: Prepared, file: RulesFile) -> Release:
    """Apply the rules to these records and return the release."""
    insist_on_taxonomy(file, prepared)
    assert isinstance(method, RecodingMethod)
    release = method.reapply(prepared.records, file.rules)
    return release.noted("recoded with existing rules: nothing was chosen from these records")


def judge_rules(manifest: Mapping[str, Any], directory: Path, release: Release, prepared: Prepared | None) -> list[Verdict]:
    """Verify that the rules of a release are those of its manifest and yield what it publishes. With the original, also verify that they
    produce these records and that the published names are ordered as they state.
    """
    if RULES not in {file["name"] for file in manifest["files"]} or not (directory / RULES).exists():
        return []
    saved = read_rules(directory / RULES)
    broken = []
    if (saved.method, dict(saved.parameters)) != (manifest["method"], manifest["parameters"]):
        broken.append(f"{RULES} names another method or other parameters than the manifest")
    if (saved.version, saved.taxonomy) != (manifest["shoal"], _taxonomy_of(manifest)):
        broken.append(f"{RULES} names another version of shoal or another kind of taxonomy than the manifest")
    shown = frozenset(release.published.vocabulary.names.gather(sorted(set(release.published.items.tolist()))).to_list())
    if saved.rules.names != shown:
        broken.append(
            f"{RULES} names {len(saved.rules.names - shown):,} items that are not published, {len(shown - saved.rules.names):,} are missing"
        )
    if prepared is not None:
        broken += [*_remade(saved.rules, release, prepared), *_misplaced(saved, release, prepared)]
    notes = (NOT_COMPARED,) if prepared is None and saved.taxonomy is not None else ()
    return [Verdict("rules as published", verified_if(not broken), {"items": len(saved.rules.names)}, tuple(broken), notes)]


def _taxonomy_of(manifest: Mapping[str, Any]) -> str | None:
    """Return the kind of taxonomy of a release; None if its items are names as typed."""
    facts = manifest["input"]
    return None if facts.get("names") == AS_TYPED else facts.get("taxonomy")


def _misplaced(file: RulesFile, release: Release, prepared: Prepared) -> list[str]:
    """Return a fault if the original's taxonomy orders the published names differently, or has another digest."""
    original = prepared.records
    if original.foreign(release):
        return []
    if file.taxonomy_sha256 is not None:
        same = prepared.taxonomy is not None and digest_of_taxonomy(prepared.taxonomy) == file.taxonomy_sha256
        return [] if same else [f"{RULES} belongs to another taxonomy than that of the original: its SHA-256 differs"]
    above = published_parents(file.rules.names, original.tree) if original.on_taxonomy else {}
    wrong = sum(above.get(name) != file.parents.get(name) for name in above.keys() | file.parents.keys())
    return [f"{RULES} puts {counted(wrong, 'name')} below another published name than the taxonomy does"] if wrong else []


def _remade(rules: Rules, release: Release, prepared: Prepared) -> list[str]:
    """Return a fault if the rules produce other records from the original than those published."""
    original = prepared.records
    if original.foreign(release):
        return []
    records = original.bags.select(original.bags.lengths > 0)
    remade = records.relabelled(rules.code(original.tree), original.tree.names, as_sets=True)
    return [] if _alike(remade, original.aligned(release).published) else [f"{RULES} gives other records when applied to the original"]


def _alike(remade: Bags, read_back: Bags) -> bool:
    """Whether two lists of records over one vocabulary contain the same records with the same multiplicities."""
    if len(remade) != len(read_back):
        return False
    label = identical_records(stacked([remade, read_back]))
    return sorted(label[: len(remade)].tolist()) == sorted(label[len(remade) :].tolist())
