"""What a channel hands over: a message, a command or a click, and who it came from."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from bot.assistant.files import Attachment, EnclosedFile, go_together
from memory.records import Actor, Place


@dataclass(frozen=True, slots=True)
class Origin:
    """Where something was said, by whom, and whose memory it belongs to.

    `user_id` is the numeric id that decides who it is; an admin who writes in the name of a group
    has the group's id. `name` is what the channel shows of the person, `speaker` what tells them
    from others where several people speak. `language` is the IETF tag of their client."""

    place: Place
    actor: Actor
    user_id: int
    language: str | None = None
    speaker: str | None = None
    name: str = ""

    @property
    def is_private(self) -> bool:
        """True for the private chat of one person."""
        return not self.actor.is_group

    @property
    def is_anonymous(self) -> bool:
        """True for a group's admin who writes in its name: nobody knows which one."""
        return self.actor.is_group and self.user_id == self.place.chat_id


@dataclass(frozen=True, slots=True)
class Message:
    """Something said that wants an answer: one message, or a burst of them answered together.

    `id` names it for good: the same message delivered twice has the same id. `text` quotes what is
    forwarded, answered or enclosed, because those are not the sender's words; it is all that is
    recorded. `words` is what the sender typed, if the message is nothing else. `message_id` numbers
    the message in its place, `receipt` in the channel's inbox. `answers` is the message it replies
    to. An `unreadable` message holds what can't be put into words. `files` are fetched by the
    channel in the message's turn and become `attachments`. `more_may_follow` marks what looks like
    one piece of several. A burst has `parts`; its own numbers are those of its last part."""

    id: str
    origin: Origin
    at: datetime
    text: str
    message_id: int
    receipt: int
    words: str = ""
    answers: int | None = None
    unreadable: bool = False
    more_may_follow: bool = False
    files: tuple[EnclosedFile, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    parts: "tuple[Message, ...]" = ()

    @property
    def singles(self) -> "tuple[Message, ...]":
        """The single messages it is made of, one or more."""
        return self.parts or (self,)

    @property
    def message_ids(self) -> tuple[int, ...]:
        return tuple(single.message_id for single in self.singles)

    @property
    def receipts(self) -> tuple[int, ...]:
        return tuple(single.receipt for single in self.singles)

    def joined(self, later: "Message", longest: int) -> "Message | None":
        """Both as one burst, if one person said them and they are not too much together: at most
        `longest` characters."""
        # Anonymous admins have one id, and may sign in different ways.
        who = [(o.actor, o.user_id, o.speaker) for o in (self.origin, later.origin)]
        if who[0] != who[1]:
            return None
        burst = _burst((*self.singles, *later.singles))
        return burst if len(burst.text) <= longest and go_together(burst.files) else None

    def amended(self, changed: "Message", longest: int) -> "Message | None":
        """The same with one of its messages as it reads now; None if that is not one of them, or it
        would be too much."""
        if changed.message_id not in self.message_ids:
            return None
        burst = _burst(
            replace(single, text=changed.text, files=changed.files)
            if single.message_id == changed.message_id
            else single
            for single in self.singles
        )
        return burst if len(burst.text) <= longest and go_together(burst.files) else None

    def beginnings(self) -> "list[tuple[Message, Message | None]]":
        """Its first message and the rest, its first two and the rest …, all of it and None."""
        singles = self.singles
        cuts = range(1, len(singles) + 1)
        return [(_burst(singles[:n]), _burst(singles[n:]) if singles[n:] else None) for n in cuts]


@dataclass(frozen=True, slots=True)
class Command:
    """A command without its slash, and what follows it. `addressed` says that this bot was named
    in it."""

    name: str
    argument: str
    origin: Origin
    at: datetime
    message_id: int
    receipt: int
    addressed: bool = False

    @property
    def receipts(self) -> tuple[int, ...]:
        return (self.receipt,)


@dataclass(frozen=True, slots=True)
class Click:
    """A press of a button under the bot's message `message_id`, which was sent at `asked_at`.

    `data` is what the button carries; it may be made up. `query_id` lets the channel release the
    button. `words` is what was typed instead of pressing one."""

    data: str
    origin: Origin
    asked_at: datetime
    message_id: int
    receipt: int
    query_id: str = ""
    words: str = ""

    @property
    def receipts(self) -> tuple[int, ...]:
        return (self.receipt,)


Inbound = Message | Command | Click


@dataclass(frozen=True, slots=True)
class Joined:
    """Somebody added the bot to a group."""

    place: Place
    user_id: int
    language: str | None = None


def _burst(singles: Iterable[Message]) -> Message:
    """The messages as one. Its id depends on nothing but its messages, however the burst grew."""
    parts = tuple(singles)
    if len(parts) == 1:
        return parts[0]
    first, last = parts[0], parts[-1]
    return replace(
        last,
        id="+".join((first.id, *(str(part.message_id) for part in parts[1:]))),
        text="\n".join(part.text for part in parts),
        words="",
        answers=None,
        more_may_follow=last.more_may_follow,
        # An album that answers a picture brings that with every message of its own.
        files=tuple(dict.fromkeys(file for part in parts for file in part.files)),
        parts=parts,
    )
