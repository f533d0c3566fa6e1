"""What Telegram accepts as a message's text, and which entities it sees in one."""

import re
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from itertools import islice
from typing import Any

from tests.fakes.botapi.refusals import bad_request

LONGEST_TEXT = 4096
LONGEST_CAPTION = 1024
MOST_ENTITIES = 100

_TAGS = frozenset(
    "b strong i em u ins s strike del span tg-spoiler a code pre blockquote tg-emoji".split()
)
_ENTITY_TYPES = frozenset(
    "mention hashtag cashtag bot_command url email phone_number bold italic underline "
    "strikethrough spoiler blockquote expandable_blockquote code pre text_link text_mention "
    "custom_emoji".split()
)
#: Telegram drops what is no such address: the text stays and leads nowhere.
_LINK = re.compile(r"(?:https?://|tg://|mailto:)\S+$", re.IGNORECASE)
_RESERVED = set("_*[]()~`>#+-=|{}.!")
_FOUND = re.compile(
    r"(?P<bot_command>(?<![\w/])/[A-Za-z0-9_]{1,64}(?:@\w{3,32})?)|(?P<mention>(?<!\w)@\w{4,32})"
)


def units(text: str) -> int:
    """The length in UTF-16 code units: Telegram's measure of everything."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def found_entities(text: str) -> list[dict[str, Any]]:
    """The commands and mentions that Telegram marks in what a person writes."""
    return [
        {
            "type": match.lastgroup,
            "offset": units(text[: match.start()]),
            "length": units(match.group()),
        }
        for match in islice(_FOUND.finditer(text), MOST_ENTITIES)
    ]


def checked(
    source: str,
    parse_mode: str | None,
    entities: Sequence[Mapping[str, Any]] | None,
    longest: int = LONGEST_TEXT,
    what: str = "message",
) -> tuple[str, list[dict[str, Any]]]:
    """The text as it will stand, and its entities. Raises what Telegram would answer."""
    text = source
    if parse_mode:
        text = _parsed(source, parse_mode)
    marked = [_entity(entity, source) for entity in (entities or [])]
    _check_nesting(marked)
    text, marked = _stripped(text, marked)
    if what == "message" and not text:
        raise bad_request("message text is empty")
    if units(text) > longest:
        raise bad_request(f"{what} is too long")
    return text, marked[:MOST_ENTITIES] or found_entities(text)


def _entity(entity: Mapping[str, Any], source: str) -> dict[str, Any]:
    if not {"type", "offset", "length"} <= set(entity):
        raise bad_request('can\'t parse MessageEntity: Field "type" must be of type String')
    if entity["type"] not in _ENTITY_TYPES:
        raise bad_request(f'can\'t parse MessageEntity: Unsupported type "{entity["type"]}"')
    start, end = entity["offset"], entity["offset"] + entity["length"]
    if start < 0 or entity["length"] < 1 or end > units(source):
        raise bad_request("ENTITY_BOUNDS_INVALID")
    encoded = source.encode("utf-16-le", "surrogatepass")
    for at, verb in ((start, "begins"), (end, "ends")):
        if 0xDC <= encoded[2 * at + 1 : 2 * at + 2].ljust(1, b"\0")[0] <= 0xDF:
            raise bad_request(f"entity {verb} in a middle of a UTF-16 symbol at offset {at}")
    if entity["type"] == "text_link" and not _LINK.match(str(entity.get("url"))):
        raise bad_request(f"Wrong HTTP URL {entity.get('url')!r} specified in an entity")
    return dict(entity)


def _check_nesting(entities: Sequence[Mapping[str, Any]]) -> None:
    """Telegram quietly takes away what breaks its rules of nesting (Bot API, Formatting options); a
    test wants to know."""
    for number, one in enumerate(entities):
        for other in entities[number + 1 :]:
            first, second = sorted((one, other), key=lambda e: (e["offset"], -e["length"]))
            end = first["offset"] + first["length"]
            if second["offset"] >= end:
                continue
            kinds = {first["type"], second["type"]}
            if second["offset"] + second["length"] > end:
                raise bad_request(f"entities cross each other: {kinds}")
            if len(kinds) == 1 or (kinds & {"code", "pre"} and "blockquote" not in kinds):
                raise bad_request(f"entities can't be nested: {kinds}")


def _stripped(text: str, entities: list[dict[str, Any]]) -> tuple[str, list[dict[str, Any]]]:
    """The text without white space around it, but for what entities begin with; and the entities
    where they are then."""
    head = units(text) - units(text.lstrip())
    head = min([head, *(entity["offset"] for entity in entities)])
    text = text[head:].rstrip()  # white space has one unit a character
    moved = []
    for entity in entities:
        start = entity["offset"] - head
        end = min(start + entity["length"], units(text))
        if end > start:
            moved.append({**entity, "offset": start, "length": end - start})
    return text, moved


def _parsed(source: str, parse_mode: str) -> str:
    match parse_mode.lower():
        case "html":
            reader = _Html()
            reader.feed(source)
            reader.close()
            return reader.result()
        case "markdownv2":
            return _markdown_v2(source)
        case "markdown":
            return _legacy_markdown(source)
        case _:
            raise bad_request("unsupported parse_mode")


def _cannot_parse(reason: str) -> Exception:
    return bad_request(f"can't parse entities: {reason}")


class _Html(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._open: list[str] = []

    def handle_data(self, data: str) -> None:
        self._parts.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _TAGS:
            raise _cannot_parse(f'Unsupported start tag "{tag}" at byte offset {self.getpos()[1]}')
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            raise _cannot_parse(f"Unmatched end tag at byte offset {self.getpos()[1]}")

    def result(self) -> str:
        """The text without its tags."""
        if self._open:
            raise _cannot_parse(
                f'Can\'t find end tag corresponding to start tag "{self._open[-1]}"'
            )
        return "".join(self._parts)


def _markdown_v2(source: str) -> str:
    """Strict about what MarkdownV2 is strict about: reserved characters and unclosed marks."""
    parts: list[str] = []
    marks: list[str] = []
    position = 0
    while position < len(source):
        character = source[position]
        if character == "\\" and source[position + 1 : position + 2]:
            parts.append(source[position + 1])
            position += 2
            continue
        if character in "*_~|`":
            if marks and marks[-1] == character:
                marks.pop()
            else:
                marks.append(character)
        elif character in _RESERVED and character not in "[]()":
            raise _cannot_parse(
                f"Character '{character}' is reserved and must be escaped with the preceding '\\'"
            )
        else:
            parts.append(character)
        position += 1
    if marks:
        raise _cannot_parse(f"Can't find end of the entity starting with '{marks[-1]}'")
    return "".join(parts)


def _legacy_markdown(source: str) -> str:
    for mark in "*_`":
        if source.count(mark) % 2:
            offset = len(source[: source.rindex(mark)].encode())
            raise _cannot_parse(f"Can't find end of the entity starting at byte offset {offset}")
    return re.sub("[*_`]", "", source)
