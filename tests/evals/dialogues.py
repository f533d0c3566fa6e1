"""Labelled dialogues: what should be kept of a conversation, and what must not.

A file is JSON Lines in UTF-8, one dialogue a line; `dialogues.jsonl` beside this module is ours.

    {"id": "en-sister", "language": "English", "half": "tune", "tags": ["third-person"],
     "at": "2026-03-12T10:00:00+00:00",
     "known": [{"kind": "fact", "text": "I live in Boston", "slot": "home"}],
     "sessions": [[{"role": "user", "text": "My sister Clara is a vet."},
                   {"role": "assistant", "text": "How nice!"}]],
     "expect": [{"kind": "fact", "any_of": [["sister", "vet"], ["Clara", "vet"]]}],
     "forbid": [{"words": ["vet"], "unless": ["sister", "Clara"]}],
     "allow": [["Clara"]], "secrets": []}

- `id` is unique in the file. `language` and `tags` are the groups that figures are given for.
- `half`: rules and prompts may be made better by looking at the dialogues of "tune"; those of
  "check" then tell whether that was not done for them alone.
- `at` is when the first message is written, with a time zone: "tomorrow" depends on it. A message
  may have an `at` of its own; without one it comes a minute after the last, and a session a day.
- `known` are the records there are before, `slot` the question one answers if rules wrote it.
  Those that no expectation `supersedes` must still hold in the end.
- `sessions` are played one after the other, each to its end. Somebody else's words that are
  forwarded or quoted stand in lines that begin with ">".
- `expect` are what should be remembered in the end. A record meets an expectation if all words or
  phrases of one list in `any_of` stand in its text. `kind` is what it should be, where that is
  clear; `date` the day it tells of, as an ISO date, whole or partial; `supersedes` words of the
  record that it takes the place of, which must still be there. An expectation that is `past` is
  for a record that was superseded; all others are for current ones.
- `allow` are records that nobody has to keep and that are no mistake: lists of words as in
  `any_of`.
- `forbid` are records that say something false of the person, such as the job of their sister:
  those with all of `words` and none of `unless`.
- `secrets` must not be in any file, in no record, no archived message and no summary.

Words are looked for anywhere in a text, whatever their letter case."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from memory.records import Kind, Role

Text = Annotated[str, Field(min_length=1)]
Words = Annotated[tuple[Text, ...], Field(min_length=1)]


class _Label(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Said(_Label):
    """One message of a session."""

    role: Role
    text: Text
    at: AwareDatetime | None = None


class Known(_Label):
    """A record that is there before the dialogue."""

    kind: Literal[Kind.FACT, Kind.PREFERENCE]
    text: Text
    slot: Text | None = None


class Expectation(_Label):
    """What should be remembered."""

    any_of: Annotated[tuple[Words, ...], Field(min_length=1)]
    kind: Literal[Kind.FACT, Kind.PREFERENCE] | None = None
    date: Annotated[str, Field(pattern=r"^\d{4}(-\d{2}(-\d{2})?)?$")] | None = None
    supersedes: Text | None = None
    past: bool = False


class Forbidden(_Label):
    """What no record may say."""

    words: Words
    unless: tuple[Text, ...] = ()


class Dialogue(_Label):
    """A person's sessions, and what should come of them."""

    id: Text
    language: Text
    half: Literal["tune", "check"]
    tags: Words
    at: AwareDatetime
    known: tuple[Known, ...] = ()
    sessions: Annotated[
        tuple[Annotated[tuple[Said, ...], Field(min_length=1)], ...], Field(min_length=1)
    ]
    expect: tuple[Expectation, ...]
    allow: tuple[Words, ...] = ()
    forbid: tuple[Forbidden, ...] = ()
    secrets: tuple[Text, ...] = ()

    @property
    def said(self) -> str:
        """All that the user writes."""
        return "\n".join(
            one.text for session in self.sessions for one in session if one.role is Role.USER
        )

    @model_validator(mode="after")
    def _speaks_of_what_is_there(self) -> Self:
        for secret in self.secrets:
            if secret not in self.said:
                raise ValueError(f"secrets: the user never writes {secret!r}")
        before = "\n".join((*(known.text for known in self.known), self.said)).casefold()
        for expectation in self.expect:
            if expectation.supersedes and expectation.supersedes.casefold() not in before:
                raise ValueError(f"supersedes: nothing says {expectation.supersedes!r} before")
        if any(session[0].role is not Role.USER for session in self.sessions):
            raise ValueError("sessions: each begins with a message of the user")
        return self


def dialogues(path: Path | None = None) -> list[Dialogue]:
    """The dialogues of a file, without a path of the one beside this module. Raises
    OSError, and ValueError, which names the file, the line and what is wrong there."""
    path = path or Path(__file__).with_suffix(".jsonl")
    text = _text(path)
    # Not splitlines(): a JSON text may hold other characters that end a line.
    lines = [(n, line) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines:
        raise ValueError(f"{path}: there is no dialogue in it")
    found = [_dialogue(line, f"{path}, line {number}") for number, line in lines]
    for id_, count in Counter(one.id for one in found).items():
        if count > 1:
            raise ValueError(f"{path}: {count} dialogues have the id {id_!r}, each needs its own")
    return found


def sample(of: Sequence[Dialogue], limit: int) -> list[Dialogue]:
    """At most so many of the dialogues, spread evenly over languages, halves and tags; always the
    same ones."""
    left, chosen = list(of), list[Dialogue]()
    languages, tags, halves = Counter[str](), Counter[str](), Counter[str]()

    def presence(one: Dialogue) -> tuple[int, int, int]:
        return languages[one.language], min(tags[tag] for tag in one.tags), halves[one.half]

    while left and len(chosen) < limit:
        rarest = min(left, key=presence)
        left.remove(rarest)
        chosen.append(rarest)
        languages[rarest.language] += 1
        halves[rarest.half] += 1
        tags.update(rarest.tags)
    return chosen


def holds(text: str, words: Sequence[str]) -> bool:
    """Whether all these words or phrases stand in the text."""
    plain = _plain(text)
    return all(_plain(word) in plain for word in words)


def _plain(text: str) -> str:
    return text.casefold().replace("’", "'")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not a text in UTF-8 ({error.reason})") from None


def _dialogue(line: str, where: str) -> Dialogue:
    try:
        return Dialogue.model_validate(json.loads(line))
    except ValidationError as error:
        raise ValueError(f"{where}: {'; '.join(_faults(error))}") from None
    except ValueError as error:
        raise ValueError(f"{where}: not JSON ({error})") from None


def _faults(error: ValidationError) -> Iterator[str]:
    """What is wrong with a line, each fault with its place; the first few say enough."""
    for fault in error.errors(include_url=False, include_input=False)[:3]:
        place = ".".join(map(str, fault["loc"]))
        message = fault["msg"].removeprefix("Value error, ")
        yield f"{place}: {message}" if place else message
