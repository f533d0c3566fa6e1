"""Pure: what a Telegram message means to the bot."""

import re
from dataclasses import dataclass
from datetime import datetime

from telegram import Chat, Message, MessageEntity, User

from bot.telegram.rendering import clean
from memory.records import Actor, Place

_COMMAND = re.compile(
    r"/(?P<name>\w{1,64})(?:@(?P<bot>\w+))?(?=\s|$)\s*(?P<argument>.*)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose memory a message belongs to, where it was written, by whom."""

    place: Place
    actor: Actor
    user_id: int
    language: str | None = None
    speaker: str | None = None

    @property
    def is_private(self) -> bool:
        """Whether it is the private chat of one person."""
        return not self.actor.is_group


@dataclass(frozen=True, slots=True)
class Command:
    """A command as it was written, without its slash, and what follows it. `addressed` says that
    this bot was named in it."""

    name: str
    argument: str
    addressed: bool = False


@dataclass(frozen=True, slots=True)
class Heard:
    """A message that is for the bot. `text` is None if it holds something else than text."""

    update_id: int
    message_id: int
    origin: Origin
    at: datetime
    text: str | None
    command: Command | None = None


def hear(update_id: int, message: Message, me: User, channel: str) -> Heard | None:
    """What the message means, or None if it is not for this bot: a bot's or a channel's, a service
    message, a command for another bot, or talk of a group's members with each other."""
    if message.from_user is None or message.from_user.is_bot:
        return None
    if message.text is None and message.effective_attachment is None:
        return None
    origin = origin_of(message, message.from_user, channel)
    if origin is None:
        return None
    text = None if message.text is None else clean(message.text).strip()
    command = _command(text or "", me)
    if command is None and text and _is_for_another_bot(text, me):
        return None
    if not origin.is_private:
        if command is None and not _is_addressed(message, me):
            return None
        text = None if text is None else _without_mention(text, me)
    return Heard(update_id, message.message_id, origin, message.date, text, command)


def origin_of(message: Message, user: User, channel: str) -> Origin | None:
    """Where a message comes from and whose memory that is; None for a channel. `user` is who wrote
    it, or who clicked under it."""
    chat = message.chat
    topic = message.message_thread_id if message.is_topic_message else None
    place = Place(channel, chat.id, topic)
    match chat.type:
        case Chat.PRIVATE:
            return Origin(place, Actor.person(user.id), user.id, user.language_code)
        case Chat.GROUP | Chat.SUPERGROUP:
            name = clean(user.full_name).strip() or None
            return Origin(place, Actor.group(chat.id), user.id, user.language_code, name)
        case _:
            return None


def _command(text: str, me: User) -> Command | None:
    match = _COMMAND.match(text)
    if not match:
        return None
    addressee = match["bot"]
    if addressee and addressee.lower() != (me.username or "").lower():
        return None
    return Command(match["name"].lower(), match["argument"].strip(), bool(addressee))


def _is_for_another_bot(text: str, me: User) -> bool:
    match = _COMMAND.match(text)
    return bool(match and match["bot"] and match["bot"].lower() != (me.username or "").lower())


def _is_addressed(message: Message, me: User) -> bool:
    """Whether a group's message mentions the bot or answers one of its own."""
    answered = message.reply_to_message
    if answered and answered.from_user and answered.from_user.id == me.id:
        # Every message of a topic "answers" the one that opened it.
        return not answered.forum_topic_created
    wanted: list[str | None] = [MessageEntity.MENTION, MessageEntity.TEXT_MENTION]
    entities = message.parse_entities(wanted) | message.parse_caption_entities(wanted)
    name = f"@{me.username}".lower()
    return any(
        said.lower() == name or (entity.user is not None and entity.user.id == me.id)
        for entity, said in entities.items()
    )


def _without_mention(text: str, me: User) -> str:
    """The text without the bot's name at its beginning or end, where it only calls the bot."""
    name = re.escape(me.username or "")
    if not name:
        return text
    without = re.sub(rf"^@{name}\b[\s,:]*", "", text, flags=re.IGNORECASE)
    return re.sub(rf"\s*@{name}$", "", without, flags=re.IGNORECASE)
