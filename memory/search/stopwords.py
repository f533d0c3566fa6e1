"""The small words of the main languages: they carry grammar, not topics.

They are taken out of queries, never out of the index, and they tell the language of a text."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache

from memory.search.lexicon.lexicon import Lexicon, lexicons


@cache
def stop_words() -> Mapping[str, frozenset[str]]:
    """Grammar words by Snowball language, lower case, as written (apostrophes split words)."""
    return {
        lexicon.snowball: frozenset(lexicon.small_words)
        for lexicon in lexicons().values()
        if lexicon.snowball
    }


@cache
def other_stop_words() -> frozenset[str]:
    """Those of languages with letters of their own, which no Latin text can be taken for."""
    return _union(lambda each: () if each.snowball or each.unspaced else each.small_words)


@cache
def unspaced_stop_words() -> frozenset[str]:
    """Those of scripts without spaces. They part the text of a query as a space does."""
    return _union(lambda each: each.small_words if each.unspaced else ())


@cache
def also_names() -> frozenset[str]:
    """Small words that are names of people, too."""
    return _union(lambda each: each.names)


@cache
def negations() -> frozenset[str]:
    """Small words that turn a sentence round."""
    return _union(lambda each: each.negations)


@cache
def chatter() -> frozenset[str]:
    """Words that greet, thank, agree, or talk about telling and remembering ("what did I tell you
    about …") instead of about a topic."""
    return _union(lambda each: each.chatter)


def _union(part: Callable[[Lexicon], Iterable[str]]) -> frozenset[str]:
    return frozenset(word for each in lexicons().values() for word in part(each))
