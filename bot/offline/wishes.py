"""Finds out what a message wants of the notebook, by its form alone."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.offline.language import (
    COURTESIES,
    Language,
    all_languages,
    captured_text,
    given_name,
    sentences,
)
from memory.records import own_words
from memory.search.text import plain_words

#: Longer messages tell something: names, greetings and questions to a notebook are short.
_LONGEST = 400
_ASKS = re.compile(r"[?？](?=[\s\"”»)]|\W*$)|^\W*¿")
#: A statement that wants to be confirmed: "Lea lives in Bern, right?"
_TAG = re.compile(r"^\W*(?P<told>(?:\S+\s+){2,}\S+)[,，]\s*(?P<tag>\w+(?:\s\w+)?)\s*[?？]+\W*$")
_PIECES = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")
_TELLS = re.compile(r"\w[:：]\s+\w")
#: Up to so many words beside a name for the assistant mean nothing.
_FEW_WORDS = 4
#: A message of so few words may be nothing but a topic.
_TOPIC_WORDS = 2


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a message wants; what is empty or False is not wanted. `kind` is one of "overview",
    "talks", "agent_name", "source" (of the last answer), "help", "question", "topic", "off_record",
    a courtesy ("hello", "thanks", "bye"), "okay", "nothing" (no words) and "statement". Of a
    message that also asks something, `told` and `asked` are the two; `kind` is of what is asked."""

    kind: str
    name: str = ""
    remember: str = ""
    forget: str = ""
    told: tuple[str, ...] = ()
    asked: str = ""


def wishes_of(text: str, language: Language) -> Wishes:
    """What a person's message wants, in their language or, if they write in several, in any."""
    text = own_words(text).strip()
    if len(text) > _LONGEST:
        return Wishes(_kind(text, language))
    name = agent_name_in(text, language) or ""
    remember = asks_to_remember(text, language) or ""
    forget = "" if remember else _asks_to_forget(text, language)
    if remember or forget or name:
        return Wishes("statement" if remember else _kind(text, language), name, remember, forget)
    told, asks = split_questions(text, language)
    if told and asks and not all(is_small_talk(piece, language) for piece in told):
        return Wishes(_kind(asks[-1], language), told=tuple(told), asked=asks[-1])
    return Wishes(_kind(text, language))


def agent_name_in(text: str, language: Language) -> str | None:
    """The name that a message gives the assistant, if it does."""
    if is_question(text, language):
        return None
    for each in all_languages(language):
        for match in each.matches("wishes.name", text[:_LONGEST]):
            if name := given_name(match, each):
                return name
    return None


def only_names(text: str, name: str, language: Language) -> bool:
    """True if a message says no more than the assistant's name, but for a few words that mean
    nothing: "from now on, please"."""
    for each in all_languages(language):
        for match in each.matches("wishes.name", text):
            before, _, after = match[0].partition(name)
            besides = text.replace(match[0], " ") + after
            if (
                before
                and len(plain_words(besides)) <= _FEW_WORDS
                and not any(each.has("asks.me", sentence) for sentence in sentences(besides))
            ):
                return True
    return False


def asks_to_remember(text: str, language: Language) -> str | None:
    """The statement that a person asks to keep ("remember that …"), if they do."""
    for each in all_languages(language):
        for match in each.matches("wishes.remember", text):
            what = captured_text(match).strip(" .!,?？")
            if what and not is_question(what, each):
                return what
    return None


def _asks_to_forget(text: str, language: Language) -> str:
    """What a person wants forgotten, in their words."""
    found = (m for each in all_languages(language) for m in each.matches("wishes.forget", text))
    return next((what for m in found if (what := captured_text(m).strip(" .!?"))), "")


def is_off_record(text: str, language: Language) -> bool:
    """True if a message asks not to keep itself or what was said before."""
    return next(_find_all("wishes.off_record", text[:_LONGEST], language), None) is not None


def is_question(text: str, language: Language) -> bool:
    """True if a message asks something: by its mark, or by the words that it begins with."""
    own = own_words(text)
    tag = _TAG.search(own)
    if tag and not any(language.has(f"asks.{kind}", tag["tag"]) for kind in ("words", "anywhere")):
        own = tag["told"]
    elif _ASKS.search(own):
        return True
    # "Who my doctor is: Dr. Smith" tells it.
    return (
        not _TELLS.search(own)
        and len(own) <= _LONGEST
        and any(
            language.begins("asks.words", sentence)
            or language.has("asks.anywhere", sentence)
            or language.opens("asks.requests", sentence)
            for sentence in sentences(own)
        )
    )


def split_questions(text: str, language: Language) -> tuple[list[str], list[str]]:
    """What a message tells, and what it asks, sentence by sentence. A message that asks nothing
    stays whole."""
    pieces = [piece.strip() for piece in _PIECES.split(text) if piece.strip()]
    asks = [piece for piece in pieces if is_question(piece, language)]
    told = [piece for piece in pieces if piece not in asks] if asks else [text]
    return told, asks


def is_command(text: str, language: Language) -> bool:
    """True if a message names the assistant, or wants something forgotten."""
    named = (given_name(match, language) for match in language.matches("wishes.name", text))
    return any(named) or next(language.matches("wishes.forget", text), None) is not None


def is_small_talk(text: str, language: Language) -> bool:
    """True if there is nothing in a message to be told again: a courtesy, "ok", no words at all."""
    return _courtesy(own_words(text).strip(), language) is not None


def _kind(text: str, language: Language) -> str:
    if kind := _courtesy(text, language):
        return kind
    if len(text) <= _LONGEST:
        if is_off_record(text, language):
            return "off_record"
        for kind in ("about_me", "talks", "agent_name", "source", "help"):
            if next(_find_all(f"asks.{kind}", text, language), None):
                return "overview" if kind == "about_me" else kind
    if is_question(text, language):
        return "question"
    few = len(plain_words(text)) <= _TOPIC_WORDS and not any(map(str.isdigit, text))
    return "topic" if few else "statement"


def _courtesy(text: str, language: Language) -> str | None:
    if not any(map(str.isalnum, text)):
        return "nothing"
    if len(text) > _LONGEST:
        return None
    for each in all_languages(language):
        for kind in COURTESIES:
            if each.is_all(f"courtesies.{kind}", text):
                return kind
    return None


def _find_all(kind: str, text: str, language: Language) -> Iterator[str]:
    for each in all_languages(language):
        for match in each.matches(kind, text):
            yield match[0]
