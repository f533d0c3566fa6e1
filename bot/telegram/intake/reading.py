"""Pure: what a Telegram message means to the bot."""

import re
from collections.abc import Container
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from telegram import (
    CallbackQuery,
    Chat,
    Message,
    MessageEntity,
    MessageOrigin,
    MessageOriginChannel,
    MessageOriginChat,
    MessageOriginHiddenUser,
    MessageOriginUser,
    User,
)

from bot.assistant.events import FileKind
from bot.assistant.prompt import speaker_name
from bot.telegram.delivery.failures import GENERAL_TOPIC
from bot.telegram.formatting.marked import utf16_length
from bot.telegram.formatting.text import clean
from bot.telegram.intake.enclosures import (
    Enclosed,
    answered_text,
    described,
    enclosed_in,
)
from memory.records import Actor, Place, quoted

_COMMAND = re.compile(
    r"/(?P<name>\w{1,64})(?:@(?P<bot>\w+))?(?=\s|$)\s*(?P<argument>.*)", re.DOTALL
)


#: A text of this many UTF-16 units may be the first piece of a longer one: clients cut at 4096, or
#: a little before, at the end of a word.
_NEAR_LIMIT = 4000


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose memory a message belongs to, where it was written, by whom. `name` is what Telegram
    shows of that person, `speaker` what tells them from others where several people speak. Who
    writes in the name of a group has the group's id."""

    place: Place
    actor: Actor
    user_id: int
    language: str | None = None
    speaker: str | None = None
    name: str = ""

    @property
    def is_private(self) -> bool:
        """Whether it is the private chat of one person."""
        return not self.actor.is_group

    @property
    def is_anonymous(self) -> bool:
        """Whether it was written by one of a group's admins, nobody knows which."""
        return self.actor.is_group and self.user_id == self.place.chat_id


@dataclass(frozen=True, slots=True)
class Command:
    """A command as it was written, without its slash, and what follows it. `addressed` says that
    this bot was named in it."""

    name: str
    argument: str
    addressed: bool = False


@dataclass(frozen=True, slots=True)
class Heard:
    """A message that is for the bot. `text` is None if it holds what can't be put into words; what
    it forwards, holds or answers is quoted in it, because these are not the sender's words. `files`
    are to be fetched when it is answered. `more_may_follow`: it looks like one of several that were
    sent at once. `words` is what the sender has written, if that is all there is, and `answered`
    the message of this chat that it answers."""

    update_id: int
    message_id: int
    origin: Origin
    at: datetime
    text: str | None
    command: Command | None = None
    more_may_follow: bool = False
    files: tuple[Enclosed, ...] = ()
    words: str = ""
    answered: int | None = None

    @property
    def answering(self) -> int | None:
        """The message that the bot's answer names as answered: in a group it has to be told."""
        return None if self.origin.is_private else self.message_id

    def pressing(self, message_id: int, data: str) -> "Click":
        """This message as a press of a button under that one: of the button that it names."""
        return Click(self.update_id, "", self.origin, message_id, self.at, data, self.words)


@dataclass(frozen=True, slots=True)
class Click:
    """A press of a button under one of the bot's messages. `words` is what was written instead of
    pressing one."""

    update_id: int
    query_id: str
    origin: Origin
    message_id: int
    asked_at: datetime
    data: str
    words: str = ""


def hear(
    update_id: int, message: Message, me: User, channel: str, albums: Container[str | None] = ()
) -> Heard | None:
    """What the message means, or None if it is not for this bot: a bot's or a channel's, a service
    message, a command for another bot, or talk of a group's members with each other. Of an album
    in a group only one message has the caption: `albums` are those that are for the bot."""
    if message.text is None and message.effective_attachment is None:
        return None
    origin = _written_by(message, channel)
    if origin is None:
        return None
    theirs = _is_theirs(message, origin.user_id)
    words, command, asked = _written(message, me, theirs=theirs)
    if command is None and not theirs and _is_for_another_bot(words, me):
        return None
    if not origin.is_private:
        addressed = asked or _is_addressed(message, me) or message.media_group_id in albums
        if command is None and not addressed:
            return None
        words = words if theirs else _without_mention(words, me)
    heard = partial(Heard, update_id, message.message_id, origin, message.date)
    if command:
        return heard(words, command)
    text, context = _content(message, words, theirs=theirs), _context(message)
    if asked and not text and not context:
        return heard("", Command("ask", ""))
    if text is not None and context:
        text = f"{context}\n{text}".rstrip()
    return heard(
        text,
        None,
        _more_may_follow(message),
        _files(message),
        words if _is_nothing_else(message) else "",
        _answered(message),
    )


