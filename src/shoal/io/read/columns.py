"""Roles of columns: user, time, and text or item, as the options state or by known names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation

import numpy as np
import polars as pl

from shoal.data.bags import Ints
from shoal.errors import InputError, ParameterError, option
from shoal.io.read.options import CLICKS, ROLES, ReadOptions
from shoal.io.read.source import Source
from shoal.util.wording import counted, nearest

# Names under which a column is recognised, in small letters and without blanks, dashes and underscores. For the owner only what stands for
# one person, or for the least that is known of one: neither a session nor a basket, of which a person has many.
KNOWN = {
    "user": (
        "user userid username uid anonid owner ownerid login person personid member memberid participant participantid respondent",
        "customer customerid custid client clientid shopper shopperid buyer buyerid subscriber subscriberid patient patientid",
        "household householdid householdkey account accountid accountno accountnumber card cardid cardno cardnumber msisdn",
        "email mail emailaddress mailaddress ip ipaddress hashedip clientip remoteaddr visitor visitorid cookie cookieid device deviceid",
        "kunde kundeid kundenid kundennummer kundennr nutzer nutzerid benutzer benutzerid benutzername mitglied klant klantid gebruiker",
        "utilisateur abonne usuario cliente utente kund",
    ),
    "time": ("time querytime timestamp datetime date when ts",),
    "text": (
        "query text querytext searchterm searchterms searchquery searchtext keywords q",
        "suchanfrage suchbegriff suchtext zoekterm requete consulta",
    ),
    "item": (
        "item itemid itemname tag product productid productname sku asin isbn movieid term word article articleid articlename",
        "artikel artikelname artikelnummer artikelnr produkt produktid produktname produit producto prodotto produto",
    ),
}
KNOWN_NAMES = {role: frozenset(" ".join(names).split()) for role, names in KNOWN.items()}
# Names of times that are recognised where no column has one of the names above.
_OTHER_TIMES = (
    "soldat createdat orderedat purchasedat paidat searchedat visitedat viewedat clickedat occurredat loggedat",
    "eventtime eventdate eventtimestamp searchtime saletime saledate salesdate ordertime orderdate purchasetime purchasedate",
    "transactiontime transactiondate visittime visitdate invoicedate datum zeit uhrzeit zeitpunkt zeitstempel bestelldatum kaufdatum",
)
OTHER_TIMES = frozenset(" ".join(_OTHER_TIMES).split())
# Names of columns about clicks. They do not distinguish a header from data.
CLICK_NAMES = {"rank": frozenset(["rank", "itemrank", "clickrank", "position"]), "url": frozenset(["url", "clickurl", "clickedurl"])}

# Names of columns that may be records of a person. They are proposed, not used unasked, because they change what is protected.
_RECORDS = (
    "basket basketid cart cartid order orderid orderno ordernumber receipt receiptid receiptno invoice invoiceid invoiceno",
    "transaction transactionid ticketid visit visitid session sessionid bon bonid warenkorb bestellung",
)
RECORD_NAMES = frozenset(" ".join(_RECORDS).split())

Roles = Mapping[str, int]


def plain(name: str) -> str:
    """Normalize a column name: lower case, without blanks, dashes and underscores."""
    return re.sub(r"[\s_-]", "", name).lower()


def find_roles(names: Sequence[str], options: ReadOptions) -> dict[str, int]:
    """Return the columns of the user, of the text or item, and optionally of the time; empty if one is missing."""
    found = {role: candidates(names, role, options) for role in ROLES}
    payload = {"querylog": "text", "table": "item"}.get(options.wanted_format or "")
    payload = payload or ("text" if found["text"] else "item")
    if not options.needs_times and options.time is None and (payload == "item" or len(found["time"]) > 1):
        found["time"] = []  # a query log's times tell repeated clicks; else they are of no use here
    needed = {"user", payload} | ({"time", "record", "count"} & options.named.keys())
    if not all(found[role] for role in needed):
        return {}
    roles = {role: only(names, role, found[role], options) for role in ("user", "time", payload, "record", "count") if found[role]}
    roles |= _clicks(names, roles, options)
    if len(set(roles.values())) < len(roles):
        raise ParameterError(f"a column cannot have two roles: {listed_roles(roles, names)}", code="column-role-conflict")
    return roles


def _clicks(names: Sequence[str], roles: Roles, options: ReadOptions) -> dict[str, int]:
    """Return the click columns, if clicks are used; a column with another role is skipped unless it was named."""
    if not options.needs_clicks:
        return {}
    found = {role: [at for at in candidates(names, role, options) if at not in roles.values() or role in options.named] for role in CLICKS}
    missing = [role for role in CLICKS if role in options.named and not found[role]]
    if missing:
        raise InputError(
            f"there is no column {options.named[missing[0]]!r} for the {missing[0]}", code="missing-column", columns=list(names)
        )
    return {role: only(names, role, places, options) for role, places in found.items() if places}


def candidates(names: Sequence[str], role: str, options: ReadOptions) -> list[int]:
    """Return the columns that may have this role: the named one, else all with a known name."""
    typed = options.named.get(role)
    if typed is None:
        known = [at for at, name in enumerate(names) if plain(name) in (KNOWN_NAMES | CLICK_NAMES).get(role, ())]
        return known if known or role != "time" else [at for at, name in enumerate(names) if plain(name) in OTHER_TIMES]
    named = [at for at, name in enumerate(names) if name == typed]
    if not named and typed.isdigit() and 1 <= int(typed) <= len(names):
        return [int(typed) - 1]
    return named


def only(names: Sequence[str], role: str, places: Sequence[int], options: ReadOptions) -> int:
    """Return the only column with this role. Raise if there are several."""
    if len(places) == 1:
        return places[0]
    typed = options.named.get(role)
    if typed is not None:
        raise InputError(
            f"{len(places)} columns are called {typed!r}",
            code="duplicate-column",
            hint=f"rename all but one, or give a number, such as {option(role)} {places[0] + 1}",
            value=typed,
        )
    listed = ", ".join(repr(names[at]) for at in places)
    raise InputError(
        f"several columns could be the {role}: {listed}",
        code="ambiguous-column",
        hint=f"name one with {option(role)}",
        role=role,
        columns=[names[at] for at in places],
    )


def numbered_roles(width: int, options: ReadOptions) -> dict[str, int]:
    """Return the roles of numbered fields, if all columns were given by number and suffice to read a file."""
    named = options.named
    if "user" not in named or not {"text", "item"} & set(named) or not all(n.isdigit() for n in named.values()):
        return {}
    for role, number in named.items():
        if not 1 <= int(number) <= width:
            raise InputError(
                f"there is no field {number} for the {role}: the first line has {width} fields", code="missing-column", value=number
            )
    return {role: int(number) - 1 for role, number in named.items()}


def knows_any(names: Sequence[str]) -> bool:
    """Whether one of these is a known column name."""
    return any(plain(name) in known for name in names for known in KNOWN_NAMES.values())


def known_as_header(names: Sequence[str], options: ReadOptions) -> bool:
    """Whether these certainly are names and may be quoted: the user stated it, or they include a named column, a user column or two known
    names.
    """
    certain = bool(options.header) or any(name in names for name in options.named.values())
    roles = [role for role, known in KNOWN_NAMES.items() for name in names if plain(name) in known]
    return certain or "user" in roles or len(roles) > 1


def not_transactions(source: Source, reason: str) -> InputError:
    """Return the error for lines that are not read as transactions by default. It describes them without quoting fields."""
    return InputError(
        f"{source.path} has no known header, and it does not look like transactions: {reason}",
        code="unrecognized-input",
        hint=f"if each line has the values of one person, use {option('format', 'microdata')} and a method for tables; "
        f"if each line has a user and an item, name the columns, as in {option('user', placeholder='NAME')} "
        f"{option('item', placeholder='NAME')} or {option('user', 1)} {option('item', 2)}; "
        f"if each line is the basket of one person, use {option('format', 'transactions')}",
    )


def not_records(source: Source, reason: str) -> InputError:
    """Return the error for lists in memory that are not read as records by default."""
    way_out = f"use {option('format', 'transactions')} if each list is one person's record"
    hint = f"give rows of a table as a frame whose columns have names; or {way_out}"
    return InputError(f"{source.path} does not look like people's records: {reason}", code="unrecognized-input", hint=hint)


def missing_columns(source: Source, options: ReadOptions, names: Sequence[str], *, surely_names: bool) -> InputError:
    """Return the error that names the missing columns and, if they certainly are names and not data, the existing ones."""
    absent = [f"no column {name!r}" for name in options.named.values() if name not in names]
    what = " and ".join(absent) or f"no column recognized as the {_unknown_parts(names)}"
    hint = f"name them with {option('user')}, {option('time')} and {option('text')} or {option('item')}"
    if not options.named:
        hint += f"; or use {option('format', 'transactions')} if each line is one person's record"
    if not surely_names:
        hint += f"; if its first line contains names, not data, {option('header', True)} shows them"
        return InputError(f"{source.path} has {what}", code="missing-column", hint=hint)
    there = ", ".join(repr(name) for name in names)
    near = [repr(found) for name in options.named.values() if name not in names and (found := nearest(name, names))]
    hint = f"did you mean {' and '.join(near)}? {hint}" if near else hint
    return InputError(f"{source.path} has {what}; it has {there}", code="missing-column", hint=hint, columns=list(names))


def _unknown_parts(names: Sequence[str]) -> str:
    """Return the required roles without a known name."""
    found = {role for role, known in KNOWN_NAMES.items() if any(plain(name) in known for name in names)}
    missing = [] if "user" in found else ["user"]
    return " nor the ".join(missing if found & {"text", "item"} else [*missing, "text or item"])


def unsure_of_header(source: Source) -> InputError:
    """Return the error for numbered fields if the first line may be a header: as data it would be a person."""
    return InputError(
        f"the first line of {source.path} may be a header or data",
        code="header-unclear",
        hint=f"use {option('header', True)} or {option('header', False)}",
    )


def owners_among(names: Sequence[str]) -> list[str]:
    """Return the known names of user columns."""
    return [name for name in names if plain(name) in KNOWN_NAMES["user"]]


def owners_next_to_lists(source: Source, names: Sequence[str]) -> InputError:
    """Return the error for lists with a user column: as one record per person, a user with several would be several people."""
    listed = ", ".join(repr(name) for name in names)
    way_out = f"use {option('format', 'transactions')} if each list is one person's record"
    hint = f"give each item a row of its own next to the user ID; or {way_out}"
    return InputError(f"{source.path} has lists of items and, next to them, user IDs in {listed}", code="users-next-to-lists", hint=hint)


def several_lists(source: Source, names: Sequence[str]) -> InputError:
    """Return the error for a file with several columns of lists, any of which could be the records."""
    listed = f": {', '.join(repr(name) for name in names)}" if names else ""
    return InputError(
        f"several columns of {source.path} contain lists{listed}",
        code="ambiguous-column",
        hint=f"name the one of the items with {option('item')}",
    )


def no_header(source: Source, sample: Sequence[Sequence[str]]) -> InputError:
    """Return the error for a file that starts with data, without quoting it."""
    first = f"holds data ({len(sample[0])} fields)" if sample else "cannot be read"
    return InputError(
        f"{source.path} has no header with the needed columns: its first line {first}",
        code="missing-column",
        hint=f"number the fields from 1, as in {option('user', 1)} {option('text', 3)}",
    )


def listed_roles(roles: Roles, names: Sequence[str]) -> str:
    """Return the roles with their columns, or with field numbers if there are no names."""
    return ", ".join(f"{role} = {repr(name) if names else name}" for role, name in named_roles(roles, names).items())


def described_columns(roles: Roles, names: Sequence[str]) -> str:
    """Return the roles and their columns for a note, with a column that could be the record but is not used."""
    unused = [name for at, name in enumerate(names) if plain(name) in RECORD_NAMES and at not in roles.values()]
    hint = f"; not used: {unused[0]!r}, which {option('record', unused[0])} makes the record" if unused and "record" not in roles else ""
    return f"columns: {listed_roles(roles, names)}{hint}"


def named_roles(roles: Roles, names: Sequence[str]) -> dict[str, str]:
    """Return the name of each role's column, or `field 3` if there are no names."""
    return {role: names[at] if names else f"field {at + 1}" for role, at in roles.items()}


