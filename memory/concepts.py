"""Words that people use for one thing, as one table per language.

A question seldom has the words of its answer: "what did I tell you about my job?" was answered by
"I work at Acme Corp". The words of one row stand in for each other in a query, at less weight than
the word that was asked for. Another language is one more table, in the words as written."""

from collections.abc import Mapping
from functools import cache

from memory.text import stems

_ENGLISH = """
job work employer employed company career profession occupation office boss colleague workplace
birthday born birth birthdate
live lives home address apartment house reside moved city town hometown
name called nickname
family wife husband partner spouse son daughter child kid mother father mom dad sister brother
food eat meal dish cuisine cook restaurant diet dinner lunch
drink coffee tea beer wine
pet pets dog cat puppy kitten
hobby hobbies interest interests enjoy sport
like likes love prefer enjoy favorite favourite
dislike hate avoid
language languages python javascript typescript java rust golang english spanish french german
study student university college school degree major graduated education
car vehicle drive
phone number email contact
trip travel vacation holiday journey visit
health doctor allergy allergic illness sick medication
buy bought purchase purchased
film movie
music song band concert
book read reading novel
marry married wedding fiancé fiancée engaged
salary income earn money
age old years
illness disease diagnosed
"""

_TABLES: Mapping[str, str] = {"english": _ENGLISH}


@cache
def _groups() -> dict[str, frozenset[str]]:
    groups: dict[str, set[str]] = {}
    for language, table in _TABLES.items():
        for line in table.strip().splitlines():
            row = {stem for word in line.split() for stem in stems(word, language)}
            for stem in row:
                groups.setdefault(stem, set()).update(row)
    return {stem: frozenset(group - {stem}) for stem, group in groups.items()}


def related(stem: str) -> frozenset[str]:
    """The index words that may stand in for this one; none if it is in no table."""
    return _groups().get(stem, frozenset())
