"""Learns from what was said: a model proposes, code checks, another call of the model reviews."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from memory.background.threads import compute
from memory.errors import RefusedText
from memory.learning.checks import Flaw, find_flaw, refine
from memory.learning.plan import Plan, Planner, draft_summary
from memory.learning.readings import LEARNED, Readings
from memory.ports import LongTermMemory
from memory.records import Actor, Change, ChangeKind, Draft, Kind, Record, Session, Turn
from memory.understanding import (
    Extraction,
    ExtractionFailed,
    Objection,
    Proposal,
    Reading,
    Relation,
    Understanding,
    Verdict,
)

#: How many records, the nearest that search finds, are compared with each statement.
_NEIGHBOURS = 10


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a session teaches: the proposals of its extraction that passed."""

    reading: Reading
    extraction: Extraction
    proposals: tuple[Proposal, ...]


class Learner:
    """Turns what was said into records. `seconds` limits each answer of a model, `most` the new
    records of a session: one with more is somebody feeding us data."""

    def __init__(
        self,
        store: LongTermMemory,
        understanding: Understanding,
        readings: Readings,
        seconds: float,
        most: int,
    ) -> None:
        self._store, self._readings = store, readings
        self._extractor = understanding.extractor
        self._corrector, self._reviewer = understanding.corrector, understanding.reviewer
        self._seconds, self._most = seconds, most

    async def study(self, actor: Actor, turns: Sequence[Turn]) -> Lesson:
        """Read a session; writes nothing. Raises ExtractionFailed, StoreUnavailable."""
        reading = await self._readings.of(actor, turns)
        async with _deadline(self._seconds):
            extraction = await self._extractor.extract(reading)
        passed, objections = await compute(_sift, extraction.proposals, reading)
        if extraction.needs_review:
            if objections and self._corrector:
                async with _deadline(self._seconds):
                    corrected = await self._corrector.correct(reading, objections)
                passed += (await compute(_sift, corrected, reading))[0]
            verdicts = await self._review(reading, passed)
            passed = list(filter(None, map(_apply, passed, verdicts)))
        return Lesson(reading, extraction, tuple(passed))

    async def has_learned(self, session: Session) -> bool:
        """True if what the session teaches was written, which happens all at once: a second reading
        would put it into other words. Raises StoreUnavailable."""
        kinds = (*LEARNED, Kind.SUMMARY)
        records = await self._store.records(session.actor, kinds=kinds, include_superseded=True)
        return any(record.session_id == session.id for record in records)

    async def write(
        self, session: Session, turns: Sequence[Turn], lesson: Lesson, now: datetime
    ) -> tuple[Change, ...] | None:
        """Write what a session teaches, compared with what is known by now. `turns` are all of its
        turns; a store may learn from some of them by itself. None if there is nothing to write.
        The caller holds the actor's lock. Raises StoreUnavailable."""
        actor, read = session.actor, lesson.reading.turns
        plan = await self._plan(actor, lesson.reading, lesson.proposals, session.id, now)
        summary = draft_summary(lesson.extraction, read, session.id, now)
        partly = len(read) < len(turns)
        if summary and not await self._has_summary(actor, summary, partly=partly):
            plan.drafts.append(summary)
        if not plan.drafts and not plan.amendments:
            return None
        return plan.changes(await self._store.commit(actor, plan.drafts, plan.amendments))

    async def judge(self, proposal: Proposal, reading: Reading) -> Proposal:
        """Check and review a single proposal; returns it as it may be stored. Raises RefusedText
        with the reason for the model that made it, ExtractionFailed."""
        flaw = await compute(find_flaw, proposal, reading)
        if flaw:
            raise RefusedText(flaw.reason)
        refined = await compute(refine, proposal, reading)
        (verdict,) = await self._review(reading, [refined])
        related = _apply(refined, verdict)
        if related is None:
            raise RefusedText(_reason(verdict))
        return related

    async def store(
        self, actor: Actor, proposal: Proposal, reading: Reading, now: datetime
    ) -> Change:
        """Write a single proposal that passed. The caller holds the actor's lock. Raises
        RefusedText if it ends a record that is not current, StoreUnavailable."""
        plan = await self._plan(actor, reading, [proposal], None, now)
        if not plan.drafts and not plan.amendments:
            if plan.known is None:
                raise RefusedText("no current memory has that id")
            return Change(ChangeKind.NOTED, plan.known, before=plan.known)
        written = await self._store.commit(actor, plan.drafts, plan.amendments)
        changes = plan.changes(written)
        return changes[0] if changes else Change(ChangeKind.NOTED, written[0], before=plan.known)

    async def _plan(
        self,
        actor: Actor,
        reading: Reading,
        proposals: Sequence[Proposal],
        session_id: str | None,
        now: datetime,
    ) -> Plan:
        nearby = await self._nearby(actor, reading, proposals)
        planner = Planner(reading, nearby, session_id, now)
        return await compute(planner.plan, proposals, self._most)

    async def _nearby(
        self, actor: Actor, reading: Reading, proposals: Iterable[Proposal]
    ) -> list[Record]:
        """The records that proposals name, may repeat or may replace, as they are now. Few records
        are read at once: each search may be a call over the network."""
        if reading.knows_all:
            return await self._store.records(actor, kinds=LEARNED)
        found: dict[str, Record] = {}
        shown = {record.id: record for record in reading.known}
        slots = False
        for proposal in proposals:
            slots |= proposal.slot is not None
            if named := shown.get(proposal.known or ""):
                record = await self._store.find(actor, named.short_id)
                if record and record.id == named.id:
                    found[record.id] = record
            hits = await self._store.search(actor, proposal.text, kinds=LEARNED, limit=_NEIGHBOURS)
            found.update((hit.record.id, hit.record) for hit in hits)
        if slots:
            records = await self._store.records(actor, kinds=LEARNED)
            found.update((record.id, record) for record in records if record.slot)
        return list(found.values())

    async def _has_summary(self, actor: Actor, draft: Draft, *, partly: bool) -> bool:
        """True if the session has a summary already. If it was read `partly`, a summary of its
        other turns does not count."""
        summaries = await self._store.records(actor, kinds=(Kind.SUMMARY,))
        return any(
            summary.session_id == draft.session_id
            and not (partly and set(draft.turn_ids).isdisjoint(summary.turn_ids))
            for summary in summaries
        )

    async def _review(self, reading: Reading, proposals: Sequence[Proposal]) -> Sequence[Verdict]:
        """One verdict for each proposal. Those that the reviewer leaves out do not pass."""
        if not self._reviewer or not proposals:
            return [Verdict()] * len(proposals)
        async with _deadline(self._seconds):
            verdicts = list(await self._reviewer.review(reading, proposals))
        return verdicts + [Verdict(supported=False)] * (len(proposals) - len(verdicts))


