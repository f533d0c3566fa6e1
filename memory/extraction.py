"""What is kept of a session, decided by code: the extractor proposes, this module disposes. Pure.

A proposal that the user's own words do not carry is dropped, one that is known already too; one
that answers the same question differently supersedes the old record, which stays with the date it
stopped being true. Nothing here deletes."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from memory.errors import RefusedText
from memory.gate import MASK, admit
from memory.ports import Extraction, Proposal
from memory.records import Draft, Kind, Record, Turn

#: A session that wants to leave more than this is being fed, not talked to.
MAX_RECORDS_PER_SESSION = 30

#: Share of a proposal's words that must stand in what the user said in the session. Below 1
#: because models put "my" for "our" and a name for "he".
GROUNDED_SHARE = 0.6

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_NO_SPACES = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_NEGATIONS = frozenset(
    "no not never don't dont doesn't didn't isn't aren't wasn't won't can't cannot haven't hasn't "
    "нет не никогда kein keine nicht nie nada nunca ne pas jamais non mai não नहीं 不 没".split()
)

_YEAR = re.compile(r"(?:19|20)\d\d")

#: Words that add nothing to a statement.
_NOISE = frozenset(
    "a an the really very actually just also so please totally definitely quite "
    "очень просто wirklich sehr realmente muy molto muito vraiment très".split()
)

#: Words that come and go when somebody changes their mind.
_FILLERS = frozenset(
    "actually now any anymore more longer really do does did have be am been still again "
    "больше теперь уже mehr jetzt ya más ahora più adesso mais agora plus maintenant".split()
)


def plan(
    extraction: Extraction,
    turns: Sequence[Turn],
    known: Sequence[Record],
    session_id: str,
    now: datetime,
) -> list[Draft]:
    """The drafts to write for a session, given the actor's current records."""
    drafts: list[Draft] = []
    said_at = {turn.id: turn.messages[0].at for turn in turns if turn.messages}
    said = "\n".join(turn.said for turn in turns)
    current = [record for record in known if record.current]
    for proposal in _last_of_each_slot(extraction.proposals):
        draft = _draft(proposal, said, current, session_id, said_at.get(proposal.turn_id, now))
        if draft and not any(same_statement(draft.text, other.text) for other in drafts):
            drafts = [other for other in drafts if not _overtaken(other, draft)]
            drafts.append(draft)
    drafts = drafts[:MAX_RECORDS_PER_SESSION]
    return drafts + _summary(extraction.summary, turns, current, session_id, now)


def same_statement(one: str, other: str) -> bool:
    """Whether two texts say the same: the same words in the same order, but for words that add
    nothing. One other word makes another statement: "a friend called Anna" is not "called Maria",
    "was married" not "am married", "5 years" not "6 years"."""
    return _without_noise(one) == _without_noise(other)


def revises(new: str, old: str) -> bool:
    """Whether a statement takes another one back or turns it round: the same words but for
    amounts, negations and their order, and yet not the same. Another year is another event."""
    a, b = _content(new), _content(old)
    return bool(a) and a == b and not same_statement(new, old)


def grounded(text: str, said: str) -> bool:
    """Whether the user's words carry this text, in any language: most of its words are theirs."""
    if share_in(text, said) < GROUNDED_SHARE:
        return False
    return _numbers(_words(text)) <= _numbers(_words(said))


def share_in(text: str, other: str) -> float:
    """The share of a text's words that stand in the other one, in some form; 0 without words."""
    own, there = _words(text), _words(other)
    found = sum(1 for w in own if w in there or any(_akin(w, o) for o in there))
    return found / len(own) if own else 0.0


def _overtaken(earlier: Draft, later: Draft) -> bool:
    """Whether what was said later in the session takes the place of what was said before."""
    if earlier.supersedes and earlier.supersedes == later.supersedes:
        return True
    return revises(later.text, earlier.text)


def _draft(
    proposal: Proposal, said: str, known: Sequence[Record], session_id: str, at: datetime
) -> Draft | None:
    if proposal.kind not in (Kind.FACT, Kind.PREFERENCE) or not grounded(proposal.text, said):
        return None
    try:
        text = admit(proposal.text)
    except RefusedText:
        return None
    if MASK in text:
        return None
    if any(
        record.kind is not Kind.SUMMARY and same_statement(text, record.text) for record in known
    ):
        return None
    return Draft(
        kind=proposal.kind,
        text=text,
        created_at=at,
        session_id=session_id,
        turn_ids=(proposal.turn_id,),
        slot=proposal.slot,
        importance=min(10, max(1, proposal.importance)),
        event_date=proposal.event_date,
        supersedes=_replaced(proposal, known),
    )


def _replaced(proposal: Proposal, known: Sequence[Record]) -> str | None:
    """The record that a proposal updates: the one of its slot, else the one the extractor named."""
    own = [record for record in known if record.kind is not Kind.SUMMARY]
    if proposal.slot:
        return next((record.id for record in own if record.slot == proposal.slot), None)
    named = next((record.id for record in own if record.id == proposal.replaces), None)
    revised = (record.id for record in own if revises(proposal.text, record.text))
    return named or next(revised, None)


def _summary(
    text: str | None,
    turns: Sequence[Turn],
    known: Sequence[Record],
    session_id: str,
    now: datetime,
) -> list[Draft]:
    if not text or any(r.kind is Kind.SUMMARY and r.session_id == session_id for r in known):
        return []
    try:
        admitted = admit(text[:1000])
    except RefusedText:
        return []
    ended = turns[-1].messages[-1].at if turns and turns[-1].messages else now
    ids = tuple(turn.id for turn in turns)
    return [Draft(Kind.SUMMARY, admitted, ended, session_id=session_id, turn_ids=ids)]


def _last_of_each_slot(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Without the proposals that a later one of the same slot, or of the same replaced record,
    corrects within the session."""
    kept: dict[object, Proposal] = {}
    for proposal in proposals:
        key = proposal.slot or proposal.replaces or (proposal.kind, proposal.text)
        kept.pop(key, None)
        kept[key] = proposal
    return list(kept.values())


def _words(text: str) -> frozenset[str]:
    """The words of a text, case folded; of scripts without spaces, its characters."""
    return frozenset(_sequence(text))


def _without_noise(text: str) -> list[str]:
    return [word for word in _sequence(text) if word not in _NOISE]


def _content(text: str) -> frozenset[str]:
    """The words of a statement without those that a revision changes or adds."""
    amounts = {word for word in _words(text) if word.isdigit() and not _YEAR.fullmatch(word)}
    return _words(text) - _NEGATIONS - _FILLERS - amounts


def _sequence(text: str) -> list[str]:
    """The words in their order, each at its first place."""
    found = (w for word in _WORD.findall(text.casefold()) for w in _parts(word))
    return list(dict.fromkeys(found))


def _parts(word: str) -> Iterable[str]:
    """The word itself, or its characters where the script has no spaces."""
    return word if _NO_SPACES.search(word) else (word,)


def _numbers(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if any(c.isdigit() for c in word))


def _akin(word: str, other: str) -> bool:
    """Whether two words look like forms of one: a common beginning of four letters or more that
    makes up most of both."""
    common = 0
    for a, b in zip(word, other, strict=False):
        if a != b:
            break
        common += 1
    return common >= 4 and common >= 0.6 * max(len(word), len(other))
