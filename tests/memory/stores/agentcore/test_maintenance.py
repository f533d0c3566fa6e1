"""Housekeeping on AWS: what goes there, and whose."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memory.knowledge.maintenance import Maintenance, Retention, Why
from memory.records import Actor, Draft, Kind, Role, Turn, Utterance
from tests.fakes.aws.world import world
from tests.fakes.files import journal_in

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
ANN = Actor("u1")


def fact(text: str, supersedes: str | None = None) -> Draft:
    return Draft(Kind.FACT, text, NOON, session_id="s-1", supersedes=supersedes)


async def test_what_was_replaced_long_ago_is_deleted_on_aws_and_other_programs_are_left_alone(
    tmp_path: Path,
) -> None:
    async with world(tmp_path) as here, await here.store() as store:
        await store.add_turn(ANN, Turn("t-1", "s-1", (Utterance(Role.USER, "hello", NOON),)))
        await store.extraction.flush(ANN)
        await here.calls().ask(
            "create_event",
            actorId="somebody-else",
            sessionId="s-1",
            eventTimestamp=NOON,
            payload=[{"conversational": {"role": "USER", "content": {"text": "hi"}}}],
        )
        (old,) = await store.commit(ANN, [fact("I live in Oslo")])
        await store.commit(ANN, [fact("I live in Lima", supersedes=old.id)])
        assert await store.actors() == [ANN]
        later = NOON + timedelta(days=400)
        with ThreadPoolExecutor(1) as pool:
            async with journal_in(":memory:", pool) as journal:
                removed = await Maintenance(
                    store, journal.maintenance, Retention(), lambda: later
                ).run()
        assert removed.counts == {(Kind.FACT, Why.REPLACED): 1}
        left = await store.records(ANN, kinds=(Kind.FACT,), include_superseded=True)
        assert [record.text for record in left] == ["I live in Lima"]
