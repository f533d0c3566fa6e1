"""Whatever is said, repeated, changed, ended and begun again: nothing true is lost, and every
change shows in the history."""

import asyncio
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.records import Actor, Evidence, Kind, Place, Record, Role, Session, Turn, Utterance
from memory.stores.sqlite.store import SqliteStore
from memory.understanding import Extraction, Proposal, Reading, Relation
from tests.fakes.extractors import learner

ME = Actor.person(1)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
LEARNED = (Kind.FACT, Kind.PREFERENCE)

#: Statements that differ in a number, a name or a date, each with the same thing in other words.
STATEMENTS = [
    (f"My {thing} number is {n}", f"The number of my {thing} is {n}")
    for thing in ("locker", "invoice")
    for n in (1234, 1235)
] + [
    (f"My {who} is called {name}", f"{name} is my {who}")
    for who in ("sister", "dog")
    for name in ("Anna", "Maria")
] + [
    (f"I play {game} on {day} June 2027", f"On {day} June 2027 I play {game}")
    for game in ("chess", "tennis")
    for day in (4, 5)
]  # fmt: skip


@dataclass(frozen=True)
class Step:
    """Something that is said in a session: a statement, which may be a repetition in other words,
    the change of another one into this, or its end."""

    statement: int
    way: str
    other: int = 0


steps = st.lists(
    st.builds(
        Step,
        st.integers(0, len(STATEMENTS) - 1),
        st.sampled_from(["say", "say", "reword", "change", "end"]),
        st.integers(0, len(STATEMENTS) - 1),
    ),
    max_size=12,
)


class Teller:
    """An extractor that proposes one statement of the session."""

    def __init__(self) -> None:
        self.proposal: Proposal | None = None

    async def extract(self, reading: Reading) -> Extraction:
        assert self.proposal is not None
        return Extraction((self.proposal,))


async def tell(told: Sequence[Step], directory: Path) -> None:
    with ThreadPoolExecutor(1) as pool:
        store, teller = SqliteStore(directory, pool), Teller()
        learns = learner(store, teller)
        current: dict[int, str] = {}
        for number, step in enumerate(told):
            before = {r.text: r for r in await store.records(ME, kinds=LEARNED)}
            text, reworded = STATEMENTS[step.statement]
            relation, known = Relation.NEW, None
            if step.way == "reword" and step.statement in current:
                text, relation = reworded, Relation.SAME
                known = before[current[step.statement]]
            elif step.way == "change" and step.other in current and step.statement not in current:
                relation, known = Relation.CHANGED, before[current[step.other]]
            elif step.way == "end" and step.statement in current:
                relation, known = Relation.ENDED, before[current[step.statement]]
            teller.proposal = Proposal(
                Kind.FACT,
                text,
                (Evidence(f"t{number}", text),),
                relation=relation,
                known=known.id if known else None,
                reason=f"step {number}",
            )
            at = NOON + timedelta(days=number)
            turn = Turn(f"t{number}", f"s{number}", (Utterance(Role.USER, text, at),))
            lesson = await learns.study(ME, (turn,))
            session = Session(f"s{number}", ME, Place("telegram", 1), at, at)
            changes = await learns.write(session, (turn,), lesson, at) or ()
            after = await store.records(ME, kinds=LEARNED, include_superseded=True)
            told_again = step.statement in current
            if relation is Relation.ENDED:
                del current[step.statement]
            elif relation is Relation.CHANGED:
                del current[step.other]
            if relation in (Relation.NEW, Relation.CHANGED) and not told_again:
                current[step.statement] = text
            check_history(known, relation, after, f"step {number}")
            assert len(changes) == (relation is Relation.ENDED or not told_again)
            # Nothing is lost, and nothing is there twice.
            assert sorted(r.text for r in after if r.current) == sorted(current.values())
        await store.aclose()


def check_history(
    known: Record | None, relation: Relation, after: Sequence[Record], reason: str
) -> None:
    """What was changed or ended is history that says why; what was said again has its evidence."""
    if known is None:
        return
    old = next(record for record in after if record.id == known.id)
    assert old.text == known.text
    if relation is Relation.SAME:
        assert len(old.evidence) > len(known.evidence) or old.evidence == known.evidence
    elif relation is Relation.ENDED:
        assert (old.current, old.reason) == (False, reason)
    else:
        new = next(record for record in after if record.supersedes == known.id)
        assert (old.current, new.reason) == (False, reason)


@given(steps)
@settings(max_examples=40, deadline=None)
def test_nothing_true_is_lost_and_every_change_shows(told: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        asyncio.run(tell(told, Path(directory)))