# -- rows with the names of the columns, in files that were joined with their headers


BYTE_ORDER_MARK = "\ufeff"  # of a file that was joined to another


def repeats_name(cells: pl.Series, name: str) -> pl.Series:
    """Return which cells are the name of their column, in any case, maybe with quotes, blanks or a byte order mark around it."""
    return cells.str.strip_chars(f'{BYTE_ORDER_MARK}" \t').str.to_lowercase() == name.lower()


# -- user IDs that differ only in spelling: `ann` and `Ann`, `7` and `7.0`
#
# Kept apart, one person would count as several and a guarantee about people would be false; taken for one, several could count as one,
# which errs on the safe side. Only the user knows which is right, so a file with such IDs is refused until an option decides.


INVISIBLE = r"[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Cc}--\s]"  # characters without a shape of their own, except blanks
PLAIN_NUMBER = "^[1-9][0-9]*$"  # which can be written in one way only


class OwnerForms:
    """The JSON types in which each user ID is written: `1`, `1.0` and `"1"` are one person, which is noted."""

    def __init__(self) -> None:
        self._met = np.zeros(0, np.uint8)
        self._rows = np.zeros(0, np.int64)

    def add(self, owner: Ints, form: Ints, owners: int) -> None:
        """Add rows of these users in these types (small numbers); `owners` is the number of users so far."""
        more = owners - len(self._met)
        self._met, self._rows = np.pad(self._met, (0, more)), np.pad(self._rows, (0, more))
        for one in np.unique(form):
            self._met[owner[form == one]] |= np.uint8(1 << one)
        self._rows += np.bincount(owner, minlength=owners)

    def notes(self) -> tuple[str, ...]:
        """Return a note on the number of people written in several types, and of their rows."""
        several = (self._met & (self._met - np.uint8(1))) > 0  # more than one bit
        if not several.any():
            return ()
        people, rows = counted(int(several.sum()), "person is", "people are"), counted(int(self._rows[several].sum()), "row")
        return (f'{people} written in several forms of a JSON value, such as 1, 1.0 and "1", in {rows}; all forms of one are one person',)