def click_of(update_id: int, query: CallbackQuery, channel: str) -> Click | None:
    """What a press of a button means; None under a message that can't be seen any more."""
    message = query.message
    if not isinstance(message, Message) or query.data is None:
        return None
    origin = origin_of(message, query.from_user, channel)
    if origin is None:
        return None
    return Click(update_id, query.id, origin, message.message_id, message.date, query.data)


def origin_of(message: Message, user: User, channel: str) -> Origin | None:
    """Where a message comes from and whose memory that is; None for a channel and its direct
    messages: Telegram calls these a supergroup, and those who write there don't see each other.
    `user` is who wrote it, or who clicked under it."""
    chat, place = message.chat, _place_of(message, channel)
    if chat.is_direct_messages:
        return None
    language, name = user.language_code, clean(user.full_name).strip()
    match chat.type:
        case Chat.PRIVATE:
            return Origin(place, Actor.person(user.id), user.id, language, name=name)
        case Chat.GROUP | Chat.SUPERGROUP:
            # Without a name that can be shown, people would be one to the model.
            speaker = name if speaker_name(name) else f"#{user.id}"
            return Origin(place, Actor.group(chat.id), user.id, language, speaker, name)
        case _:
            return None


def _place_of(message: Message, channel: str) -> Place:
    """The chat, and the topic in it. What is written in a forum's general topic names none."""
    chat = message.chat
    general = GENERAL_TOPIC if chat.is_forum and chat.type == Chat.SUPERGROUP else None
    topic = message.message_thread_id if message.is_topic_message else general
    return Place(channel, chat.id, topic)


def _written_by(message: Message, channel: str) -> Origin | None:
    """Where a message comes from; None for a bot's and a channel's. What is written in the name of
    a chat has a stand-in as its user."""
    chat, user, instead = message.chat, message.from_user, message.sender_chat
    if user is None or message.is_automatic_forward:
        return None
    if instead is None:
        return None if user.is_bot else origin_of(message, user, channel)
    if instead.id != chat.id or chat.type not in (Chat.GROUP, Chat.SUPERGROUP):
        return None
    name = clean(message.author_signature or chat.title or "").strip()
    place = _place_of(message, channel)
    return Origin(place, Actor.group(chat.id), chat.id, speaker=name or None, name=name)


def _written(message: Message, me: User, *, theirs: bool) -> tuple[str, Command | None, bool]:
    """What is written, the command that it is, and whether it asks the bot with /ask, which also
    a caption can."""
    words = clean(message.text or message.caption or "").strip()
    command = None if theirs else _command(words, me)
    if command and command.name == "ask":
        return command.argument, None, True
    return words, command if message.text is not None else None, False


def _content(message: Message, words: str, *, theirs: bool) -> str | None:
    """What the message holds, in words; None if there are none for it. What is not the sender's
    own is quoted: what the message shows, and all of it if it is somebody else's."""
    held = clean(described(message) or "")
    if message.text is None and not held:
        return None
    file = enclosed_in(message)
    if file and file.mark:
        held = file.mark if message.voice else f"{held} {file.mark}"
    if message.forward_origin and theirs:
        return quoted("\n".join(filter(None, (held, words))), _author(message.forward_origin))
    if held and not message.voice:
        held = quoted(held)
    return "\n".join(filter(None, (held, words)))


