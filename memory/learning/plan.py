"""Plans what is written of the proposals that passed: new records, and changes of known ones.

A record is replaced or ended because a proposal says so by its id, never because two statements
look alike. What is known already gains evidence."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from memory.errors import RefusedText
from memory.learning.checks import MAX_EVIDENCE, speaker_label
from memory.learning.sameness import repeats, restates
from memory.records import (
    Amendment,
    Change,
    ChangeKind,
    Draft,
    Evidence,
    Kind,
    Record,
    Role,
    Speaker,
    Turn,
)
from memory.safety.gate import admit
from memory.safety.secrets import MASK, mask_secrets
from memory.understanding import Extraction, Proposal, Reading, Relation

#: How many topics a session has at most, and how long one is, in characters and words.
MAX_TOPICS = 10
_TOPIC_CHARS, _TOPIC_WORDS = 40, 4

_SUMMARY_CHARS = 1000
#: How much of the user's words is kept as evidence, in characters.
_EVIDENCE_CHARS = 400


@dataclass(slots=True)
class Plan:
    """The drafts and amendments to commit. `before` holds the records that they replace or end, by
    id; `known` is the last record that a proposal only repeated."""

    drafts: list[Draft] = field(default_factory=list)
    amendments: list[Amendment] = field(default_factory=list)
    before: dict[str, Record] = field(default_factory=dict)
    known: Record | None = None

    def changes(self, written: Sequence[Record]) -> tuple[Change, ...]:
        """What people are told, given the records that `commit` returned. A record that only gained
        evidence is no change."""
        new, amended = written[: len(self.drafts)], written[len(self.drafts) :]
        noted = (
            Change(
                ChangeKind.CHANGED if draft.supersedes else ChangeKind.NOTED,
                record,
                self.before.get(draft.supersedes or ""),
            )
            for draft, record in zip(self.drafts, new, strict=True)
            if draft.kind is not Kind.SUMMARY
        )
        ended = (
            Change(ChangeKind.ENDED, record, self.before.get(amendment.record_id))
            for amendment, record in zip(self.amendments, amended, strict=True)
            if amendment.ended_at
        )
        return (*noted, *ended)


class Planner:
    """Plans what is written of one session. `nearby` are the actor's current records that the
    proposals name, and those that may say the same."""

    def __init__(
        self, reading: Reading, nearby: Iterable[Record], session_id: str | None, now: datetime
    ) -> None:
        self._turns = {turn.id: turn for turn in reading.turns}
        self._reading, self._session_id, self._now = reading, session_id, now
        self._current = {record.id: record for record in nearby if record.current}
        self._nameable = {record.id for record in reading.known}
        self._evidence: dict[str, list[Evidence]] = {}
        self._plan = Plan()

    def plan(self, proposals: Iterable[Proposal], most: int) -> Plan:
        """At most `most` new records, the weightiest. Evidence and endings have no limit."""
        plan = self._plan
        for proposal in self._last_of_each_slot(proposals):
            self._add(proposal)
        ranked = sorted(plan.drafts, key=lambda draft: -draft.importance)[:most]
        plan.drafts = [draft for draft in plan.drafts if any(draft is each for each in ranked)]
        for record_id, evidence in self._evidence.items():
            plan.amendments.append(Amendment(record_id, tuple(evidence)))
        return plan

    def _add(self, proposal: Proposal) -> None:
        known = self._known_record(proposal)
        evidence = self._evidence_of(proposal)
        if proposal.relation is Relation.ENDED:
            if known and not any(a.record_id == known.id for a in self._plan.amendments):
                self._end(known, proposal, evidence)
            return
        if proposal.relation is Relation.SAME and known:
            self._add_evidence(known, evidence)
            return
        speaker = self._speaker(proposal)
        said = self._said_for(proposal)
        own = (record for record in self._current.values() if record.speaker == speaker)
        twin = next(
            (r for r in own if repeats(r, proposal) or restates(proposal.text, r.text, said)), None
        )
        if twin:
            self._add_evidence(twin, evidence)
            return
        draft = self._draft(proposal, evidence)
        for place, other in enumerate(self._plan.drafts):
            if other.speaker == speaker and repeats(other, draft):
                self._plan.drafts[place] = _join(other, draft)
                return
        self._plan.drafts.append(draft)

    def _said_for(self, proposal: Proposal) -> str:
        """What was said in the turns of a proposal's evidence, and asked right before them."""
        cited = {evidence.turn_id for evidence in proposal.evidence}
        said, question = [], ""
        for turn in self._reading.turns:
            if turn.id in cited:
                said += [question, turn.said]
            question = next((m.text for m in turn.messages if m.role is Role.ASSISTANT), "")
        return "\n".join(said)

    def _known_record(self, proposal: Proposal) -> Record | None:
        """The record that a proposal names: one that the model was shown, still current, and of the
        same speaker."""
        record = self._current.get(proposal.known or "")
        if record is None or record.id not in self._nameable:
            return None
        return record if record.speaker == self._speaker(proposal) else None

    def _end(self, record: Record, proposal: Proposal, evidence: tuple[Evidence, ...]) -> None:
        self._plan.before[record.id] = record
        self._plan.amendments.append(
            Amendment(
                record.id,
                evidence=_new_evidence(record, evidence),
                ended_at=self._now,
                true_until=proposal.true_until or proposal.event_date,
                reason=proposal.reason or proposal.text,
            )
        )

    def _add_evidence(self, record: Record, evidence: tuple[Evidence, ...]) -> None:
        self._plan.known = record
        news = _new_evidence(record, evidence)
        if news and len(record.evidence) < MAX_EVIDENCE:
            gained = self._evidence.setdefault(record.id, [])
            gained += [each for each in news if each not in gained]

    def _draft(self, proposal: Proposal, evidence: tuple[Evidence, ...]) -> Draft:
        cited = [turn for e in evidence if (turn := self._turns.get(e.turn_id))]
        replaced = self._record_to_replace(proposal)
        if replaced:
            self._plan.before[replaced.id] = replaced
        return Draft(
            proposal.kind,
            self._statement(proposal.text),
            cited[-1].messages[0].at if cited else self._now,
            session_id=self._session_id,
            turn_ids=tuple(dict.fromkeys(turn.id for turn in cited)),
            slot=proposal.slot,
            importance=proposal.importance,
            event_date=proposal.event_date,
            supersedes=replaced.id if replaced else None,
            speaker=self._speaker(proposal),
            evidence=evidence,
            about=proposal.about,
            recurrence=proposal.recurrence,
            true_since=proposal.true_since,
            true_until=proposal.true_until,
            basis=proposal.basis,
            reason=proposal.reason if replaced else None,
        )

    def _record_to_replace(self, proposal: Proposal) -> Record | None:
        """The record that a proposal replaces: the one it names, or the one in its slot. Of several
        proposals only the first replaces a record: the others are kept beside it."""
        speaker = self._speaker(proposal)
        named = self._known_record(proposal) if proposal.relation is Relation.CHANGED else None
        in_slot = (
            record
            for record in self._current.values()
            if proposal.slot and record.slot == proposal.slot and record.speaker == speaker
        )
        record = named or next(in_slot, None)
        taken = {draft.supersedes for draft in self._plan.drafts}
        taken |= {amendment.record_id for amendment in self._plan.amendments}
        return record if record and record.id not in taken else None

    def _evidence_of(self, proposal: Proposal) -> tuple[Evidence, ...]:
        """The evidence as it is stored, in the order of its turns."""
        order = {turn_id: place for place, turn_id in enumerate(self._turns)}
        stored = (
            replace(
                each,
                words=mask_secrets(each.words)[:_EVIDENCE_CHARS],
                at=self._turns[each.turn_id].messages[0].at,
            )
            for each in proposal.evidence
            if each.turn_id in self._turns
        )
        return tuple(sorted(dict.fromkeys(stored), key=lambda each: order[each.turn_id]))

    def _speaker(self, proposal: Proposal) -> Speaker | None:
        """Whose statement it is in a group: who is named before it, else who said it first."""
        cited = [turn for e in proposal.evidence if (turn := self._turns.get(e.turn_id))]
        label = speaker_label(proposal.text, cited)
        speakers = [turn.speaker for turn in cited]
        named = (each for each in speakers if each and each.name == label)
        return next(named, next(iter(speakers), None))

    def _statement(self, text: str) -> str:
        """The statement without the speaker's name before it: the record names them."""
        label = speaker_label(text, self._reading.turns)
        return text.partition(":")[2].strip() if label else text

    def _last_of_each_slot(self, proposals: Iterable[Proposal]) -> list[Proposal]:
        """Without proposals that a later one in the same slot corrects within the session."""
        kept: dict[object, Proposal] = {}
        for place, proposal in enumerate(proposals):
            speaker = self._speaker(proposal)
            key = (speaker and speaker.key, proposal.slot) if proposal.slot else place
            kept.pop(key, None)
            kept[key] = proposal
        return list(kept.values())


