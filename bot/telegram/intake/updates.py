"""Turns updates into inbounds. Pure."""

import re
from collections.abc import Container
from dataclasses import replace

import telegram
from telegram import (
    CallbackQuery,
    Chat,
    MaybeInaccessibleMessage,
    MessageEntity,
    MessageOrigin,
    MessageOriginChannel,
    MessageOriginChat,
    MessageOriginHiddenUser,
    MessageOriginUser,
    User,
)

from bot.assistant.files import EnclosedFile, FileKind
from bot.assistant.inbound import Click, Command, Message, Origin
from bot.telegram.delivery.sender import GENERAL_TOPIC
from bot.telegram.formatting.marked import clean, utf16_length
from bot.telegram.intake.enclosures import (
    answered_text,
    describe,
    enclosed_in,
    is_service,
    words_of,
)
from memory.records import Actor, Place, Speaker
from memory.safety.escaping import quote, speaker_name

#: The channel's name in places and ids.
CHANNEL = "telegram"

_COMMAND = re.compile(
    r"/(?P<name>\w{1,64})(?:@(?P<bot>\w+))?(?=\s|$)\s*(?P<argument>.*)", re.DOTALL
)
#: A text of this many UTF-16 units may be a piece of a longer one: clients split at 4096, or a
#: little earlier, at the end of a word.
_NEAR_LIMIT = 4000


def inbound_of(
    receipt: int, message: telegram.Message, me: User, albums: Container[str | None] = ()
) -> Message | Command | None:
    """The inbound of a message; None if it is not for this bot: from a bot or a channel, a service
    message, a command for another bot, or talk between members of a group. What can't be put into
    words, even of a kind that Telegram invents tomorrow, comes as a file of the kind OTHER, so that
    it gets an answer. In a group only one message of an album has the caption; `albums` are those
    meant for the bot."""
    origin = None if is_service(message) else _origin(message)
    if origin is None:
        return None
    # What is forwarded, or made by an inline bot, is not the sender's own words, and so neither a
    # command nor a call to the bot.
    source = message.forward_origin
    is_own = isinstance(source, MessageOriginUser) and source.sender_user.id == origin.user_id
    theirs = message.via_bot is not None or (source is not None and not is_own)
    words = clean(words_of(message) or "").strip()
    match = None if theirs else _COMMAND.match(words)
    name, addressee = (match["name"].lower(), match["bot"]) if match else ("", None)
    if addressee and addressee.lower() != (me.username or "").lower():
        return None
    # In a caption only /ask works; any other command there is plain text.
    asks, commands = name == "ask", bool(match) and message.caption is None
    argument = match["argument"].strip() if match else ""
    if asks:
        words = argument
    if not origin.is_private:
        called = commands or asks or _is_addressed(message, me) or message.media_group_id in albums
        if not called:
            return None
        words = words if theirs else _without_mention(words, me)
    text, context = _content(message, words, theirs=theirs), _context(message)
    if (commands and not asks) or (asks and not text and not context):
        return Command(
            name,
            argument,
            origin,
            message.date,
            message.message_id,
            receipt,
            addressed=bool(addressee),
        )
    if context:
        text = f"{context}\n{text}".rstrip()
    elsewhere = source, message.via_bot, message.external_reply, message.reply_to_story
    # Telegram sends the pictures of an album, forwarded messages and the pieces of a long text
    # separately.
    is_piece = utf16_length(message.text or "") >= _NEAR_LIMIT
    return Message(
        f"{CHANNEL}:{origin.place.chat_id}:{message.message_id}",
        origin,
        message.date,
        text,
        message.message_id,
        receipt,
        words="" if message.text is None or any(elsewhere) else words,
        answers=_answered_id(message),
        more_may_follow=is_piece or message.media_group_id is not None or source is not None,
        files=_files(message, words),
    )


def click_of(receipt: int, query: CallbackQuery) -> Click | None:
    """The click of a callback query, also under a message that Telegram no longer shows to bots
    because it is old. None if the chat is unknown: the message was sent in inline mode."""
    message = query.message
    if message is None or query.data is None:
        return None
    origin = _origin_of(message, query.from_user)
    if origin is None:
        return None
    answered = message.reply_to_message if isinstance(message, telegram.Message) else None
    asked = inbound_of(receipt, answered, query.get_bot().bot) if answered else None
    question = asked if isinstance(asked, Message) else None
    return Click(
        query.data,
        origin,
        message.date,
        message.message_id,
        receipt,
        query.id,
        question=question,
    )


def _origin_of(message: MaybeInaccessibleMessage, user: User) -> Origin | None:
    """The origin of a message or of a click under it by `user`; None for a channel and its direct
    messages. Telegram calls these a supergroup, but the people in it don't see each other."""
    chat, place = message.chat, _place_of(message)
    if chat.is_direct_messages:
        return None
    language, name = user.language_code, _name_of(user)
    match chat.type:
        case Chat.PRIVATE:
            return Origin(place, Actor.person(user.id), user.id, language, name=name)
        case Chat.GROUP | Chat.SUPERGROUP:
            # Without a visible name, the model could not tell people apart.
            speaker = Speaker(user.id, name if speaker_name(name) else f"#{user.id}")
            return Origin(place, Actor.group(chat.id), user.id, language, speaker, name)
        case _:
            return None


