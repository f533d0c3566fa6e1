"""What came of it: counted from what stands in the chats, in the files and in the log."""

import sqlite3
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

from memory.ports import LongTermMemory
from memory.records import Actor, Kind, Record, Role
from tests.benchmarks.killloop.crowd import Crowd, Fact, Said
from tests.benchmarks.killloop.lives import Life
from tests.benchmarks.killloop.result import Result
from tests.benchmarks.killloop.traces import Traces
from tests.benchmarks.killloop.words import (
    AGAIN,
    DELETED,
    RESTORED,
    answered_marks,
    facts,
    is_answer,
    is_half,
    marks,
    outcome,
)
from tests.fakes.botapi import BotApiServer, Call

#: Between a send and its note is less than this, in seconds; and more until the next start sends.
_GAP = 1.0


class Verdict:
    """The counts, and for each that is not as it should be, what happened: its kind and a text."""

    def __init__(self, server: BotApiServer, crowd: Crowd, lives: Sequence[Life]) -> None:
        self._server, self._crowd, self._lives = server, crowd, lives
        self._traces = Traces(server, lives)
        self.result = Result()
        self.problems: list[tuple[str, str]] = []

    async def reach(self, memory: LongTermMemory) -> None:
        """Count everything that stands in chats, memory and log after the bot was stopped."""
        for chat in sorted({one.chat for one in self._crowd.said}):
            self._judge_answers(chat, [one for one in self._crowd.said if one.chat == chat])
            self._judge_order(chat)
            self._judge_messages(chat)
        result = self.result
        done = Counter(call.method for call in self._server.calls if call.done)
        result.sends, result.deletions = done["sendMessage"], done["deleteMessage"]
        result.edits = done["editMessageText"] + done["editMessageReplyMarkup"]
        result.starts = len(self._lives)
        result.kills = sum(life.killed for life in self._lives)
        result.gap_rate = round(100 * result.answered_twice_in_the_gap / (result.kills or 1), 1)
        await self._judge_memory(memory)
        self._judge_log()

    def count(self, what: str, about: str, trace: tuple[int, str] | None = None) -> None:
        """One more of what must not happen. `trace` is a chat and a name."""
        setattr(self.result, what, getattr(self.result, what) + 1)
        self.problems.append((what, about + (self._traces.of(*trace) if trace else "")))

    # -- what stands in the chats -----------------------------------------------------------------

    def _judge_answers(self, chat: int, said: Sequence[Said]) -> None:
        texts = self._crowd.texts(chat)
        self.result.sent_again_with_a_note += sum(AGAIN in text for text in texts)
        asked = Counter(one.name for one in said)
        for one in {one.name: one for one in said}.values():
            if one.name.startswith("m"):
                self.result.messages += asked[one.name]
            else:
                self.result.commands += asked[one.name]
            told = [text for text in texts if is_answer(one.name, text)]
            for _ in range(len(told), asked[one.name]):
                about = f"chat {chat}, {one.name}, message {one.message_id}"
                self.count("lost", about, (chat, one.name))
            plain = sum(AGAIN not in text for text in told)
            for _ in range(asked[one.name], plain):
                self.count(self._kind_of_repeat(one), f"chat {chat}, {one.name}", (chat, one.name))

    def _kind_of_repeat(self, one: Said) -> str:
        """Why an answer was sent twice."""
        sent = [
            call
            for call in self._server.calls
            if call.chat_id == one.chat
            and call.done
            and is_answer(one.name, str(call.parameters.get("text", "")))
        ]
        if not one.name.startswith("m") and any(call.status != 200 for call in sent):
            return "commands_repeated"
        in_gap = any(self._is_gap(first, second) for first, second in pairwise(sent))
        return "answered_twice_in_the_gap" if in_gap else "answered_twice"

    def _is_gap(self, first: Call, second: Call) -> bool:
        """Whether a blow may have kept a bot from noting the first; or from hearing of the first
        before the second."""
        return any(
            (life.by == first.by and abs(blow - first.at) < _GAP and blow < second.at)
            for life in self._lives
            for blow in life.blows
        ) or any(
            life.by == second.by and 0 < second.at - woke < _GAP
            for life in self._lives
            for woke in life.woke
        )

    def _judge_order(self, chat: int) -> None:
        """The first answers to each message must come in the order of the messages."""
        texts = [text for text in self._crowd.texts(chat) if AGAIN not in text]
        order = dict.fromkeys(name for text in texts for name in answered_marks(text))
        for before, after in pairwise(order):
            if int(after.split("x")[1]) < int(before.split("x")[1]):
                self.count("out_of_order", f"{before} before {after}", (chat, after))

    def _judge_messages(self, chat: int) -> None:
        for text in self._crowd.texts(chat):
            for name in marks(text):
                if not name.startswith(f"m{abs(chat)}x"):
                    self.count("in_another_chat", f"chat {chat}: {text}")
            if is_half(text):
                self.count("half_previews", f"chat {chat}: {text}", (chat, (*marks(text), "")[0]))

    # -- what is remembered -----------------------------------------------------------------------

    async def _judge_memory(self, memory: LongTermMemory) -> None:
        kept, archived = defaultdict[str, list[Record]](list), set[str]()
        for actor in sorted({fact.actor for fact in self._crowd.facts.values()}):
            said = await memory.records(Actor(actor), kinds=(Kind.MESSAGE,))
            archived.update(facts(record.text for record in said))
            self._judge_records(record for record in said if record.role is Role.USER)
            for record in await memory.records(Actor(actor), kinds=(Kind.FACT, Kind.PREFERENCE)):
                for name in facts([record.text]):
                    kept[name].append(record)
                    if self._crowd.facts[name].actor != actor:
                        self.count("facts_of_others", f"{actor} has {name}")
        for fact in self._crowd.facts.values():
            self._judge_fact(fact, kept[fact.name], archived=fact.name in archived)

    def _judge_records(self, said: Iterable[Record]) -> None:
        """Each message of somebody's is recorded once."""
        for name, times in Counter(name for record in said for name in marks(record.text)).items():
            if times > 1:
                self.count("recorded_twice", f"{name}, {times} times")

    def _judge_fact(self, fact: Fact, kept: Sequence[Record], *, archived: bool) -> None:
        # What the person was told last about deleting it.
        told = [text for text in self._crowd.texts(fact.chat) if outcome(fact.name, text)]
        last = outcome(fact.name, told[-1]) if told else ""
        self.result.facts_told += 1
        self.result.facts_kept += bool(kept)
        self.result.facts_deleted += last == DELETED and not kept
        about, trace = f"{fact.name} of {fact.actor}, {fact.how}", (fact.chat, fact.name)
        self.result.deletions_given_up += fact.asked_gone and not last
        if len(kept) > 1:
            self.count("facts_twice", about, trace)
        if not kept and last == RESTORED and archived:
            self.count("facts_not_learned_again", about, trace)
        elif not kept and (last == RESTORED or not fact.asked_gone):
            self.count("facts_lost", about, trace)
        if kept and last == DELETED:
            of_message = marks(told[-1]) and self._was_learned_before(kept[0], fact)
            self.count(
                "facts_learned_meanwhile" if of_message else "facts_resurrected", about, trace
            )

    def _was_learned_before(self, record: Record, fact: Fact) -> bool:
        """Whether the record was learned before the person read that its message is deleted."""
        deleted_at = min(
            call.at
            for call in self._server.calls
            if call.chat_id == fact.chat
            and outcome(fact.name, str(call.parameters.get("text", ""))) == DELETED
        )
        since = datetime.now(UTC) - timedelta(seconds=time.monotonic() - deleted_at)
        return any(
            event["event"] == "session_extracted"
            and event["session"] == record.session_id
            and datetime.fromisoformat(event["timestamp"]) < since
            for life in self._lives
            for event in life.events
        )

    # -- files and the log ------------------------------------------------------------------------

    def judge_files(self, data: Path) -> None:
        """Count what is wrong with the files."""
        for path in sorted(one for one in data.rglob("*") if one.is_file()):
            wrong = "set aside" if "damaged" in path.name else _wrong_with(path)
            if wrong:
                self.count("files_damaged", f"{path.name}: {wrong}")

    def _judge_log(self) -> None:
        for life in self._lives:
            if life.failed:
                log = "".join(f"\n    {line[:400]}" for line in life.log[-10:])
                self.count("failed_starts", f"{life}: {life.failed}{log}")
            for line in life.tracebacks:
                self.count("tracebacks", f"{life}: {line[-3000:]}")


def _wrong_with(path: Path) -> str:
    """What SQLite says against a file; empty if it is whole, or none of SQLite's."""
    if path.suffix != ".sqlite" or not path.is_file():
        return ""
    try:
        with closing(sqlite3.connect(path)) as db:
            (said,) = db.execute("PRAGMA integrity_check").fetchone()
    except sqlite3.Error as failure:
        return str(failure)
    return "" if said == "ok" else str(said)
