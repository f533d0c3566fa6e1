"""What the notebook answers about what it was told, without a model:

    python -m tests.evals.notebook [FILE] [--ids PATTERN] [--json] [--failures]

`notebook.jsonl` beside this file holds everyday talks, one a line: `sessions` of messages, `asks`
put in a later session, and an `overview`. Of an ask, a reply passes that holds one of `any` and
none of `none`; where `any` is empty (never told, or a secret), one that holds none of `none`.
`wrong` counts replies that hold one of `none`; `stock` those that quote nothing. A needle must
begin where a word or a number begins, and not end within a number. Those who wrote the file had not
read the code, and whoever works on the code reads only the talks N01, N03 and so on to N17, and of
the others the figures."""

import argparse
import asyncio
import json
import re
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from memory.records import Actor
from memory.stores.sqlite.store import SqliteStore
from tests.fakes.bots import Bot, open_bot, place_of

_FILE = Path(__file__).with_suffix(".jsonl")
_SOMEBODY = Actor.person(1)
_OVERVIEW = {
    "en": "what do you know about me?",
    "de": "was weißt du über mich?",
    "es": "¿qué sabes de mí?",
    "ru": "что ты знаешь обо мне?",
    "pt": "o que você sabe sobre mim?",
    "hi": "मेरे बारे में क्या जानते हो?",
    "zh": "你知道我的哪些事？",
    "fr": "qu'est-ce que tu sais sur moi ?",
    "it": "cosa sai di me?",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question and what was replied. `kind` is its class, or "overview"."""

    talk: str
    language: str
    kind: str
    asked: str
    reply: str
    passed: bool
    wrong: bool
    answerable: bool

    @property
    def stock(self) -> bool:
        """True if the reply quotes nothing."""
        return "“" not in self.reply


def judge(talk: Mapping[str, Any], ask: Mapping[str, Any], reply: str) -> Outcome:
    """What a reply to one question is worth."""
    wrong = any(holds(reply, needle) for needle in ask["none"])
    right = any(holds(reply, needle) for needle in ask["any"])
    return Outcome(
        talk["id"],
        talk["language"],
        ask["class"],
        ask["q"],
        reply,
        passed=not wrong and (right or not ask["any"]),
        wrong=wrong,
        answerable=bool(ask["any"]),
    )


def holds(text: str, needle: str) -> bool:
    """True if the needle is in the text, whole at its beginning, compared without case."""
    wanted = re.escape(_fold(needle))
    before = r"(?<!\d)" if needle[:1].isdigit() else r"(?<![^\W\d_])"
    if "\u3400" <= needle[:1] <= "\u9fff":
        before = ""
    after = r"(?!\d)" if needle[-1:].isdigit() else ""
    return re.search(before + wanted + after, _fold(text)) is not None


def _fold(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return " ".join(plain.replace("*", "").split())


async def measure(talks: Iterable[Mapping[str, Any]]) -> list[Outcome]:
    """Have all talks, each with a bot and a memory of its own."""
    return [outcome for talk in talks for outcome in await _outcomes(talk)]


async def _outcomes(talk: Mapping[str, Any]) -> list[Outcome]:
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(4) as pool:
        store = SqliteStore(Path(folder), pool)
        async with open_bot(store, Path(folder)) as bot:
            for session in talk["sessions"]:
                for line in session:
                    await bot.hears(_SOMEBODY, line)
                await _end(bot)
            asked = [judge(talk, ask, await bot.hears(_SOMEBODY, ask["q"])) for ask in talk["asks"]]
            overview = await bot.hears(_SOMEBODY, _overview_question(talk))
        await store.aclose()
    return [*asked, _judge_overview(talk, overview)]


def _overview_question(talk: Mapping[str, Any]) -> str:
    said = "".join(line for session in talk["sessions"] for line in session)
    latin = talk["language"] == "hi" and not re.search("[\u0900-\u097f]", said)
    return "mere baare me kya jaante ho?" if latin else _OVERVIEW[talk["language"]]


def _judge_overview(talk: Mapping[str, Any], reply: str) -> Outcome:
    wanted = [[each] if isinstance(each, str) else each for each in talk["overview"]["must"]]
    told = all(any(holds(reply, needle) for needle in needles) for needles in wanted)
    wrong = any(holds(reply, needle) for needle in talk["overview"]["must_not"])
    asked = _overview_question(talk)
    passed = told and not wrong
    return Outcome(
        talk["id"], talk["language"], "overview", asked, reply, passed, wrong, answerable=False
    )


async def _end(bot: Bot) -> None:
    ending = await bot.memory.talk.end(_SOMEBODY, place_of(_SOMEBODY), "new")
    if ending is not None:
        await ending.wait(30)


def figures(outcomes: Sequence[Outcome]) -> dict[str, dict[str, int]]:
    """By class and by language, and for all that can be answered."""
    asks = [each for each in outcomes if each.kind != "overview"]
    groups = {"all": asks, "answerable": [each for each in asks if each.answerable]}
    for kind in dict.fromkeys(each.kind for each in outcomes):
        groups[kind] = [each for each in outcomes if each.kind == kind]
    for code in dict.fromkeys(each.language for each in asks):
        groups[code] = [each for each in asks if each.language == code]
    return {name: _count(group) for name, group in groups.items()}


def _count(outcomes: Sequence[Outcome]) -> dict[str, int]:
    counts = Counter[str]()
    for each in outcomes:
        counts.update({"passed": each.passed, "wrong": each.wrong, "stock": each.stock})
    return {"of": len(outcomes), **counts}


def main() -> None:
    """Measure, and print a table, or JSON for machines."""
    parser = argparse.ArgumentParser(prog="python -m tests.evals.notebook")
    parser.add_argument("file", nargs="?", type=Path, default=_FILE, help="talks, one a line")
    parser.add_argument("--ids", default=".*", help="only talks whose id this expression fits")
    parser.add_argument("--json", action="store_true", help="figures for machines")
    parser.add_argument("--failures", action="store_true", help="print what did not pass")
    given = parser.parse_args()
    lines = given.file.read_text("utf-8").splitlines()
    read = [json.loads(line) for line in lines if line]
    talks = [talk for talk in read if re.fullmatch(given.ids, talk["id"])]
    outcomes = asyncio.run(measure(talks))
    if given.json:
        Console().print_json(data=figures(outcomes))
        return
    table = Table("", "of", "passed", "wrong", "stock", title=f"{len(talks)} talks, no model")
    for name, row in figures(outcomes).items():
        table.add_row(name, *(str(row.get(key, 0)) for key in ("of", "passed", "wrong", "stock")))
    Console().print(table)
    for each in outcomes if given.failures else ():
        if not each.passed:
            print(f"{each.talk} {each.kind}: {each.asked}\n  {each.reply!r}")


if __name__ == "__main__":
    main()
