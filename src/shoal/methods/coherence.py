"""(h,k,p)-coherence by suppressing public items everywhere (Xu, Wang, Fu and Yu, KDD'08).

Guarantee: an attacker who knows at most p public items of a person finds at least k people who have them, and no private item that more
than the share h of those have. Private items stay as they are, no item is invented, and every itemset that survives keeps its support.

All minimal moles are found level by level; then the item of the best score (moles removed per loss) is suppressed until no mole is left,
and items are put back, and one exchanged for several, while that loses less: no item that is suppressed could be published.
Time: that of mining the public itemsets up to size p with support k; the elimination and the exchanges are linear in the moles.

Where this deviates from the print, and why: sets of no record are no moles (Figure 4 counts them and suppresses needlessly); the empty
set is also a mole if there are fewer than k people (Theorem 1 forgets it); ties are broken by more moles, less loss, item order. Beyond
the print: the exchanges (`score` names the printed choices, which make none); `exact` finds the least loss by integer programming,
`generalize` replaces items by their parents where that loses less, and where a person owns several records support counts people. With
`costs`, moles are the sets that an attacker with the budget p can afford. With `private_of`, private items differ by person: moles are
searched in `itemsets/personal_moles.py`, and an item that is private for some people only may be suppressed as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import polars as pl

from shoal.data.bags import Bags, Ints, Small, Vocabulary
from shoal.data.claims import Model
from shoal.data.item_costs import ItemCosts, within_budget
from shoal.data.items import Items, ItemWeights
from shoal.data.original import Original
from shoal.data.personal_items import PersonalItems
from shoal.data.taxonomy import Taxonomy
from shoal.errors import Infeasible, ParameterError
from shoal.itemsets.generalize_moles import Recoding, lift
from shoal.itemsets.hitting_set import PAIRS, SCORES, Hitting, exact_hitting, greedy, hit_rare_pairs, improved
from shoal.itemsets.item_roles import parts_of, published_parts
from shoal.itemsets.itemset_support import OTHER, PRIVATE, PUBLIC, Moles, Parts, Power, minimal_moles
from shoal.itemsets.personal_moles import MoleSearch, PersonalRecords, Threat, Wishes, as_moles, minimal_threats
from shoal.methods.bases.recoding import Recoded, RecodingMethod, recoded_account
from shoal.parameters import param
from shoal.privacy.coherence import Coherence
from shoal.privacy.evidence.known_sets import MOST_KNOWN
from shoal.util.wording import counted, percent

BEST = "best"  # exchanges after the greedy choice; the other scores are the paper's


@dataclass(frozen=True)
class Cohesion(RecodingMethod):
    """Suppresses public items globally until no set of up to p of them identifies anyone or reveals a private item."""

    name = "coherence"
    paper = "Xu, Wang, Fu and Yu, KDD 2008"
    known_items = "p"
    worth_comparing = True

    h: float = param(0.4, minimum=0, maximum=1, help="largest share of people with a known set of items who have the same private item")
    k: int = param(5, minimum=2, help="minimum number of people per published record")
    p: int = param(2, minimum=1, maximum=MOST_KNOWN, help="number of public items known to an attacker")
    private: Items | None = param(None, help="private items, which must not be inferred")
    public: Items | None = param(None, help="items an attacker may know (default: all that are not private)")
    costs: ItemCosts | None = param(None, help="file with the cost of getting to know each item, where p is the budget (default: 1 each)")
    private_of: PersonalItems | None = param(
        None, help="file with a person and an item per line: items that are private for this person only"
    )
    score: str = param(
        BEST,
        choices=(BEST, *SCORES, "rmall"),
        help="choice of items to suppress: best found; or as in the paper: moles per loss, moles, least loss, all",
    )
    il: str = param("support", choices=("support", "1", "weights"), help="loss of suppressing an item")
    weights: ItemWeights | None = param(None, help="file with the loss of each item, for il=weights")
    exact: bool = param(False, help="find the minimum loss by integer programming")
    time_limit: float = param(60.0, minimum=0.001, help="seconds after which the exact search returns its best solution")
    generalize: bool = param(False, help="generalize items instead of suppressing them where that loses less")

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.il == "weights") != (self.weights is not None):
            raise ParameterError("il=weights and a file of weights go together", code="options-conflict", hint="give both or neither")
        if self.exact and (self.generalize or self.score == "rmall"):
            raise ParameterError(
                "the exact search supports suppression only", code="options-conflict", hint="leave out generalize and rmall"
            )
        if self.generalize and self.costs is not None:
            raise ParameterError("costs apply to items, not to categories", code="options-conflict", hint="leave out generalize")
        if self.generalize and self.private_of is not None:
            raise ParameterError(
                "private items that differ by person are items, not categories", code="options-conflict", hint="leave out generalize"
            )
        if self.generalize and self.score != BEST:
            raise ParameterError("generalize always chooses by moles per loss", code="options-conflict", hint="leave out score")

    @property
    def power(self) -> Power:
        """The attacker against whom it protects."""
        return Power(self.h, self.k, self.p)

    def claims(self) -> tuple[Model, ...]:
        """Claim coherence for the items as named here."""
        items = Coherence(h=self.h, k=self.k, p=self.p, private=self.private, public=self.public)
        return (replace(items, costs=self.costs, private_of=self.private_of),)

    @property
    def reads_names(self) -> bool:
        """Whether people are looked up: those who have private items of their own."""
        return self.private_of is not None

    @property
    def needs_taxonomy(self) -> bool:
        """Whether a taxonomy is needed: only for generalization."""
        return self.generalize

    @property
    def deterministic(self) -> bool:
        """Whether the result is deterministic: the exact search has a time limit."""
        return not self.exact

    def recode(self, records: Bags, original: Original) -> Recoded:
        """Find the minimal moles, choose items that remove them, and publish every record without these."""
        names = original.tree.names
        parts = parts_of(names, self.private, self.public, original.taxonomy)
        loss = self.losses(records, parts)
        general = _too_general(records, parts, original.tree)
        below = Recoding.identity(len(names)).suppressing(general).applied(records) if len(general) else records
        if self.generalize:
            lifted, notes = lift(below, original.tree, parts, loss, self.power, self._moles(below, records, parts))
            recoding = lifted.suppressing(general)
        else:
            chosen, occurring = self._chosen(below, records, parts, loss, original)
            recoding, notes = Recoding.identity(len(names)).suppressing(chosen.items), _notes(chosen, len(occurring))
        published = recoding.applied(records)
        outcomes = recoded_account(records, published, recoding.code[records.items])
        return Recoded(published, (self._claim(published, parts, recoding),), outcomes, tuple(notes), recoding.code)

    def _chosen(self, below: Bags, records: Bags, parts: Parts, loss: Ints, original: Original) -> tuple[Hitting, Ints]:
        """Return the items to suppress, and the public items that occur."""
        if self.private_of is not None:
            personal = PersonalRecords.of(below, parts, Wishes.of(self.private_of, original.people, original.bags))
            occurring = _occurring(records, personal.roles)
            return self.suppressed(self._personal_moles(personal), occurring, loss), occurring
        occurring = _occurring(records, parts)
        if self._hits_pairs(below, parts):
            return _without_list(hit_rare_pairs(below, self.k, self.p, loss), loss), occurring
        return self.suppressed(self._moles(below, records, parts), occurring, loss), occurring

    def _personal_moles(self, records: PersonalRecords) -> Moles:
        """Return the minimal sets of which an item must go; raises if nothing helps."""
        names = records.bags.vocabulary
        costs = [Fraction(1)] * len(names) if self.costs is None else costs_by_item(self.costs.exact, names)
        threats = minimal_threats(MoleSearch(records, self.power, costs).found())
        if threats and not threats[0].items:
            raise self._never_safe(threats[0])
        return as_moles(threats)

    def _never_safe(self, threat: Threat) -> Infeasible:
        """Return the error if a private item that is public for nobody is too frequent. There are at least k people."""
        share = threat.share or Fraction(1)
        enough = -(-share.numerator * 10_000 // share.denominator) / 10_000
        return Infeasible(
            f"no suppression gives coherence: an item that is private for all who have it belongs to {percent(float(share), 2)} of all, "
            f"more than h = {self.h:g}",
            code="sensitive-item-too-frequent",
            hint=f"with these private items one may exist for h of {enough:g} or more",
            value=float(share),
            limit=self.h,
        )

    def _moles(self, below: Bags, records: Bags, parts: Parts) -> Moles:
        """Return the minimal moles; raises where the empty set is one."""
        moles = minimal_moles(below, parts, self.power) if self.costs is None else self._affordable(below, parts)
        if len(moles) and not moles.sizes[0]:
            raise self._infeasible(moles, records, parts)
        return moles

    def _affordable(self, records: Bags, parts: Parts) -> Moles:
        """Return the minimal moles that the budget covers. Every mole within the budget contains a minimal one, which costs no more."""
        assert self.costs is not None
        costs = self.costs.exact
        of_item = costs_by_item(costs, records.vocabulary)
        knowable = parts.copy()
        knowable[(parts == PUBLIC) & np.array([cost > self.p for cost in of_item])] = OTHER
        largest = min(within_budget(costs, self.p), MOST_KNOWN)
        moles = minimal_moles(records, knowable, Power(self.h, self.k, largest))
        dear = np.array([sum(of_item[item] for item in known) > self.p for known in moles.sets()], bool)
        return moles.select(~dear)

    def _hits_pairs(self, records: Bags, parts: Parts) -> bool:
        """Whether moles are just sets of one or two items of fewer than k people, and chosen as usual: they need no list."""
        usual = self.score == BEST and not self.exact and self.costs is None and 1 <= self.p <= PAIRS
        return usual and bool((parts == PUBLIC).all()) and records.n_owners >= self.k

    def claims_on(self, published: Bags, code: Small, original: Original) -> tuple[Model, ...]:
        """Claim coherence for the items as published."""
        parts = parts_of(original.tree.names, self.private, self.public, original.taxonomy)
        return (self._claim(published, parts, Recoding(np.where(code < 0, np.arange(len(code)), code).astype(np.int32))),)

    @property
    def counts_decide(self) -> int | None:
        """The size of itemsets that decide: up to p items, if all are public and items are only suppressed."""
        named = any(one is not None for one in (self.private, self.public, self.weights, self.costs, self.private_of))
        return None if named or self.generalize or self.exact else self.p

    def suppressed_by_counts(self, moles: Moles, records: Ints, rare: int) -> tuple[Ints, list[str]]:
        """Choose as `suppressed` does. Every rare item must be suppressed, so its loss is the same in every choice."""
        ones = np.ones(rare, np.int64)
        loss = np.concatenate([records if self.il == "support" else np.ones_like(records), ones])
        chosen = self.suppressed(moles, np.arange(len(loss), dtype=np.int64), loss)
        return chosen.items, _notes(chosen, len(loss))

    def suppressed(self, moles: Moles, items: Ints, loss: Ints) -> Hitting:
        """Return the public items to suppress, of all that occur, by the requested score."""
        if self.score == "rmall":
            return _without_list(items, loss)
        if self.exact:
            return exact_hitting(moles, loss, self.time_limit)
        return improved(moles, loss) if self.score == BEST else greedy(moles, loss, self.score)

    def losses(self, records: Bags, parts: Parts) -> Ints:
        """Return the loss of suppressing each item as integers; weights are brought to a common denominator."""
        if self.il == "support":
            return np.bincount(records.items, minlength=len(parts)).astype(np.int64)
        if self.weights is None:
            return np.ones(len(parts), np.int64)
        return _weights(self.weights, records, parts)

    def _claim(self, published: Bags, parts: Parts, recoding: Recoding) -> Coherence:
        """Return the claim in terms of what is published, where nodes that represent public items are public too."""
        recoded = parts.copy()
        recoded[recoding.targets] = PUBLIC
        costs = None if self.costs is None else published_costs(self.costs, published)
        named = published_parts(published, recoded)
        return Coherence(h=self.h, k=self.k, p=self.p, **named, costs=costs, private_of=self.private_of)

    def _infeasible(self, moles: Moles, records: Bags, parts: Parts) -> Infeasible:
        """Return the error if the empty set is a mole (Theorem 1), so that no suppression helps: the reason, and what would help."""
        item, share = repr(records.vocabulary[int(moles.hidden[0])]), moles.holders[0] / moles.cohort[0]
        shared = bool(moles.holders[0] >= self.k)
        frequent = np.bincount(records.items, minlength=len(parts)) > int(self.power.share * len(records))
        others = int((frequent & (parts == PRIVATE)).sum()) - 1
        more = f" ({others:,} more private items are too frequent)" if others > 0 else ""
        enough = -(-int(moles.holders[0]) * 10_000 // int(moles.cohort[0])) / 10_000
        return Infeasible(
            f"no suppression gives coherence: {f'the private item {item}' if shared else 'a private item'} belongs to "
            f"{percent(share, 2)} of all, more than h = {self.h:g}{more}",
            code="sensitive-item-too-frequent",
            hint=f"with these private items one exists for h of {enough:g} or more",
            value=share,
            limit=self.h,
            rare=() if shared else (item,),
        )


def costs_by_item(costs: Mapping[str, Fraction], names: Vocabulary) -> list[Fraction]:
    """Return the cost of each item, 1 if it is not listed. Raise for listed names that are not items."""
    codes = names.codes(list(costs))
    strange = [name for name, code in zip(costs, codes, strict=True) if code < 0]
    if strange:
        raise ParameterError(
            f"costs: {strange[0]!r} is not in the data", code="items-not-in-data", hint=f"{len(strange):,} such items", items=strange
        )
    of_item = [Fraction(1)] * len(names)
    for code, cost in zip(codes.tolist(), costs.values(), strict=True):
        of_item[code] = cost
    return of_item


def published_costs(costs: ItemCosts, published: Bags) -> ItemCosts:
    """Return the costs of published items alone: the names of suppressed items stay secret."""
    shown = np.bincount(published.items, minlength=len(published.vocabulary)) > 0
    names = set(published.vocabulary.names.filter(pl.Series(shown)).to_list())
    return ItemCosts.made_of({name: cost for name, cost in costs.costs if name in names})


def _weights(weights: ItemWeights, records: Bags, parts: Parts) -> Ints:
    if weights.weights is None:
        raise ParameterError(
            "the file of weights was not read", code="file-not-read", hint="shoal.io.read.parameter_files.with_files_read reads it"
        )
    by_name = dict(weights.weights)
    codes = records.vocabulary.codes(list(by_name))
    strange = [name for name, code in zip(by_name, codes, strict=True) if code < 0]
    if strange:
        raise ParameterError(
            f"weights: {strange[0]!r} is not in the data", code="items-not-in-data", hint=f"{len(strange):,} such items", items=strange
        )
    missing = np.setdiff1d(_occurring(records, parts), codes)
    if len(missing):
        raise ParameterError(
            f"{len(missing):,} public items have no weight",
            code="weights-missing",
            rare=[repr(records.vocabulary[int(i)]) for i in missing],
        )
    digits = max(0, *(-int(w.as_tuple().exponent) for w in by_name.values()))
    loss = np.ones(len(parts), np.int64)
    for code, weight in zip(codes, by_name.values(), strict=True):
        scaled = int(weight.scaleb(digits))
        if scaled > 2**40:
            raise ParameterError(
                "the weights differ too much, or have too many digits", code="weights-too-different", hint="round them", value=str(weight)
            )
        loss[code] = scaled
    return loss


def _occurring(records: Bags, parts: Parts) -> Ints:
    """Return the public items that occur in some record."""
    return np.flatnonzero((parts == PUBLIC) & (np.bincount(records.items, minlength=len(parts)) > 0))


def _too_general(records: Bags, parts: Parts, tree: Taxonomy) -> Ints:
    """Return the items above the floor, which are suppressed. Raise if one is private, because those are published."""
    if tree.barred is None:
        return np.zeros(0, np.int64)
    found = np.flatnonzero(tree.barred & (np.bincount(records.items, minlength=len(parts)) > 0))
    private = found[parts[found] != PUBLIC]
    if len(private):
        raise ParameterError(
            f"{counted(len(private), 'item')} above the floor cannot be suppressed: not public",
            code="items-above-floor",
            hint="lower the floor, or name other items as private",
            rare=[repr(tree.names[int(node)]) for node in private],
        )
    return found


def _without_list(items: Ints, loss: Ints) -> Hitting:
    """Suppressed items of which it is not known how many moles each removes."""
    return Hitting(items, np.zeros(len(items), np.int64), int(loss[items].sum()))


def _notes(chosen: Hitting, public: int) -> list[str]:
    notes = [f"{len(chosen.items):,} of {public:,} public items were suppressed"]
    if chosen.bound is not None and chosen.gap is not None:
        above = f"at most {percent(chosen.gap, 2)} above the least possible"
        notes.append(f"loss {chosen.loss:,}: {'the least possible loss, proven' if chosen.loss == chosen.bound else above}")
    if chosen.timed_out:
        notes.append("the exact search was stopped by its time limit, so another run may find another answer")
    return notes
