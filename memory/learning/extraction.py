"""What is kept of a session, decided by code: the extractor proposes, this module disposes. Pure.

A proposal that the user's own words do not carry is dropped, one that is known already too; one
that answers the same question differently supersedes the old record, which stays with the date it
stopped being true. Nothing here deletes."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime

from memory.errors import RefusedText
from memory.learning.event_dates import carried, told
from memory.learning.grounding import (
    FILLERS,
    NEGATIONS,
    NOISE,
    NUMERALS,
    grounded,
    meant,
    sequence,
    share_in,
)
from memory.ports import Extraction, Extractor, Proposal
from memory.records import SETTING_SLOTS, Draft, Kind, Record, Turn
from memory.safety.gate import MASK, admit

__all__ = [
    "MAX_TOPICS",
    "Bounded",
    "clean_topics",
    "extends",
    "grounded",
    "plan",
    "revises",
    "same_statement",
    "share_in",
]

#: How many topics a session has at most, and how long one is, in characters and words.
MAX_TOPICS = 10
_TOPIC_CHARS, _TOPIC_WORDS = 40, 4

_SUMMARY_CHARS = 1000

_AFTER_COMMA = re.compile(r"[,;:，；：]")

#: Words that tell how much something is liked: who changes them changes their mind.
_LIKINGS = frozenset(
    "like love enjoy adore hate dislike detest loathe mag liebe hasse gusta gustan encanta "
    "encantan odio adoro amo detesto piace piacciono gosto odeio aime adore déteste люблю "
    "обожаю ненавижу "
    "нравится нравятся 喜 欢 讨 厌 爱".split()
)
#: A statement with one of these says two things, and a denial of one leaves the other.
_LISTING = frozenset("and or und oder y e o et ou и или 和 跟".split())

#: What goes on with a statement and leaves what it said before as it was.
_JOINTS = frozenset(
    "in at as with since for from and but because near until when who which by on last next this "
    "in bei als mit seit für aus und aber weil nahe bis wenn "
    "en como con desde para y pero porque cerca hasta cuando "
    "come da per e ma perché vicino fino quando "
    "em na no com por mas porque perto até "
    "à chez comme avec depuis pour et mais parce près jusqu "
    "в на с со из для и но потому около до когда как".split()
)


class Bounded:
    """An `Extractor` whose sessions leave at most so many facts and preferences: one that wants to
    leave more is being fed, not talked to."""

    def __init__(self, extractor: Extractor, most: int) -> None:
        self._extractor, self._most = extractor, most

    async def extract(self, turns: Sequence[Turn], known: Sequence[Record]) -> Extraction:
        """See `memory.ports.Extractor`."""
        return replace(await self._extractor.extract(turns, known), most=self._most)


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
    for proposal in _last_of_each_slot(extraction.proposals, turns):
        draft = _draft(proposal, turns, current, session_id, now)
        if draft and not any(_says_again(other, draft) for other in drafts):
            drafts = [other for other in drafts if not _overtaken(other, draft)]
            drafts.append(draft)
    return _weightiest(drafts, extraction.most) + _summary(
        extraction, turns, current, session_id, now
    )


def same_statement(one: str, other: str) -> bool:
    """Whether two texts say the same: the same words in the same order, but for words that add
    nothing. One other word makes another statement: "a friend called Anna" is not "called Maria",
    "was married" not "am married", "5 years" not "6 years"."""
    return _essence(one) == _essence(other)


def extends(longer: str, shorter: str) -> bool:
    """Whether a statement says another one and goes on: "I work at Acme as a cook" extends "I work
    at Acme". What only has one more word at its end is another thing: "New York", "guitar hero"."""
    said, first = sequence(longer), sequence(shorter)
    goes_on = len(said) > len(first) > 1 and said[: len(first)] == first
    return goes_on and said[len(first)] in _JOINTS


def says(text: str, other: str) -> bool:
    """Whether a text says all that the other one says."""
    return same_statement(text, other) or extends(text, other)


def revises(new: str, old: str) -> bool:
    """Whether a statement takes another one back or turns it round: the same words but for
    amounts, negations, their order, and how much it is liked; and yet not the same. Another year is
    another event. A denial also takes back what says more: "I don't eat meat" undoes "I eat meat
    every day". What follows a comma does not count."""
    if same_statement(new, old):
        return False
    pairs = ((_content(text), _content(old)) for text in (new, _AFTER_COMMA.split(new)[0]))
    return any(a and a == b for a, b in pairs) or _denies(_AFTER_COMMA.split(new)[0], old)


