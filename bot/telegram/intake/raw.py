"""Updates as they arrive, in JSON, before anything relies on them.

Telegram sends no broken updates, but a faulty Bot API server may, or whoever has the webhook's
secret. Such an update must neither block the ones behind it nor end the task that handles them."""

import json
import re
from collections.abc import Iterator, Mapping

from telegram import Update

from bot.errors import Unreadable, parse_untrusted
from bot.telegram.intake.mending import Json, mend
from memory.background.pacing import RateLimitedLog
from memory.records import Actor

#: Bot API: ids have at most 52 significant bits. No other number is larger.
_TOO_LARGE = 2**52
#: Messages nest about ten levels deep.
_DEEPEST = 100
#: The fields that hold a person or a chat. Their ids decide whose memory it is.
_WITH_ID = frozenset(("chat", "from", "user", "sender_chat", "sender_user", "via_bot"))

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[][{}]', re.DOTALL)
_DEEPER = {"{": 1, "[": 1, "}": -1, "]": -1}
_NUMBER = re.compile(r"\s*:\s*(\d{1,16})\s*[,}]")


class MalformedUpdate(ValueError):
    """Not what the Bot API describes. The message says why, without any content."""


def update_in(body: bytes) -> Json:
    """The update in this JSON. Raises MalformedUpdate."""
    try:
        return _check(json.loads(body))
    except (ValueError, RecursionError) as failure:
        raise MalformedUpdate(_reason(failure)) from None


def updates_in(payload: bytes, complaints: RateLimitedLog) -> list[Json]:
    """What is `readable` of the updates in a response to getUpdates. If the response can't be
    decoded as a whole, each update is decoded alone. Raises MalformedUpdate if it has no list."""
    try:
        answer = json.loads(payload)
    except (ValueError, RecursionError):
        texts = _split(payload.decode("utf-8", "replace"))
        found = [_decode(text, complaints) for text in texts]
    else:
        result = answer.get("result") if isinstance(answer, Mapping) else None
        if not isinstance(result, list):
            raise MalformedUpdate("no list of updates")
        found = [readable(update, complaints) for update in result]
    return [update for update in found if update]


def readable(update: object, complaints: RateLimitedLog) -> Json | None:
    """The update, mended if it has to be. If it can't be read, only its number, which acknowledges
    it; None if that can't be trusted either. Logs the number, never the content."""
    try:
        return parse_untrusted(lambda it: _parsable(_check(it), complaints), update)
    except Unreadable as failure:
        return _only_number(_number_of(update), failure, complaints)


def _parsable(update: Json, complaints: RateLimitedLog) -> Json:
    try:
        parse_untrusted(lambda it: Update.de_json(it, None), update)
    except Unreadable as failure:
        whole = mend(update)
        complaints.warn_once("mended_update", reason=_reason(failure))
        return whole
    return update


def _only_number(number: int | None, failure: Exception, complaints: RateLimitedLog) -> Json | None:
    complaints.warn_once(
        "unreadable_update", subject=number, update_id=number, reason=_reason(failure)
    )
    return None if number is None else {"update_id": number}


def stored_update(update_id: int, body: str) -> Json:
    """The update that the inbox has kept; only its number if it can't be decoded."""
    try:
        update = json.loads(body)
    except (ValueError, RecursionError):
        update = None
    return (update if isinstance(update, dict) else {}) | {"update_id": update_id}


def chat_of(update: Mapping[str, object]) -> int | None:
    """The chat that an update is about."""
    for content in update.values():
        if isinstance(content, Mapping):
            message = content.get("message", content)
            if isinstance(message, Mapping) and isinstance(message.get("chat"), Mapping):
                return int(message["chat"]["id"])
    return None


def actor_in(chat_id: int) -> Actor | None:
    """Whose memory a chat is about."""
    if not chat_id:
        return None
    return Actor.person(chat_id) if chat_id > 0 else Actor.group(chat_id)


def chat_id_of(actor: Actor) -> int:
    """The chat that an actor's memory is about."""
    return -int(actor.id[1:]) if actor.is_group else int(actor.id[1:])


def owner_of(update: Mapping[str, object]) -> tuple[int | None, str | None]:
    """The chat that an update is about, and the id of the actor to whose worker it goes: the
    chat's, or the sender's where there is no chat."""
    chat = about = chat_of(update)
    for content in update.values():
        sender = content.get("from") if isinstance(content, Mapping) else None
        if about is None and isinstance(sender, Mapping):
            about = int(sender["id"])
    actor = actor_in(about or 0)
    return chat, actor.id if actor else None


def _reason(failure: Exception) -> str:
    """For the log. The text of other errors may quote the update."""
    why = failure.__cause__ or failure
    return str(why) if isinstance(why, MalformedUpdate) else type(why).__name__


# -- decoded updates ------------------------------------------------------------------------------


def _check(update: object) -> Json:
    """Raises MalformedUpdate unless it is an object with a number, not nested too deep, whose ids
    and other numbers can be Telegram's."""
    if not isinstance(update, dict):
        raise MalformedUpdate("not an object")
    if _number_of(update) is None:
        raise MalformedUpdate("no usable update_id")
    level: list[tuple[str, object]] = [("", update)]
    for _ in range(_DEEPEST):
        level = [inner for key, value in level for inner in _contents(key, value)]
        if not level:
            return update
    raise MalformedUpdate("nested too deep")


def _number_of(update: object) -> int | None:
    number = update.get("update_id") if isinstance(update, Mapping) else None
    # A bool is an int for isinstance.
    return number if type(number) is int and 0 <= number < _TOO_LARGE else None


def _contents(key: str, value: object) -> Iterator[tuple[str, object]]:
    """Checks a value; yields what it contains, with the keys."""
    if key in _WITH_ID and (value is not None or key == "chat"):
        id_ = value.get("id") if isinstance(value, Mapping) else None
        if type(id_) is not int:
            raise MalformedUpdate("a person or chat without a numeric id")
    # Ids are keys of dictionaries, so nothing that can't be hashed may stand there.
    if (key == "id" or key.endswith("_id")) and type(value) not in (int, str, type(None)):
        raise MalformedUpdate("an id that is none")
    match value:
        case Mapping():
            yield from value.items()
        case list():
            yield from (("", item) for item in value)
        # Written so that it refuses NaN, too.
        case int() | float() if not abs(value) < _TOO_LARGE:
            raise MalformedUpdate("a number that is too large")


# -- updates that can't be decoded ----------------------------------------------------------------


def _split(text: str) -> Iterator[str]:
    """The texts of the updates: objects in an array in an object."""
    depth, start = 0, 0
    for token in _TOKEN.finditer(text):
        change = _DEEPER.get(token[0], 0)
        if depth == 2 and change > 0:
            start = token.start()
        if depth == 3 and change < 0:
            yield text[start : token.end()]
        depth += change


def _decode(text: str, complaints: RateLimitedLog) -> Json | None:
    """What is readable of the update with this text."""
    try:
        return readable(json.loads(text), complaints)
    except (ValueError, RecursionError) as failure:
        return _only_number(_number_in(text), failure, complaints)


def _number_in(text: str) -> int | None:
    depth = 0
    for token in _TOKEN.finditer(text):
        if depth == 1 and token[0] == '"update_id"':
            number = _NUMBER.match(text, token.end())
            return _number_of({"update_id": int(number[1])}) if number else None
        depth += _DEEPER.get(token[0], 0)
    return None
