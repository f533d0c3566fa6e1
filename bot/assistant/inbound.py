"""Inbounds: a message, a command or a click from a channel, and who sent it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from bot.assistant.files import Attachment, EnclosedFile, go_together
from memory.records import Actor, Place, Role, Speaker, Utterance


@dataclass(frozen=True, slots=True)
class Origin:
    """The place and sender of an inbound, and the actor whose memory it belongs to.

    `user_id` is the numeric id that identifies the sender; an admin who writes in the name of a
    group has the group's id. `name` is the display name, `speaker` who it is in a group. `language`
    is the IETF tag of the client."""

    place: Place
    actor: Actor
    user_id: int
    language: str | None = None
    speaker: Speaker | None = None
    name: str = ""

    @property
    def is_private(self) -> bool:
        """True for the private chat of one person."""
        return not self.actor.is_group

    @property
    def is_anonymous(self) -> bool:
        """True for an unknown admin who writes in the name of the group."""
        return self.actor.is_group and self.user_id == self.place.chat_id


@dataclass(frozen=True, slots=True)
class Message:
    """One message, or a burst of messages answered together.

    `id` is permanent: the same message delivered twice has the same id. `text` is what gets
    recorded; it quotes what is forwarded, replied to or enclosed, because those are not the
    sender's words. `words` is what the sender typed, if there is nothing else. `message_id` is the
    number in its place, `receipt` the number in the channel's inbox. `answers` is the message it
    replies to. The channel fetches `files` in the message's turn and turns them into
    `attachments`. `more_may_follow`: this looks like one piece of several. A burst has `parts`; its
    own numbers are those of its last part.

    A message that stands for a press or a command is `alone`. It may ask for the rest of the answer
    of the turn that it `continues`, which broke off in a code block if there is a `fence`, or for
    another answer in place of the turns that it `replaces`; `answers` is then the question that is
    not the latest one."""

    id: str
    origin: Origin
    at: datetime
    text: str
    message_id: int
    receipt: int
    words: str = ""
    answers: int | None = None
    more_may_follow: bool = False
    files: tuple[EnclosedFile, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    parts: "tuple[Message, ...]" = ()
    alone: bool = False
    continues: str = ""
    fence: str = ""
    replaces: tuple[str, ...] = ()

    @property
    def singles(self) -> "tuple[Message, ...]":
        """The messages of a burst, or this one."""
        return self.parts or (self,)

    @property
    def message_ids(self) -> tuple[int, ...]:
        return tuple(single.message_id for single in self.singles)

    @property
    def receipts(self) -> tuple[int, ...]:
        return tuple(single.receipt for single in self.singles)

    @property
    def shown_question(self) -> int | None:
        """The message that the reply shows as its question: to a person alone, only one that is not
        the latest."""
        if self.alone and self.answers is not None:
            return self.answers
        return None if self.origin.is_private else self.message_id

    @property
    def utterance(self) -> Utterance:
        """What was said, as it is recorded."""
        return Utterance(Role.USER, self.text, self.at, self.origin.speaker)

    @property
    def utterances(self) -> tuple[Utterance, ...]:
        """What its turn records: nothing if a press of Continue stands for it."""
        return () if self.continues else (self.utterance,)

    def join(self, later: "Message", longest: int) -> "Message | None":
        """Both as one burst; None if one is `alone`, or they have different senders or are too much
        for one turn (more than `longest` characters)."""
        # Anonymous admins have one id, and may sign in different ways.
        who = [(o.actor, o.user_id, o.name) for o in (self.origin, later.origin)]
        if who[0] != who[1] or self.alone or later.alone:
            return None
        burst = _burst((*self.singles, *later.singles))
        return burst if len(burst.text) <= longest and go_together(burst.files) else None

    def with_edit(self, changed: "Message", longest: int) -> "Message | None":
        """This message or burst with one of its messages edited; None if the edited message is not
        in it, or the result is too long."""
        if changed.message_id not in self.message_ids or self.alone:
            return None
        burst = _burst(
            replace(single, text=changed.text, files=changed.files)
            if single.message_id == changed.message_id
            else single
            for single in self.singles
        )
        return burst if len(burst.text) <= longest and go_together(burst.files) else None

    def beginnings(self) -> "list[tuple[Message, Message | None]]":
        """All ways to split it: the first message and the rest, the first two and the rest …, all
        of it and None."""
        singles = self.singles
        cuts = range(1, len(singles) + 1)
        return [(_burst(singles[:n]), _burst(singles[n:]) if singles[n:] else None) for n in cuts]


@dataclass(frozen=True, slots=True)
class Command:
    """A command without its slash, and its argument. `addressed`: it names this bot."""

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

    `data` comes from the button, but may be forged. `query_id` lets the channel release the button.
    `words` is what the person typed instead of pressing. `question` is the message that the pressed
    one replies to, as it reads now."""

    data: str
    origin: Origin
    asked_at: datetime
    message_id: int
    receipt: int
    query_id: str = ""
    words: str = ""
    question: Message | None = None

    @property
    def receipts(self) -> tuple[int, ...]:
        return (self.receipt,)


Inbound = Message | Command | Click


@dataclass(frozen=True, slots=True)
class GroupJoin:
    """Somebody added the bot to a group."""

    place: Place
    user_id: int
    language: str | None = None


def _burst(singles: Iterable[Message]) -> Message:
    """The messages as one burst. The id depends on its messages alone, not on how the burst
    grew."""
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
        # An album that replies to a picture repeats it with every message.
        files=tuple(dict.fromkeys(file for part in parts for file in part.files)),
        parts=parts,
    )
