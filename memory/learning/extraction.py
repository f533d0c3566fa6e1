"""Decides what is stored of a session: the extractor proposes, this code checks.

Drops proposals that the user's own words do not support, and those known already. A proposal that
answers a question differently supersedes the old record, which keeps the date it stopped being
true. Nothing here deletes."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime

from memory.errors import RefusedText
from memory.learning.event_dates import find_date, supported_date
from memory.learning.grounding import is_grounded, is_meant, share_in
from memory.learning.statement import Statement
from memory.ports import Extraction, Extractor, Proposal, Reading
from memory.records import Draft, Kind, Record, Turn
from memory.safety.gate import MASK, admit

__all__ = ["MAX_TOPICS", "Bounded", "clean_topics", "plan"]

#: How many topics a session has at most, and how long one is, in characters and words.
MAX_TOPICS = 10
_TOPIC_CHARS, _TOPIC_WORDS = 40, 4

_SUMMARY_CHARS = 1000

#: A record and what it says.
Learned = tuple[Record, Statement]


class Bounded:
    """An `Extractor` with a limit of facts and preferences per session: a session that yields more
    is being fed data."""

    def __init__(self, extractor: Extractor, most: int) -> None:
        self._extractor, self._most = extractor, most

    async def extract(self, reading: Reading) -> Extraction:
        return replace(await self._extractor.extract(reading), most=self._most)


def plan(
    extraction: Extraction,
    turns: Sequence[Turn],
    known: Sequence[Record],
    session_id: str,
    now: datetime,
) -> list[Draft]:
    """The drafts to write for a session, given the actor's current records: at most
    `extraction.most` facts and preferences, the weightiest, and the summary."""
    drafts: list[Draft] = []
    current = [record for record in known if record.current]
    learned = [
        (record, Statement(record.text)) for record in current if record.kind is not Kind.SUMMARY
    ]
    for proposal in _last_of_each_slot(extraction.proposals, turns):
        draft = _draft(proposal, turns, learned, session_id, now)
        if draft and not any(_says_again(other, draft) for other in drafts):
            drafts = [other for other in drafts if not _overtaken(other, draft)]
            drafts.append(draft)
    return _weightiest(drafts, extraction.most) + _summary(
        extraction, turns, current, session_id, now
    )


def clean_topics(topics: Iterable[str], most: int = MAX_TOPICS) -> tuple[str, ...]:
    """Topics as they may be stored: a few words each, no secret, no order, none twice."""
    kept: dict[str, str] = {}
    for topic in topics:
        try:
            text = admit(topic).strip(" .,;:!?#*\"'“”«»")
        except RefusedText:
            continue
        if MASK not in text and len(text) <= _TOPIC_CHARS and len(text.split()) <= _TOPIC_WORDS:
            kept.setdefault(text.casefold(), text)
    return tuple(topic for topic in kept.values() if topic)[:most]


def _overtaken(earlier: Draft, later: Draft) -> bool:
    """True if the later draft replaces the earlier one of the same session."""
    if earlier.speaker != later.speaker:
        return False
    if earlier.supersedes and earlier.supersedes == later.supersedes:
        return True
    new, old = Statement(later.text), Statement(earlier.text)
    return new.revises(old) or new.extends(old)


def _says_again(earlier: Draft, later: Draft) -> bool:
    """True if the same speaker has said it before."""
    return earlier.speaker == later.speaker and Statement(earlier.text).says(Statement(later.text))


def _draft(
    proposal: Proposal,
    turns: Sequence[Turn],
    learned: Sequence[Learned],
    session_id: str,
    now: datetime,
) -> Draft | None:
    """What a proposal becomes; None if the user did not say it of themselves, if it may not be
    stored, or if it is known."""
    if proposal.kind not in (Kind.FACT, Kind.PREFERENCE) or not _was_said(proposal, turns):
        return None
    try:
        text = admit(proposal.text)
    except RefusedText:
        return None
    turn = next((turn for turn in turns if turn.id == proposal.evidence[0].turn_id), None)
    speaker = turn.speaker if turn else None
    # In a group one's own words say nothing about what others have said of themselves.
    own = [(record, said) for record, said in learned if record.speaker == speaker]
    new = Statement(text)
    if MASK in text or any(said.says(new) for _, said in own):
        return None
    at = turn.messages[0].at if turn and turn.messages else now
    return Draft(
        kind=proposal.kind,
        text=text,
        created_at=at,
        session_id=session_id,
        turn_ids=(proposal.evidence[0].turn_id,),
        slot=proposal.slot,
        importance=min(10, max(1, proposal.importance)),
        event_date=_event_date(proposal.event_date, text, turn.said if turn else "", at.date()),
        supersedes=_find_replaced(proposal, own),
        speaker=speaker,
    )


def _event_date(proposed: str | None, text: str, said: str, today: date) -> str | None:
    """The supported part of the proposed date, or the date in the text itself, whichever is more
    precise: models without a date use today's."""
    dates = (supported_date(proposed, said, today) if proposed else None, find_date(text, today))
    return max((day for day in dates if day), key=len, default=None)


