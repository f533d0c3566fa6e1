"""Summaries without a model: quotes of the most telling things that people said, in their own
language. They state nothing that was not said."""

import re
from collections import Counter
from collections.abc import Sequence

from bot.offline.language import Language, guess_language, language_of, sentences
from bot.offline.lines import told_in
from bot.offline.overview import cut_quote, telling_lines
from bot.offline.scores import Line
from memory.background.threads import compute
from memory.conversation.tiers import quotable
from memory.records import Role, Turn, Utterance, own_words
from memory.safety.secrets import MASK, mask_secrets
from memory.search.lexicon.lexicon import all_of, chatter
from memory.search.text import small_stems, words

#: How many quotes tell of a session, and how many a running summary carries on.
_QUOTES, _CARRIED = 6, 12
_QUOTE_CHARS = 160
#: Maximum characters of an earlier summary that is not made of quotes.
_EARLIER_CHARS = 1200
_TOPICS, _SHORTEST = 3, 3
_QUOTE = re.compile("“([^“”]+)”")


class RuleSummarizer:
    """A `Summarizer` that quotes."""

    async def summarize(self, turns: Sequence[Turn], earlier: str | None = None) -> str:
        """See `memory.understanding.Summarizer`. Never raises ExtractionFailed."""
        return await compute(_running_summary, turns, earlier)


def session_summary(turns: Sequence[Turn]) -> str | None:
    """What was told in a session; None if nothing was."""
    return _report(_quotes(turns, _QUOTES), _language(turns)) or None


def session_topics(turns: Sequence[Turn]) -> tuple[str, ...]:
    """The names that came up in a session, the most frequent first. They can follow "we talked
    about"."""
    if _language(turns).code in ("zh", "hi"):
        return ()
    found: Counter[str] = Counter()
    for text in _own_texts(turns):
        for sentence in sentences(text):
            said = sentence.split()
            found.update({name for word in said[1:] if (name := _name(word))})
    return tuple(name for name, _ in found.most_common(_TOPICS))


def _running_summary(turns: Sequence[Turn], earlier: str | None) -> str:
    language = _language(turns)
    told = _quotes(turns, _QUOTES)
    carried = _QUOTE.findall(earlier or "")
    if earlier and not carried:
        return " ".join(filter(None, (cut_quote(earlier, _EARLIER_CHARS), _report(told, language))))
    if len(told) <= 1:
        mine = [*carried, *next(iter(told.values()), [])]
        told = {next(iter(told), None): list(dict.fromkeys(mine))[-_CARRIED:]}
        return _report(told, language) or f"({sum(len(turn.messages) for turn in turns)})"
    return " ".join(
        filter(None, (cut_quote(earlier or "", _EARLIER_CHARS), _report(told, language)))
    )


def _quotes(turns: Sequence[Turn], most: int) -> dict[str | None, list[str]]:
    """The most telling lines of each speaker."""
    language, found = _language(turns), dict[str | None, list[str]]()
    said = [m for turn in turns for m in turn.messages if m.role is Role.USER]
    speakers = {m.speaker.key if m.speaker else None: m.speaker for m in said}
    for speaker in speakers.values():
        own = [message for message in said if message.speaker == speaker]
        lines = [_line(message, place, language) for place, message in enumerate(own)]
        told = telling_lines([line for line in lines if line.text], language, most)
        if told:
            found[speaker.name if speaker else None] = [
                cut_quote(quotable(line.text), _QUOTE_CHARS).rstrip(".") for line in told
            ]
    return found


def _line(message: Utterance, place: int, language: Language) -> Line:
    text = " ".join(told_in(mask_secrets(message.text), language))
    return Line(text, message.at, place)


def _report(told: dict[str | None, list[str]], language: Language) -> str:
    parts = []
    for speaker, quotes in told.items():
        row = "; ".join(f"“{quote}”" for quote in quotes)
        form = language.says["said"] if speaker else language.says["you_said"]
        if quotes:
            parts.append(form.format(who=speaker, quotes=row))
    return " ".join(parts)


def _language(turns: Sequence[Turn]) -> Language:
    texts = _own_texts(turns)
    votes = Counter(guess_language([text]).code for text in texts if len(text.split()) > 2)
    return language_of(votes.most_common(1)[0][0]) if votes else guess_language(texts)


def _own_texts(turns: Sequence[Turn]) -> list[str]:
    texts = (own_words(m.text) for t in turns for m in t.messages if m.role is Role.USER)
    return [mask_secrets(text).replace(MASK, " ") for text in texts if text.strip()]


def _name(word: str) -> str | None:
    bare = word.strip(".,;:!?…()\"'“”«»„*_").removesuffix("'s").removesuffix("’s")
    if len(bare) < _SHORTEST or not bare[:1].isupper() or not bare.isalpha():
        return None
    low = bare.casefold()
    stems = frozenset(words(low))
    days = all_of(lambda dates: (w for row in (*dates.months, *dates.weekdays) for w in row))
    return None if low in chatter() or low in days or stems & small_stems() else bare
