"""Two people's life with a bot on AWS, in simulated time, while AWS is late and fails in every way.

A `Life` takes steps in any order and knows what each person has said, what of it they have
forgotten, and what nobody can know because a call failed. `judge` lets AWS recover and a day
pass, and tells what was lost, what came back, and what somebody saw of somebody else."""

import asyncio
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from memory.conversation.live import SessionLimits
from memory.errors import MemoryFailure
from memory.knowledge.forgetting import Forgotten
from memory.memory import Memory, MemoryOptions
from memory.records import LEARNED_KINDS, Actor, Kind, Place, Role, Utterance
from memory.stores.agentcore.calls.circuit import Circuits
from tests.fakes.aws import Knobs
from tests.fakes.aws.data import Contents
from tests.fakes.aws.world import Machinery
from tests.fakes.extractors import NoSentence
from tests.fakes.files import journal_in
from tests.fakes.simulated.aws import TIMING, simulated
from tests.fakes.simulated.loop import now
from tests.fakes.summarizers import Numbering
from tests.fakes.understanding import understood
from tests.faults.steps import (
    FAULTS,
    Asks,
    Ends,
    Extracts,
    Fails,
    Forgets,
    ForgetsAll,
    Passes,
    Recovers,
    Remembers,
    Repeats,
    Restarts,
    Says,
    SaysTwice,
    Step,
    Undoes,
)
from tests.faults.verdict import Statement, Verdict, words

#: One's id begins like the other's.
PEOPLE = (Actor("u1"), Actor("u12"))
#: Where waiting for the disk costs nothing; nobody cuts the power here.
_QUICK_DISK = "/dev/shm" if Path("/dev/shm").is_dir() else None
#: In a day the store has looked several times for what should be gone.
_DAY = 86_400.0
OPTIONS = MemoryOptions(
    # Once a day is often enough for what waits until nobody has talked for long.
    background_seconds=86_400,
    limits=SessionLimits(conversation_window_size=4, summary_turn_count=2),
)