def _was_said(proposal: Proposal, turns: Sequence[Turn]) -> bool:
    """True if the user said this and meant it."""
    if not is_grounded(proposal.text, "\n".join(turn.said for turn in turns)):
        return False
    said = next((turn.said for turn in turns if turn.id == proposal.evidence[0].turn_id), "")
    return is_meant(proposal.text, said, wish=proposal.kind is Kind.PREFERENCE)


def _find_replaced(proposal: Proposal, known: Sequence[Learned]) -> str | None:
    """The id of the record that a proposal updates: the one in its slot, else the one it extends or
    reverses, else the one that the extractor named, if they share a word."""
    new = Statement(proposal.text)
    for record, _ in known:
        if proposal.slot and record.slot == proposal.slot:
            return record.id
    for record, old in known:
        if new.revises(old) or new.extends(old):
            return record.id
    named = ((record.id, old) for record, old in known if record.id == proposal.known)
    return next((id_ for id_, old in named if _share_a_word(new, old)), None)


def _share_a_word(one: Statement, other: Statement) -> bool:
    """True if two statements share a meaningful word."""
    return share_in(" ".join(one.essence), " ".join(other.essence)) > 0


def _weightiest(drafts: list[Draft], most: int) -> list[Draft]:
    """At most `most` drafts, the most important ones, in their order."""
    ranked = sorted(range(len(drafts)), key=lambda n: drafts[n].importance, reverse=True)[:most]
    return [drafts[n] for n in sorted(ranked)]


def _summary(
    extraction: Extraction,
    turns: Sequence[Turn],
    known: Sequence[Record],
    session_id: str,
    now: datetime,
) -> list[Draft]:
    text = extraction.summary
    if not text or any(r.kind is Kind.SUMMARY and r.session_id == session_id for r in known):
        return []
    try:
        admitted = admit(text[:_SUMMARY_CHARS])
    except RefusedText:
        return []
    return [
        Draft(
            Kind.SUMMARY,
            admitted,
            turns[-1].messages[-1].at if turns and turns[-1].messages else now,
            session_id=session_id,
            turn_ids=tuple(turn.id for turn in turns),
            topics=clean_topics(extraction.topics),
        )
    ]


def _last_of_each_slot(proposals: Iterable[Proposal], turns: Sequence[Turn]) -> list[Proposal]:
    """Without the proposals that a later one of the same slot and speaker, or of the same replaced
    record, corrects within the session."""
    speakers = {turn.id: turn.speaker for turn in turns}
    kept: dict[object, Proposal] = {}
    for proposal in proposals:
        about = proposal.slot or proposal.known or (proposal.kind, proposal.text)
        key = speakers.get(proposal.evidence[0].turn_id), about
        kept.pop(key, None)
        kept[key] = proposal
    return list(kept.values())