def folded(names: pl.Series) -> pl.Series:
    """Normalize names: case, quotes and blanks around them, repeated blanks, invisible characters, Unicode forms, and forms of a number."""
    other = (~names.str.contains(PLAIN_NUMBER)).arg_true()  # most logs number their people
    return names.clone().scatter(other, _folded(names.gather(other))) if len(other) else names


def _folded(names: pl.Series) -> pl.Series:
    letters = names.str.replace_all(INVISIBLE, "").str.normalize("NFKC").str.to_uppercase().str.to_lowercase()
    letters = letters.str.replace_all("i\u0307", "i", literal=True)  # the small letter of a capital I with a dot
    plain = letters.str.replace_all(r"\s+", " ").str.strip_chars()
    for quoted in (r'^"(.*)"$', "^'(.*)'$"):  # as some programs write every field of a file in which quotes mean nothing
        plain = plain.str.replace(quoted, "${1}").str.strip_chars()
    scientific = plain.filter(plain.str.contains(r"^[+-]?[0-9.]+e[+-]?[0-9]{1,3}$")).unique()
    plain = plain.replace(scientific, pl.Series([_written_out(name) for name in scientific.to_list()], dtype=pl.String))
    whole = plain.str.replace(r"^([+-]?)(\.\d)", "${1}0$2").str.replace(r"^(?:\+|(-))?0*(\d+?)(?:\.0*)?$", "$1$2")
    return whole.str.replace(r"^(?:\+|(-))?0*(\d+\.\d*[1-9])0*$", "$1$2").str.replace("^-0$", "0")