def _place_of(message: MaybeInaccessibleMessage) -> Place:
    """The chat and its topic. Messages in a forum's general topic name none."""
    chat = message.chat
    topic = GENERAL_TOPIC if chat.is_forum and chat.type == Chat.SUPERGROUP else None
    if isinstance(message, telegram.Message) and message.is_topic_message:
        topic = message.message_thread_id
    return Place(CHANNEL, chat.id, topic)


def _origin(message: telegram.Message) -> Origin | None:
    """The origin of a message; None for bots and channels. A message in the name of a chat has a
    stand-in as its user."""
    chat, user, instead = message.chat, message.from_user, message.sender_chat
    if user is None or message.is_automatic_forward:
        return None
    if instead is None:
        return None if user.is_bot else _origin_of(message, user)
    if instead.id != chat.id or chat.type not in (Chat.GROUP, Chat.SUPERGROUP):
        return None
    name = clean(message.author_signature or chat.title or "").strip()
    place = _place_of(message)
    speaker = Speaker(chat.id, name) if name else None
    return Origin(place, Actor.group(chat.id), chat.id, speaker=speaker, name=name)


def _content(message: telegram.Message, words: str, *, theirs: bool) -> str:
    """The message in words. Everything that is not the sender's own words is quoted: descriptions
    of files, and a whole message by another author."""
    held = clean(describe(message) or "")
    file = enclosed_in(message)
    if file and file.mark:
        held = file.mark if message.voice else f"{held} {file.mark}"
    if theirs:
        source, inline = message.forward_origin, message.via_bot
        author = _author(source) if source else _name_of(inline) if inline else ""
        return quote("\n".join(filter(None, (held, words))), author)
    if held and not message.voice:
        held = quote(held)
    return "\n".join(filter(None, (held, words)))


def _files(message: telegram.Message, words: str) -> tuple[EnclosedFile, ...]:
    """The file of the message, and that of the message it replies to, if the model may see it."""
    answered = message.reply_to_message
    shown = enclosed_in(answered) if answered and not _is_bots(answered) else None
    if shown and shown.kind in (FileKind.SPEECH, FileKind.OTHER):
        shown = None
    context = replace(shown, is_context=True) if shown else None
    own = enclosed_in(message)
    own = replace(own, has_words=bool(words)) if own else None
    return tuple(file for file in (context, own) if file)


def _answered_id(message: telegram.Message) -> int | None:
    """The id of the message replied to. In a topic every message "replies" to the one that opened
    it, which does not count."""
    answered = message.reply_to_message
    if answered is None or answered.forum_topic_created:
        return None
    return answered.message_id


def _is_bots(message: telegram.Message) -> bool:
    """True if a bot wrote the message, rather than a person in the name of a chat."""
    user = message.from_user
    return user is not None and user.is_bot and message.sender_chat is None


def _context(message: telegram.Message) -> str | None:
    """The text replied to, quoted: it is context, not the sender's own words."""
    text = answered_text(message)
    if not text:
        return None
    answered, elsewhere = message.reply_to_message, message.external_reply
    if answered:
        return quote(text, _shown_author(answered))
    return quote(text, _author(elsewhere.origin) if elsewhere else None)


def _shown_author(message: telegram.Message) -> str:
    """The author as shown above a message: a person, or the chat in whose name it was written."""
    if message.sender_chat:
        return clean(message.author_signature or message.sender_chat.title or "")
    return _name_of(message.from_user) if message.from_user else ""


def _author(origin: MessageOrigin) -> str:
    """The author of a forwarded message."""
    match origin:
        case MessageOriginUser():
            return _name_of(origin.sender_user)
        case MessageOriginHiddenUser():
            return clean(origin.sender_user_name or "")
        case MessageOriginChat():
            return clean(origin.sender_chat.title or "")
        case MessageOriginChannel():
            return clean(origin.chat.title or "")
        case _:
            return ""


def _name_of(user: User) -> str:
    """The person's name; empty for a deleted account, of which the library makes None."""
    return clean(user.full_name or "").strip()


def _is_addressed(message: telegram.Message, me: User) -> bool:
    """True if a group's message mentions the bot or replies to it."""
    if _replies_to_me(message, me):
        return True
    wanted: list[str | None] = [MessageEntity.MENTION, MessageEntity.TEXT_MENTION]
    entities = message.parse_entities(wanted) | message.parse_caption_entities(wanted)
    name = f"@{me.username}".lower()
    return any(
        said.lower() == name or (entity.user is not None and entity.user.id == me.id)
        for entity, said in entities.items()
    )


def _replies_to_me(message: telegram.Message, me: User) -> bool:
    """True if the message replies to the bot, even from another topic of the same chat."""
    answered, elsewhere = message.reply_to_message, message.external_reply
    if answered and answered.from_user and answered.from_user.id == me.id:
        # Every message of a topic "replies" to the one that opened it.
        return not answered.forum_topic_created
    if elsewhere is None or elsewhere.chat is None or elsewhere.chat.id != message.chat.id:
        return False
    author = elsewhere.origin
    return isinstance(author, MessageOriginUser) and author.sender_user.id == me.id


def _without_mention(text: str, me: User) -> str:
    """The text without the bot's name at its beginning or end, which only addresses the bot."""
    name = re.escape(me.username or "")
    if not name:
        return text
    without = re.sub(rf"^@{name}\b[\s,:]*", "", text, flags=re.IGNORECASE)
    return re.sub(rf"\s*@{name}$", "", without, flags=re.IGNORECASE)