def draft_summary(
    extraction: Extraction, turns: Sequence[Turn], session_id: str, now: datetime
) -> Draft | None:
    """The summary of a session with its topics, if the extractor wrote one that may be stored."""
    if not extraction.summary:
        return None
    try:
        admitted = admit(extraction.summary[:_SUMMARY_CHARS])
    except RefusedText:
        return None
    return Draft(
        Kind.SUMMARY,
        admitted,
        turns[-1].messages[-1].at if turns and turns[-1].messages else now,
        session_id=session_id,
        turn_ids=tuple(turn.id for turn in turns),
        topics=clean_topics(extraction.topics),
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


def _new_evidence(record: Record, evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The evidence that a record does not have."""
    had = {(each.turn_id, each.words) for each in record.evidence}
    return tuple(each for each in evidence if (each.turn_id, each.words) not in had)


def _join(one: Draft, other: Draft) -> Draft:
    """One draft with the evidence of two that say the same."""
    return replace(
        one,
        evidence=tuple(dict.fromkeys((*one.evidence, *other.evidence)))[:MAX_EVIDENCE],
        turn_ids=tuple(dict.fromkeys((*one.turn_ids, *other.turn_ids))),
        supersedes=one.supersedes or other.supersedes,
        reason=one.reason or other.reason,
        event_date=one.event_date or other.event_date,
    )