def _written_out(number: str) -> str:
    """Return a number with an exponent without it."""
    try:
        return format(Decimal(number), "f")
    except InvalidOperation:
        return number


def owner_numbers(names: pl.Series, way: str | None, place: object) -> tuple[Ints | None, tuple[str, ...]]:
    """Return the number of the person for each name (None if all names are distinct people), and notes."""
    alike = folded(names)
    n = alike.n_unique()
    if n == len(names):
        return None, ()
    notes = notes_on_spelling(len(names), n, way, place)
    if way == "exact":
        return None, notes
    return alike.rank("dense").to_numpy().astype(np.int64) - 1, notes


def notes_on_spelling(written: int, folded: int, way: str | None, place: object) -> tuple[str, ...]:
    """Return notes on user IDs that differ only in spelling: `written` as typed, `folded` normalized. Raise if no option decides."""
    if written == folded:
        return ()
    what = f"{written:,} different user IDs, {folded:,} if capitals, blanks and the form of numbers are ignored"
    if way is None:
        folds = f"{option('owners', 'folded')} treats user IDs that differ only in these as one person"
        hint = f"{folds}, {option('owners', 'exact')} keeps them apart"
        raise InputError(f"{place}: {what}", code="user-spelling-unclear", hint=hint, written=written, folded=folded)
    return (f"{what}; they are kept separate, as specified" if way == "exact" else f"{what}; {folded:,} are kept separate, as specified",)