def _files(message: Message) -> tuple[Enclosed, ...]:
    """The file of the message, and the one of the message that it answers, if it may be shown."""
    answered = message.reply_to_message
    shown = enclosed_in(answered) if answered and not _is_bots(answered) else None
    if shown and shown.kind in (FileKind.SPEECH, FileKind.OTHER):
        shown = None
    context = replace(shown, is_context=True) if shown else None
    return tuple(file for file in (context, enclosed_in(message)) if file)


def _is_nothing_else(message: Message) -> bool:
    """Whether the sender has written the message, and it says nothing to what is elsewhere."""
    others = message.forward_origin, message.via_bot, message.external_reply, message.reply_to_story
    return message.text is not None and not any(others)


def _answered(message: Message) -> int | None:
    """The message that this one answers. In a topic every message "answers" the one that opened
    it."""
    answered = message.reply_to_message
    if answered is None or answered.forum_topic_created:
        return None
    return answered.message_id


def _is_bots(message: Message) -> bool:
    """Whether a bot wrote the message, and nobody in the name of a chat."""
    user = message.from_user
    return user is not None and user.is_bot and message.sender_chat is None


def _is_theirs(message: Message, sender_id: int) -> bool:
    """Whether the message forwards what somebody else has written."""
    return message.forward_origin is not None and not _is_own(message.forward_origin, sender_id)


def _more_may_follow(message: Message) -> bool:
    """Whether the message looks like one of several: Telegram sends the pictures of an album, what
    is forwarded, and the pieces of a long text as messages of their own."""
    pieces = utf16_length(message.text or "") >= _NEAR_LIMIT
    return pieces or message.media_group_id is not None or message.forward_origin is not None


def _context(message: Message) -> str | None:
    """What the message answers, quoted: context, and nobody's statement about themselves."""
    text = answered_text(message)
    if not text:
        return None
    answered = message.reply_to_message
    author = _shown_author(answered) if answered else None
    return quoted(text, author and clean(author))


def _shown_author(message: Message) -> str | None:
    """Who is shown above a message: a person, or the chat in whose name it was written."""
    if message.sender_chat:
        return message.author_signature or message.sender_chat.title
    return message.from_user.full_name if message.from_user else None


def _is_own(origin: MessageOrigin, sender_id: int) -> bool:
    """Whether somebody forwards what they have written themselves."""
    return isinstance(origin, MessageOriginUser) and origin.sender_user.id == sender_id


def _author(origin: MessageOrigin) -> str | None:
    """Who wrote a forwarded message, as Telegram tells it."""
    match origin:
        case MessageOriginUser():
            return clean(origin.sender_user.full_name)
        case MessageOriginHiddenUser():
            return clean(origin.sender_user_name)
        case MessageOriginChat():
            return clean(origin.sender_chat.title or "")
        case MessageOriginChannel():
            return clean(origin.chat.title or "")
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
    if _answers(message, me):
        return True
    wanted: list[str | None] = [MessageEntity.MENTION, MessageEntity.TEXT_MENTION]
    entities = message.parse_entities(wanted) | message.parse_caption_entities(wanted)
    name = f"@{me.username}".lower()
    return any(
        said.lower() == name or (entity.user is not None and entity.user.id == me.id)
        for entity, said in entities.items()
    )


def _answers(message: Message, me: User) -> bool:
    """Whether the message answers one of the bot's, be that in another topic of the same chat."""
    answered, elsewhere = message.reply_to_message, message.external_reply
    if answered and answered.from_user and answered.from_user.id == me.id:
        # Every message of a topic "answers" the one that opened it.
        return not answered.forum_topic_created
    if elsewhere is None or elsewhere.chat is None or elsewhere.chat.id != message.chat.id:
        return False
    author = elsewhere.origin
    return isinstance(author, MessageOriginUser) and author.sender_user.id == me.id


def _without_mention(text: str, me: User) -> str:
    """The text without the bot's name at its beginning or end, where it only calls the bot."""
    name = re.escape(me.username or "")
    if not name:
        return text
    without = re.sub(rf"^@{name}\b[\s,:]*", "", text, flags=re.IGNORECASE)
    return re.sub(rf"\s*@{name}$", "", without, flags=re.IGNORECASE)