class Life:
    """See above. Use with `async with`, on a SimulatedLoop."""

    def __init__(self, made: Machinery, folder: Path) -> None:
        self._made, self._folder = made, folder
        self._pool = ThreadPoolExecutor(1)
        self._words = words()
        self.told: dict[Actor, list[Statement]] = {actor: [] for actor in PEOPLE}
        self._undoable: dict[Actor, tuple[Forgotten, list[Statement]]] = {}
        self.verdict = Verdict()

    async def __aenter__(self) -> "Life":
        self._made.aws.calls.clear()
        circuits = Circuits("AgentCore", clock=asyncio.get_running_loop().time)
        self.world = replace(await self._made.world(self._folder), circuits=circuits)
        await self._start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stop()
        self._made.aws.faults.clear()
        self.verdict.calls = len(self._made.aws.calls)
        self._pool.shutdown()

    async def _start(self) -> None:
        self.store = await self.world.store(TIMING)
        self.journal = journal_in(self._folder / "journal.sqlite", self._pool)
        await self.store.__aenter__()
        await self._open_memory()

    async def _open_memory(self) -> None:
        understanding = understood(NoSentence(), Numbering())
        self.memory = Memory(self.store, self.journal, understanding, OPTIONS, now)
        await self.memory.__aenter__()

    async def _stop(self) -> None:
        await self.memory.__aexit__(None, None, None)
        await self.journal.aclose()
        await self.store.aclose()

    async def _die(self) -> None:
        """Whatever runs stops where it is."""
        doomed = asyncio.all_tasks() - {asyncio.current_task()}
        for task in doomed:
            task.cancel()
        await asyncio.gather(*doomed, return_exceptions=True)
        await self.journal.aclose()
        await self.store.aclose()

    # -- steps ------------------------------------------------------------------------------------

    async def take(self, step: Step) -> None:
        """Do what the step says, and look whether anything forgotten is to be seen."""
        match step:
            case Says(who, to_keep):
                await self._say(PEOPLE[who], to_keep=to_keep)
            case SaysTwice(who):
                await self._say_twice(PEOPLE[who])
            case Repeats(who, which):
                await self._repeat(PEOPLE[who], which)
            case Asks(who, which):
                await self._ask(PEOPLE[who], which)
            case Remembers(who):
                await self._remember(PEOPLE[who], self._statement(PEOPLE[who]))
            case Forgets(who, which):
                await self._forget(PEOPLE[who], which)
            case Undoes(who):
                await self._undo(PEOPLE[who])
            case ForgetsAll(who):
                await self._forget_all(PEOPLE[who])
            case Ends(who):
                await self.memory.talk.end(PEOPLE[who], _place(PEOPLE[who]), "new")
            case Passes(seconds):
                await asyncio.sleep(seconds)
            case Fails(how, operation):
                self._made.aws.faults.add(FAULTS[how](operation))
            case Recovers():
                self._made.aws.faults.clear()
            case Extracts(seconds, fails):
                # What was due until now has been done as it was.
                self._contents.jobs.settle(now().timestamp(), self._made.aws.knobs)
                self._made.aws.knobs.extraction_seconds = seconds
                self._made.aws.knobs.extraction_fails = fails
            case Restarts(killed):
                self._undoable.clear()
                await (self._die() if killed else self._stop())
                await self._start()
        for number, actor in enumerate(PEOPLE):
            concerns = getattr(step, "who", number) == number
            looks = isinstance(step, Forgets | ForgetsAll | Passes | Restarts) and concerns
            if looks and self._gone(actor):
                await self._look(actor, f"after {step}")

    @property
    def _contents(self) -> Contents:
        """What stands at AWS."""
        return self._made.aws.data().contents(self.world.memory.id)

    def _statement(self, actor: Actor) -> Statement:
        thing, name, number = next(self._words), next(self._words), len(self.told[actor])
        kinds = (
            (f"My {thing} is called {name}", None),
            (f"I prefer {thing} to {name}", None),
            (f"My {thing} is called {name}", None),
            (f"I live in {thing} near {name}", "home"),
        )
        text, slot = kinds[number % len(kinds)]
        statement = Statement((thing, name), text, slot=slot)
        for earlier in self.told[actor]:
            if statement.slot and earlier.slot == statement.slot and earlier.fate == "kept":
                # It is history, or AWS has written the new one in its place.
                earlier.fate = "unsure"
        self.told[actor].append(statement)
        return statement

    async def _say(self, actor: Actor, *, to_keep: bool) -> None:
        statement = self._statement(actor)
        text = statement.text
        if to_keep:
            await self._remember(actor, statement)
            text = f"Please remember that {text.replace('My', 'my')}"
        await self._tell(actor, statement, text)

    async def _say_twice(self, actor: Actor) -> None:
        one, other = self._statement(actor), self._statement(actor)
        await self._turn(actor, f"{one.text}. {other.text}.", "I see")
        for each in (one, other):
            each.event = "kept"
        one.beside, other.beside = other, one

    async def _tell(self, actor: Actor, statement: Statement, text: str) -> None:
        await self._turn(actor, text, "I see")
        # Whether or not a command was done, AWS learns from the turn.
        statement.fate = statement.event = "kept"

    async def _repeat(self, actor: Actor, which: int) -> None:
        told = [each for each in self.told[actor] if each.event and not each.slot]
        if told:
            statement = told[which % len(told)]
            await self._tell(actor, statement, statement.text)

    async def _ask(self, actor: Actor, which: int) -> None:
        known = [each for each in self.told[actor] if each.fate == "kept"]
        if known:
            statement = known[which % len(known)]
            await self._turn(actor, "What do you know about me?", f"You said: {statement.text}")

    async def _turn(self, actor: Actor, text: str, reply: str) -> None:
        place = _place(actor)
        await self.memory.talk.recall(actor, place, text)
        said = (Utterance(Role.USER, text, now()), Utterance(Role.ASSISTANT, reply, now()))
        self.verdict.turns += 1
        await self.memory.talk.record(actor, place, said, name=str(self.verdict.turns))

    async def _remember(self, actor: Actor, statement: Statement) -> None:
        try:
            await self.memory.known.remember(actor, statement.text)
        except MemoryFailure:
            statement.fate = "unsure"
        else:
            statement.explicit = True

    async def _forget(self, actor: Actor, which: int) -> None:
        records = []
        with suppress(MemoryFailure):
            kinds = (Kind.FACT, Kind.PREFERENCE, Kind.MESSAGE)
            records = await self.memory.known.records(actor, kinds)
        records = [record for record in records if record.role is not Role.ASSISTANT]
        if not records:
            return
        record = records[which % len(records)]
        meant = self._told_by(actor, record.text)
        try:
            gone = await self.memory.known.forget(actor, record)
        except MemoryFailure:
            fate = "unsure"
        else:
            fate = "gone"
            # With what it had taken the place of.
            texts = [each.text for each in (gone.record, *gone.history)]
            meant = [s for text in texts for s in self._told_by(actor, text)]
            self._undoable[actor] = gone, meant
            self.verdict.forgotten += len(meant)
        learned = self._learned_of(actor)
        for statement in meant:
            # Once it was promised to be gone it is.
            if statement.fate != "gone":
                statement.fate = fate
                statement.event = statement.event and fate
                is_known = statement.explicit or any(map(statement.is_told_by, learned))
                if record.kind is Kind.MESSAGE and is_known:
                    # The message goes; what was learned from it before may stay.
                    statement.fate = statement.event = "unsure"
            if statement.beside and statement.beside not in meant:
                statement.beside.spoil()

    def _learned_of(self, actor: Actor) -> list[str]:
        """What AWS has learned of the actor, though its lists may not show it yet."""
        aws, contents = self._made.aws, self._contents
        contents.jobs.settle(now().timestamp(), aws.knobs)
        found = contents.shelf.found(now().timestamp())
        return [record.text for record in found if f"/{actor.id}/" in record.namespace]

    def _told_by(self, actor: Actor, text: str) -> list[Statement]:
        return [each for each in self.told[actor] if each.is_told_by(text)]

    async def _undo(self, actor: Actor) -> None:
        if actor not in self._undoable:
            return
        gone, meant = self._undoable.pop(actor)
        try:
            await self.memory.known.restore(actor, gone)
        except MemoryFailure:
            fate = "unsure"
        else:
            fate = "kept"
        for statement in meant:
            statement.fate, statement.explicit = fate, True
            # AWS takes no event back.
            statement.event = statement.event and "unsure"

    async def _forget_all(self, actor: Actor) -> None:
        # The wish is written down before anything is deleted, so it counts whatever fails then.
        with suppress(MemoryFailure):
            await self.memory.forget_all(actor)
        self._undoable.pop(actor, None)
        for statement in self.told[actor]:
            statement.fate = "gone"
            statement.event = statement.event and "gone"
        self.verdict.forgotten += len(self.told[actor])

    # -- what is seen -----------------------------------------------------------------------------

    def _gone(self, actor: Actor) -> list[Statement]:
        return [statement for statement in self.told[actor] if statement.fate == "gone"]

    async def _seen(self, actor: Actor) -> dict[str, str]:
        """What each way to read shows of the actor."""
        known, ways = self.memory.known, dict[str, Any]()
        asked = " ".join(s.words[1] for s in (self._gone(actor) or self.told[actor])[-3:])
        with suppress(MemoryFailure):
            kinds = (*LEARNED_KINDS, Kind.MESSAGE)
            records = await known.records(actor, kinds, everything=True)
            ways["records"] = records
            ways["facts"] = [r for r in records if r.kind in (Kind.FACT, Kind.PREFERENCE)]
        with suppress(MemoryFailure):
            ways["search"] = await known.search(actor, asked or "name", limit=20, least=0.0)
        with suppress(MemoryFailure):
            ways["profile"] = await self.memory.talk.profile(actor)
        with suppress(MemoryFailure):
            ways["export"] = (await known.export(actor)).json
        with suppress(MemoryFailure):
            ways["window"] = await self.memory.talk.recent(actor, _place(actor))
        return {way: str(found) for way, found in ways.items()}

    async def _look(self, actor: Actor, when: str) -> dict[str, str]:
        seen = await self._seen(actor)
        others = [s for other in PEOPLE if other != actor for s in self.told[other]]
        for way, text in seen.items():
            back = [s.text for s in self._gone(actor) if s.is_in(text)]
            self.verdict.resurrected += [f"{each!r} in {way} {when}" for each in back]
            strange = [s.text for s in others if s.is_in(text)]
            self.verdict.foreign += [f"{actor.id} sees {s!r} in {way} {when}" for s in strange]
        return seen

    async def judge(self) -> Verdict:
        """The verdict, after AWS is well again and a day has passed."""
        aws = self._made.aws
        aws.faults.clear()
        await asyncio.sleep(600)
        aws.knobs.extraction_fails = False
        await self._start_failed_jobs_again()
        # It looks for work twice a minute; nobody talks to it today.
        await self.memory.__aexit__(None, None, None)
        await asyncio.sleep(1.1 * _DAY)
        await self._open_memory()
        contents, moment = self._contents, now().timestamp()
        contents.jobs.settle(moment, aws.knobs)
        for actor in PEOPLE:
            # The first call after an outage is a trial: what comes with it is refused.
            with suppress(MemoryFailure):
                await self.memory.known.records(actor)
            await asyncio.sleep(60)
            seen = await self._look(actor, "in the end")
            events = [e for e in contents.log.events if e.actor_id == actor.id]
            here = [str(e.payload) for e in events if e.gone_at is None or moment < e.gone_at]
            rows = self._learned_of(actor)
            self._compare(self.told[actor], here, rows, seen.get("facts", ""))
        return self.verdict

    def _compare(
        self, told: Iterable[Statement], events: list[str], rows: list[str], seen: str
    ) -> None:
        for each in told:
            if each.event == "kept" and not any(map(each.is_in, events)):
                self.verdict.lost.append(each.text)
            if each.fate == "kept" and not each.is_in(seen):
                self.verdict.missing.append(each.text)
            if each.fate == "gone":
                left = [f"event {e}" for e in events if each.is_in(e)]
                left += [f"record {r!r}" for r in rows if each.is_in(r)]
                self.verdict.resurrected += [f"{each.text!r} at AWS: {there}" for there in left]

    async def _start_failed_jobs_again(self) -> None:
        """As an operator may, whatever has been forgotten meanwhile."""
        contents = self._contents
        contents.jobs.settle(now().timestamp(), self._made.aws.knobs)
        due = now().timestamp() + 60
        contents.jobs.waiting += [replace(job, due=due) for job in contents.jobs.failed.values()]
        contents.jobs.failed.clear()


def _place(actor: Actor) -> Place:
    return Place("telegram", int(actor.id[1:]))


@contextmanager
def stage() -> Iterator[Machinery]:
    """A simulated AWS, harsh in every way that passes by itself."""
    with simulated(Knobs.harsh(5), NoSentence(), latency=0.1) as made:
        yield made


async def live(made: Machinery, steps: Iterable[Step]) -> Verdict:
    """The verdict on these steps, on a memory of their own."""
    made.aws.knobs.extraction_seconds = 5
    with TemporaryDirectory(dir=_QUICK_DISK) as folder:
        async with Life(made, Path(folder)) as life:
            for step in steps:
                await life.take(step)
            await life.judge()
    return life.verdict
