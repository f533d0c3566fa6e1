"""Extraction without a model: the few facts that rules find, and a summary of quotes."""

from collections.abc import Iterable, Iterator, Sequence

from bot.offline.facts import StatedFact, denies, findings_in, is_unsure
from bot.offline.language import guess_language
from bot.offline.summaries import session_summary, session_topics
from bot.offline.wishes import is_question
from memory.background.threads import compute
from memory.learning.timeline import find_date
from memory.records import Evidence, Record, Role, Turn, own_words
from memory.search.text import small_stems
from memory.understanding import Extraction, Proposal, Reading, Relation


class RuleExtractor:
    """An `Extractor` that keeps only what a person says about themselves, in their own words."""

    async def extract(self, reading: Reading) -> Extraction:
        """See `memory.understanding.Extractor`. Never raises ExtractionFailed."""
        return await compute(_extraction, reading)


def _extraction(reading: Reading) -> Extraction:
    found = tuple(_proposals(reading.turns, reading.known))
    summary = session_summary(reading.turns)
    return Extraction(found, summary, session_topics(reading.turns))


def _proposals(turns: Sequence[Turn], known: Sequence[Record]) -> Iterator[Proposal]:
    """What people said of themselves. Of one person's statements in a slot the last one counts, and
    replaces what is known in that slot."""
    found = {
        (_key_of(turn), each.slot or each.text.casefold()): (turn, each)
        for place, turn in enumerate(turns)
        for each in _findings(turn, turns)
        if not _is_taken_back(each, turn, turns[place + 1 :])
    }
    for turn, each in found.values():
        rivals = (r for r in known if each.slot and r.slot == each.slot and r.current)
        rival = next((r.id for r in rivals if r.speaker == turn.speaker), None)
        yield Proposal(
            kind=each.kind,
            text=each.text,
            evidence=(Evidence(turn.id, _verbatim(each.text, turn)),),
            slot=each.slot,
            importance=each.importance,
            event_date=_date_in(each.text, turn),
            relation=Relation.CHANGED if rival else Relation.NEW,
            known=rival,
        )
    for record in known:
        if record.current and (denial := _denial_of(record, turns)):
            yield Proposal(
                kind=record.kind,
                text=record.text,
                evidence=(Evidence(denial.id, own_words(denial.said)),),
                relation=Relation.ENDED,
                known=record.id,
            )


def _findings(turn: Turn, turns: Sequence[Turn]) -> Iterable[StatedFact]:
    said = [own_words(m.text) for m in turn.messages if m.role is Role.USER]
    before = turns[: turns.index(turn)]
    language = guess_language([*said, *(each.said for each in before[::-1])])
    # Once a play has begun, nobody speaks for themselves.
    if any(language.finds("marks.play", each.said) for each in before):
        return []
    return [
        each
        for message in turn.messages
        if message.role is Role.USER
        for each in findings_in(message.text, language)
    ]


def _is_taken_back(fact: StatedFact, turn: Turn, later: Sequence[Turn]) -> bool:
    """True if the same person says later in the session that it has changed, or denies it: "I'm not
    vegetarian anymore". Better a fact too few than a false one."""
    language = guess_language([turn.said])
    small = small_stems() | language.small_stems
    # What somebody is, likes or has ends the clause.
    value = next((w for w in reversed(language.index_words(fact.text)) if w not in small), None)
    for other in (each for each in later if _key_of(each) == _key_of(turn)):
        said = other.said
        changed = language.has("marks.change", said) or language.finds("marks.correction", said)
        if value in language.index_words(said) and (changed or denies(said) != denies(fact.text)):
            return True
    return False


def _denial_of(record: Record, turns: Sequence[Turn]) -> Turn | None:
    """The first turn in which the person of a record says all of it again, if that differs in a
    negation: "I'm not vegan anymore", or "I eat meat" where the record says that they don't."""
    language = guess_language([record.text])
    meant = frozenset(language.index_words(record.text)) - small_stems() - language.small_stems
    for turn in turns:
        said = own_words(turn.said)
        unfit = is_question(said, language) or is_unsure(said, language)
        repeats = bool(meant) and meant <= frozenset(language.index_words(said))
        if record.speaker == turn.speaker and not unfit and repeats:
            return turn if denies(said) != denies(record.text) else None
    return None


def _key_of(turn: Turn) -> int | str | None:
    return turn.speaker.key if turn.speaker else None


def _verbatim(text: str, turn: Turn) -> str:
    """The words as the turn has them: their first letter may be small there."""
    return text if text in turn.said else text[:1].lower() + text[1:]


def _date_in(text: str, turn: Turn) -> str | None:
    return find_date(text, turn.messages[0].at.date()) if turn.messages else None
