"""A model that says which messages it was told of, and notes every fact."""

import json
import random
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.benchmarks.killloop.words import FACT, MARK, marks, reply
from tests.fakes.learning import finding, findings, note, review
from tests.fakes.openai_server import Completion, calling, text

_TURN = re.compile(r"\[(\d+)\] (\w+)")
_NOTE = re.compile(r"^(\d+)\. \(.*?\) (.*)$", re.MULTILINE)
#: How often a turn begins with a search of the memory.
_SEARCHES = 0.15


class Mind:
    """Decides what the model server answers. Its replies take a second or two, as seen in real
    life, only faster; saving takes up to a second."""

    def __init__(self, seed: int, on_saving: Callable[[], None]) -> None:
        """`on_saving` hears of each session that is being saved."""
        self._dice, self._on_saving = random.Random(f"{seed}/mind"), on_saving
        self.asked: Counter[str] = Counter()
        #: Requests that held messages of two chats.
        self.mixed: list[list[str]] = []

    def decide(self, body: dict[str, Any]) -> Completion:
        """See OpenAIServer."""
        told, asked = json.dumps(body["messages"][0]), _texts(body["messages"][1:])
        chats = {found.group(1) for found in MARK.finditer("\n".join(asked))}
        if len(chats) > 1:
            self.mixed.append(sorted(chats))
        if "finished conversation" in told:
            return self._saving("extraction", findings_in(asked[-1]))
        if "check notes" in told:
            return self._saving("review", review())
        if not body.get("tools"):
            return self._after("other", text("They talked."))
        return self._turn(body["messages"], asked)

    def _turn(self, messages: list[dict[str, Any]], asked: list[str]) -> Completion:
        users = [one for one in messages if one["role"] == "user"]
        said = marks(_texts(users[-1:])[-1])
        if messages[-1]["role"] == "user" and self._dice.random() < _SEARCHES:
            return self._after("search", calling("search_memory", '{"query": "lamp"}'))
        answer = Completion(tuple(reply(said, self._dice)), pause=self._dice.uniform(0.01, 0.06))
        return self._after("turn", answer)

    def _saving(self, what: str, answer: str) -> Completion:
        self._on_saving()
        return self._after(what, text(answer))

    def _after(self, what: str, answer: Completion) -> Completion:
        self.asked[what] += 1
        delay = self._dice.uniform(0.05, 0.4)
        return Completion(
            answer.texts, calls=answer.calls, finish=answer.finish, delay=delay, pause=answer.pause
        )


def findings_in(asked: str) -> str:
    """A finding for each fact in a session, by the number of its turn; those that are known already
    as the same."""
    known = {name: int(n) for n, line in _NOTE.findall(asked) for name in FACT.findall(line)}
    found, turn, role = list[dict[str, Any]](), 0, ""
    _, _, conversation = asked.partition("<conversation>")
    for line in conversation.splitlines():
        if begins := _TURN.match(line):
            turn, role = int(begins.group(1)), begins.group(2)
        for fact in FACT.finditer(line) if role == "USER" else ():
            same = note("same", known[fact.group(1)]) if fact.group(1) in known else None
            found.append(finding(fact.group(), turn=turn, about=[fact.group(1)], note=same))
    return findings(*found, summary="They talked.", topics=("the day",))


def _texts(messages: list[dict[str, Any]]) -> list[str]:
    found: list[str] = []
    for message in messages:
        content = message.get("content") or ""
        parts = [content] if isinstance(content, str) else [part["text"] for part in content]
        found += parts
    return found
