"""Words that say nothing of what a text is about: English function words, and what the web leaves in a query.

WordNet lists many of them as nouns ("a" is a unit of length, "in" an inch, "who" an agency, "be" a metal,
"does" the plural of doe), so they have to go before nouns are looked up.
"""

from __future__ import annotations

import polars as pl

_GROUPS = {
    "articles and determiners": """
        a an the this that these those some any each every either neither no another other others such all
        both half few fewer fewest many more most much little less least several enough own same certain
        various
    """,
    "pronouns": """
        i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself
        she her hers herself it its itself they them their theirs themselves one ones oneself someone
        somebody something anyone anybody anything everyone everybody everything nobody nothing none who
        whom whose whoever what whatever which whichever
    """,
    "prepositions and particles": """
        about above across after against along alongside amid among amongst around as at before behind below
        beneath beside besides between beyond by despite down during except for from in inside into like
        minus near of off on onto opposite out outside over past per plus regarding round since than through
        throughout till to toward towards under underneath unlike until up upon versus via vs with within
        without
    """,
    "conjunctions": """
        and but or nor so yet if because although though unless whereas whether while whilst lest once
    """,
    "auxiliary verbs": """
        am is are was were be been being have has had having do does did doing done can could may might must
        shall should will would ought need dare
    """,
    "adverbs": """
        again ago almost already also always anyway anywhere away back else ever everywhere far hence here
        how however indeed instead just maybe meanwhile moreover never nevertheless not now nowhere often
        only otherwise perhaps quite rather really seldom somehow sometimes somewhat somewhere soon still
        then thence there thereby therefore thus together too very well when whence whenever where whereby
        wherein wherever why yes
    """,
    "what an apostrophe leaves": """
        ain aren arent couldn couldnt didn didnt doesn doesnt don dont hadn hadnt hasn hasnt haven havent
        isn isnt ll mustn re shouldn shouldnt ve wasn wasnt weren werent won wont wouldn wouldnt
    """,
    "what the web leaves": """
        www www1 www2 ww wwww http https ftp com comm org net edu gov co uk html htm shtml php asp aspx jsp
        cgi url dot
    """,
}

STOP_WORDS: frozenset[str] = frozenset(word for group in _GROUPS.values() for word in group.split())


def is_stop_word(words: pl.Series) -> pl.Series:
    """Whether each lower-case word is one of them."""
    return words.is_in(pl.Series(sorted(STOP_WORDS)).implode())
