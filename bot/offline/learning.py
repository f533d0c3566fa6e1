"""What a session teaches, by the rules of grammar."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

from bot.offline.grammar.grammar import lower_words, stated_clauses
from bot.offline.grammar.statements import slot_of
from bot.offline.languages.tables import LANGUAGES, language_of
from memory.learning.event_dates import find_date
from memory.learning.statement import Statement
from memory.ports import Proposal, Relation
from memory.records import Evidence, Record, Role, Turn, own_words


def proposals_of(turns: Sequence[Turn], known: Sequence[Record] = ()) -> tuple[Proposal, ...]:
    """What people said about themselves, without what they corrected later in the session. In a
    group people correct only their own statements."""
    found = [
        proposal
        for speaker in dict.fromkeys(turn.speaker for turn in turns)
        for proposal in _merge(
            _dated_texts([turn for turn in turns if turn.speaker == speaker]),
            [record for record in known if record.speaker == speaker],
        )
    ]
    order = {turn.id: number for number, turn in enumerate(turns)}
    return tuple(sorted(found, key=lambda proposal: order[proposal.evidence[0].turn_id]))


def learned_from(texts: Sequence[str]) -> tuple[Proposal, ...]:
    """The same for plain messages, oldest first; the turn of a proposal's evidence is its message's
    number."""
    return _merge(((str(number), text, None) for number, text in enumerate(texts)), ())


def _dated_texts(turns: Sequence[Turn]) -> Iterable[tuple[str, str, date | None]]:
    return (
        (turn.id, own_words(message.text), message.at.date())
        for turn in turns
        for message in turn.messages
        if message.role is Role.USER
    )


def _merge(
    said: Iterable[tuple[str, str, date | None]], known: Sequence[Record]
) -> tuple[Proposal, ...]:
    kept: dict[str, Proposal] = {}
    denied: dict[str, str] = {}
    known = [
        record if record.slot else replace(record, slot=slot_of(record.text)) for record in known
    ]
    for turn_id, text, day in said:
        for proposal in _proposals(turn_id, text, day):
            _settle(kept, denied, proposal, known)
    return tuple(_with_replaced(proposal, known) for proposal in kept.values())


def _with_replaced(proposal: Proposal, known: Sequence[Record]) -> Proposal:
    """The proposal, replacing the record with the same slot, if any."""
    rivals = (record.id for record in known if record.slot == proposal.slot and record.current)
    return (
        replace(proposal, known=next(rivals, None), relation=Relation.CHANGED)
        if proposal.slot
        else proposal
    )


def _proposals(turn_id: str, text: str, day: date | None) -> Iterable[Proposal]:
    language = language_of(text)
    if language is None:
        return
    for found in stated_clauses(text, language):
        yield Proposal(
            kind=found.kind,
            text=found.text,
            evidence=(Evidence(turn_id, found.text),),
            slot=found.slot,
            importance=found.importance,
            event_date=find_date(found.text, day) if day else None,
        )


def _settle(
    kept: dict[str, Proposal], denied: dict[str, str], new: Proposal, known: Sequence[Record]
) -> None:
    """Merge a proposal with those so far. The later one of a slot wins, a revised or retracted
    statement replaces the earlier one, duplicates are merged, and "I left Acme" does not undo "I
    work at Globex". A `denied` value stays only until the session gives the slot a new one."""
    if new.slot is None:
        said = Statement(new.text)
        for key in [key for key, old in kept.items() if said.revises(Statement(old.text))]:
            del kept[key]
        kept.setdefault(_key(new.text), new)
        return
    rivals = [text for text in _current(kept, known, new.slot) if _key(text) != _key(new.text)]
    if rivals and _takes_back_something_else(new.text, rivals):
        kept.setdefault(_key(new.text), replace(new, slot=None))
        denied[_key(new.text)] = new.slot
        return
    for key, old in list(kept.items()):
        if new.slot in (old.slot, denied.get(key)):
            del kept[key]
    kept[_key(new.text)] = new


def _current(kept: dict[str, Proposal], known: Sequence[Record], slot: str) -> list[str]:
    """The current values of a slot: from this session, else from the memory."""
    said = [p.text for p in kept.values() if p.slot == slot]
    return said or [r.text for r in known if r.slot == slot and r.current]


def _takes_back_something_else(text: str, rivals: Sequence[str]) -> bool:
    """True if a statement only denies a value that the slot does not hold. False if it also gives
    the new value ("I left Acme, now I'm at Globex"), or names none ("I quit my job")."""
    language = language_of(text)
    if language is None or not language.negation.search(text) or language.whole.search(text):
        return False
    own = _values(text)
    return bool(own) and not any(own & _values(rival) for rival in rivals)


def _values(text: str) -> set[str]:
    """The words of a statement that are its slot's value."""
    for language in LANGUAGES:
        text = language.negation.sub(" ", text)
    small = (each.stopwords | each.words | each.generic for each in LANGUAGES)
    return set(lower_words(text)).difference(*small)


def _key(text: str) -> str:
    return " ".join(lower_words(text))
