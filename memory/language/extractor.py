"""Extraction and summaries without a model: what the rules of grammar find."""

from collections import Counter
from collections.abc import Iterable, Sequence

from memory.language.dates import event_date
from memory.language.grammar import Finding, Language, findings, sentences, words
from memory.language.naming import asks_agent_name, naming
from memory.language.questions import is_greeting, is_thanks, memory_question
from memory.language.tables import LANGUAGES, language_of
from memory.ports import Extraction, Proposal
from memory.records import Message, Record, Role, Turn

#: A summary quotes at most this many sentences of a sort, each at most this many characters.
_QUOTES = 4
_QUOTE_CHARS = 120
#: An earlier summary is carried on up to this length, so that summaries of summaries stay short.
_EARLIER_CHARS = 400
_TOPICS = 4


def noteworthy(text: str) -> tuple[Finding, ...]:
    """What of one message the extractor would keep, in order."""
    language = language_of(text)
    return tuple(findings(text, language)) if language else ()


class RuleExtractor:
    """An `Extractor` that knows the grammar of a few languages and asks no model.

    It keeps only what a person says about themselves, in their own words."""

    async def extract(self, turns: Sequence[Turn], known: Sequence[Record]) -> Extraction:
        """See `memory.ports.Extractor`. Never raises ExtractionFailed: it is a pure function."""
        kept: dict[str, Proposal] = {}
        for turn in turns:
            for proposal in _proposals(turn):
                _settle(kept, proposal, known)
        return Extraction(tuple(kept.values()), _session_summary(turns))


class RuleSummarizer:
    """A `Summarizer` that quotes instead of retelling: who said what, topics and counts."""

    async def summarize(self, turns: Sequence[Turn], earlier: str | None = None) -> str:
        """See `memory.ports.Summarizer`. Never raises ExtractionFailed."""
        language = _language_of_talk(turns)
        told = [*_quotations(turns, language)] or [*_counted(turns, language)]
        before = [_shortened(earlier, _EARLIER_CHARS)] if earlier else []
        return " ".join([*before, *told])


def _proposals(turn: Turn) -> Iterable[Proposal]:
    for message in turn.messages:
        language = language_of(message.text) if message.role is Role.USER else None
        for found in findings(message.text, language) if language else ():
            assert language is not None  # noqa: S101 - nothing is found without a language
            yield Proposal(
                kind=found.kind,
                text=found.text,
                turn_id=turn.id,
                slot=found.slot,
                importance=found.importance,
                event_date=event_date(found.text, language),
            )


def _settle(kept: dict[str, Proposal], new: Proposal, known: Sequence[Record]) -> None:
    """Put a proposal beside what the session gave so far: the later one of a slot wins, the same
    words twice are one, and "I left Acme" does not undo "I work at Globex"."""
    if new.slot is None:
        kept.setdefault(_key(new.text), new)
        return
    rivals = [text for text in _current(kept, known, new.slot) if _key(text) != _key(new.text)]
    if _negated(new.text) and rivals and not any(_share_a_name(new.text, old) for old in rivals):
        kept.setdefault(_key(new.text), _without_slot(new))
        return
    for key in [key for key, old in kept.items() if old.slot == new.slot]:
        del kept[key]
    kept[_key(new.text)] = new


def _current(kept: dict[str, Proposal], known: Sequence[Record], slot: str) -> list[str]:
    """What the slot holds now: this session's word, else the memory's."""
    said = [p.text for p in kept.values() if p.slot == slot]
    return said or [r.text for r in known if r.slot == slot and r.current]


def _negated(text: str) -> bool:
    language = language_of(text)
    return language is not None and language.negation.search(text) is not None


def _share_a_name(left: str, right: str) -> bool:
    """Whether two statements of one slot speak of the same thing."""
    stop = {word for language in LANGUAGES for word in language.stopwords | language.words}
    return bool((set(words(left)) & set(words(right))) - stop)


def _without_slot(proposal: Proposal) -> Proposal:
    return Proposal(
        proposal.kind,
        proposal.text,
        proposal.turn_id,
        importance=proposal.importance,
        event_date=proposal.event_date,
    )


def _key(text: str) -> str:
    return " ".join(words(text))


def _session_summary(turns: Sequence[Turn]) -> str | None:
    language = _language_of_talk(turns)
    if language is None:
        return None
    return " ".join(_quotations(turns, language)) or None


def _language_of_talk(turns: Sequence[Turn]) -> Language | None:
    return language_of("\n".join(turn.said for turn in turns))


def _quotations(turns: Sequence[Turn], language: Language | None) -> Iterable[str]:
    """At most three sentences: what was stated, what was asked, what it was about."""
    if language is None:
        return
    phrases = language.phrases
    by_speaker: dict[str, tuple[list[str], list[str]]] = {}
    for message in _worth_telling(turns):
        told, asked = by_speaker.setdefault(message.speaker or phrases.user, ([], []))
        for sentence in sentences(message.text, language):
            if not _small_talk(sentence):
                (asked if sentence.endswith("?") else told).append(sentence)
    for sort, phrase in ((0, phrases.said), (1, phrases.asked)):
        parts = [
            phrase.format(who=who, quotes=_quoted(said[sort]))
            for who, said in by_speaker.items()
            if said[sort]
        ]
        if parts:
            yield " ".join(parts)
    if len(turns) >= _TOPICS and (topics := _topics(turns, language)):
        count = sum(len(turn.messages) for turn in turns)
        yield phrases.topics.format(count=count, topics=", ".join(topics))


def _worth_telling(turns: Sequence[Turn]) -> list[Message]:
    return [
        message
        for turn in turns
        for message in turn.messages
        if message.role is Role.USER and not _small_talk(message.text)
    ]


def _small_talk(text: str) -> bool:
    """What a summary leaves out: courtesies, commands and questions to the memory itself."""
    text = text.strip()
    return (
        not any(letter.isalnum() for letter in text)
        or text.startswith("/")
        or is_greeting(text)
        or is_thanks(text)
        or any(language.chatter.match(text) for language in LANGUAGES)
        or memory_question(text) is not None
        or asks_agent_name(text)
        or naming(text) is not None
    )


def _quoted(said: Sequence[str]) -> str:
    chosen = list(dict.fromkeys(said))[:_QUOTES]
    return "; ".join(
        f"“{_shortened(sentence.strip(' .!?…'), _QUOTE_CHARS)}”" for sentence in chosen
    )


def _shortened(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return text[: limit - 1].rsplit(None, 1)[0].rstrip(" ,;:") + "…"


def _topics(turns: Sequence[Turn], language: Language) -> list[str]:
    """The words that come back most, first come first among equals."""
    said = (word for message in _worth_telling(turns) for word in words(message.text))
    counts = Counter(w for w in said if len(w) > 2 and w not in language.stopwords)
    return [word for word, times in counts.most_common(_TOPICS) if times > 1]


def _counted(turns: Sequence[Turn], language: Language | None) -> Iterable[str]:
    """What remains to be said of a talk that no table understands: its first words."""
    count = sum(len(turn.messages) for turn in turns)
    first = next((m.text for turn in turns for m in turn.messages if m.text.strip()), "")
    opening = _shortened(" ".join(first.split()), _QUOTE_CHARS)
    yield f"({count}) “{opening}”" if opening else f"({count})"
