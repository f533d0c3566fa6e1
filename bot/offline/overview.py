"""Picks the most telling of a person's own lines for overviews and summaries. Pure."""

from collections.abc import Sequence

from bot.offline.language import Language
from bot.offline.quotes import what_holds
from bot.offline.scores import Line, introduction
from bot.offline.wishes import is_command, is_off_record, is_question, is_small_talk
from memory.safety.secrets import MASK
from memory.search.text import small_stems, words

#: A line with fewer words that carry meaning tells nothing by itself; one is enough with "I".
_LEAST, _LEAST_OWN = 2, 1
#: More such words than these do not make a line more telling.
_MOST = 6
#: Longer messages are no notes but texts.
_LONGEST = 400
#: How many such words it is worth if a line is about the person, and if it names something.
_OWN, _NAMES = 3, 2
#: How many times more lines are examined than wanted, because some are outdated.
_SPARE = 4


def telling_lines(lines: Sequence[Line], language: Language, most: int) -> list[Line]:
    """At most so many lines, in their order, without what was corrected or replaced later."""
    first = introduction(lines, language)
    weights = {line.number: _weigh(line, language) for line in lines}
    if first is not None and weights[first]:
        weights[first] += _OWN
    told = sorted(
        (line for line in lines if weights[line.number]),
        key=lambda line: (weights[line.number], line.number),
        reverse=True,
    )[: _SPARE * most]
    kept: dict[int, Line] = {}
    for holding in what_holds(told, lines, language):
        for line in filter(None, (holding.line, holding.correction)):
            kept.setdefault(line.number, line)
        if len(kept) >= most:
            break
    return [kept[number] for number in sorted(kept)]


def _weigh(line: Line, language: Language) -> float:
    text = line.text
    if line.learned or language.finds("wishes.answering", text):
        return 2.0 * _MOST
    unfit = line.ended or line.quoted or len(text) > _LONGEST or MASK in text
    if unfit or is_small_talk(text, language) or is_question(text, language):
        return 0.0
    if any(language.finds(f"marks.{mark}", text) for mark in ("unreal", "laughter")):
        return 0.0
    if is_off_record(text, language) or is_command(text, language):
        return 0.0
    meant = set(words(text)) - small_stems()
    own = language.has("asks.me", text) or language.has("asks.i", text)
    if len(meant) < (_LEAST_OWN if own else _LEAST):
        return 0.0
    names = any(word[:1].isupper() for word in text.split()[1:])
    pronoun = language.begins("marks.pronouns", text)
    return min(len(meant), _MOST) + _OWN * own + _NAMES * names - _OWN * pronoun


def cut_quote(text: str, most: int) -> str:
    """The text on one line of at most so many characters, cut at a word."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    cut = line[: most - 1]
    return (cut.rsplit(None, 1)[0] if " " in cut else cut).rstrip(" ,;:") + "…"