def _denies(new: str, old: str) -> bool:
    said, before = frozenset(sequence(new)), frozenset(sequence(old))
    a, b = _content(new), _content(old)
    denied = bool(said & NEGATIONS) and not before & NEGATIONS and not before & _LISTING
    return denied and bool(a) and a <= b


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
    """Whether what was said later in the session takes the place of what was said before."""
    if earlier.speaker != later.speaker:
        return False
    if earlier.supersedes and earlier.supersedes == later.supersedes:
        return True
    return revises(later.text, earlier.text) or extends(later.text, earlier.text)


def _says_again(earlier: Draft, later: Draft) -> bool:
    """Whether the same person has said it before."""
    return earlier.speaker == later.speaker and says(earlier.text, later.text)


def _draft(
    proposal: Proposal,
    turns: Sequence[Turn],
    known: Sequence[Record],
    session_id: str,
    now: datetime,
) -> Draft | None:
    """What a proposal becomes; None if the user did not say it of themselves, if it may not be
    stored, or if it is known."""
    if proposal.kind not in (Kind.FACT, Kind.PREFERENCE) or not _was_said(proposal, turns):
        return None
    if proposal.slot in SETTING_SLOTS:
        return None
    try:
        text = admit(proposal.text)
    except RefusedText:
        return None
    turn = next((turn for turn in turns if turn.id == proposal.turn_id), None)
    speaker = turn.speaker if turn else None
    # In a group one's own words say nothing about what others have said of themselves.
    learned = [r for r in known if r.kind is not Kind.SUMMARY and r.speaker == speaker]
    if MASK in text or any(says(record.text, text) for record in learned):
        return None
    at = turn.messages[0].at if turn and turn.messages else now
    return Draft(
        kind=proposal.kind,
        text=text,
        created_at=at,
        session_id=session_id,
        turn_ids=(proposal.turn_id,),
        slot=proposal.slot,
        importance=min(10, max(1, proposal.importance)),
        event_date=_event_date(proposal.event_date, text, turn.said if turn else "", at.date()),
        # What was chosen is changed by choosing anew, and by nothing else.
        supersedes=_replaced(proposal, [r for r in learned if r.slot not in SETTING_SLOTS]),
        speaker=speaker,
    )


def _event_date(proposed: str | None, text: str, said: str, today: date) -> str | None:
    """The proposed date as far as the user's words carry it, or the one that the text itself tells,
    whichever says more: models that know none put today."""
    dates = (carried(proposed, said, today) if proposed else None, told(text, today))
    return max((day for day in dates if day), key=len, default=None)


def _was_said(proposal: Proposal, turns: Sequence[Turn]) -> bool:
    """Whether the user said this, and meant it where they said it."""
    if not grounded(proposal.text, "\n".join(turn.said for turn in turns)):
        return False
    said = next((turn.said for turn in turns if turn.id == proposal.turn_id), "")
    return meant(proposal.text, said, wish=proposal.kind is Kind.PREFERENCE)


def _replaced(proposal: Proposal, known: Sequence[Record]) -> str | None:
    """The record that a proposal updates: the one of its slot, else the one it goes on from or
    turns round, else the one that the extractor named, if they have anything in common."""
    for record in known:
        if proposal.slot and record.slot == proposal.slot:
            return record.id
    for record in known:
        if revises(proposal.text, record.text) or extends(proposal.text, record.text):
            return record.id
    named = (record for record in known if record.id == proposal.replaces)
    return next((record.id for record in named if _related(proposal.text, record.text)), None)


def _related(one: str, other: str) -> bool:
    """Whether two statements share a word that tells something."""
    return share_in(" ".join(_essence(one)), " ".join(_essence(other))) > 0


def _weightiest(drafts: list[Draft], most: int) -> list[Draft]:
    """At most so many drafts, those that matter most, in their order."""
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
        about = proposal.slot or proposal.replaces or (proposal.kind, proposal.text)
        key = speakers.get(proposal.turn_id), about
        kept.pop(key, None)
        kept[key] = proposal
    return list(kept.values())


def _essence(text: str) -> list[str]:
    """The words without those that add nothing; all of them if there are no others."""
    words = sequence(text)
    return [word for word in words if word not in NOISE] or words


def _content(text: str) -> frozenset[str]:
    """The words of a statement without those that a revision changes or adds."""
    words = frozenset(_essence(text))
    amounts = {word for word in words if word.isdigit() and not _is_year(word)}
    return words - NEGATIONS - FILLERS - _LIKINGS - NUMERALS - amounts


def _is_year(word: str) -> bool:
    return len(word) == 4 and word[:2] in ("19", "20")