@asynccontextmanager
async def _deadline(seconds: float) -> AsyncIterator[None]:
    """A time limit for a model's answer. Raises ExtractionFailed when it is over."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as late:
        raise ExtractionFailed(f"no answer in {seconds:g} seconds") from late


def _sift(
    proposals: Iterable[Proposal], reading: Reading
) -> tuple[list[Proposal], list[Objection]]:
    """The proposals without flaws, and objections to those whose flaw a model may mend."""
    passed: list[Proposal] = []
    objections: list[Objection] = []
    for proposal in dict.fromkeys(proposals):
        flaw: Flaw | None = find_flaw(proposal, reading)
        if flaw is None:
            passed.append(refine(proposal, reading))
        elif flaw.mendable:
            objections.append(Objection(proposal, flaw.reason))
    return passed, objections


def _apply(proposal: Proposal, verdict: Verdict) -> Proposal | None:
    """A proposal after its review; None if it did not pass. Its relation to a known record counts
    only if the review agrees."""
    if not verdict.passes:
        return None
    if verdict.relation_right:
        return proposal
    if proposal.relation is Relation.ENDED:
        return None
    return replace(proposal, relation=Relation.NEW, known=None)


def _reason(verdict: Verdict) -> str:
    """Why a review refused a proposal, for the model that made it."""
    if not verdict.supported:
        return "the user's words do not say that"
    if not verdict.right_person:
        return "the user does not say that of themselves, or of the person it names"
    if not verdict.serious:
        return "the user did not mean that seriously"
    if not verdict.date_right:
        return "its date is not the one that the user said"
    return "the user does not say that it has ended"
