"""The messages of one turn, as the model gets them. Pure.

The order suits a prompt cache: what never changes comes first, what changes every turn comes last.

1. The system prompt (`instructions.py`): the same bytes for every actor and turn.
2. The profile, which stays for the session.
3. The running summaries, which change when turns leave the window.
4. The window, word for word, and the cache point.
5. What belongs to this turn alone: the date, the chosen length of answers, the recalled records,
   the attachments, and the user's own words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from pydantic_ai import (
    BinaryContent,
    CachePoint,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
)
from pydantic_ai.messages import UserPromptPart

from bot.assistant.instructions import ANSWER_LENGTHS, EARLIER, PRIVATE, REUNION
from memory.conversation.talk import ConversationHistory
from memory.records import Role
from memory.safety.escaping import escape_quotations, speaker_name


@dataclass(frozen=True, slots=True)
class Prompt:
    """One turn's request to the model. `content` is the last user message; its last item is always
    the user's own words, and everything before them is context."""

    history: tuple[ModelMessage, ...]
    content: tuple[str | CachePoint | BinaryContent, ...]

    @property
    def has_files(self) -> bool:
        return any(isinstance(item, BinaryContent) for item in self.content)

    @property
    def texts(self) -> Iterable[str]:
        """All texts of the request except the static system prompt."""
        for message in self.history:
            for part in message.parts:
                if isinstance(part, TextPart):
                    yield part.content
                elif isinstance(part, UserPromptPart):
                    yield from _strings(part.content)
        yield from _strings(self.content)


def build(
    history: ConversationHistory,
    words: str,
    speaker: str | None,
    today: date,
    attached: Iterable[str | BinaryContent] = (),
) -> Prompt:
    """The messages of one turn. `words` must not be blank; `speaker` names the person in a group;
    `attached` precedes the words, in this turn only.

    User and assistant alternate strictly and no text is blank, because several vendors reject
    anything else. Quotations, which are third parties' text, are escaped here and nowhere earlier:
    people and searches meet what was really said."""
    blocks = _alternating_blocks(history)
    content = blocks.pop().content if blocks and blocks[-1].role is Role.USER else []
    notes = len(history.context_messages) - bool(history.recalled.strip())
    _restore_last_cache_point(blocks, notes)
    if blocks or content:
        # The next turn repeats everything up to here, byte for byte.
        content.append(CachePoint())
    content.append(f"Today is {today:%A}, {today:%Y-%m-%d}.")
    if history.metadata.private:
        content.append(PRIVATE)
    if history.metadata.reunion:
        content.append(REUNION)
    if wanted := ANSWER_LENGTHS.get(history.metadata.answer_length or ""):
        content.append(wanted)
    if recalled := history.recalled.strip():
        content.append(recalled)
    said = [f"{name}:"] if (name := speaker_name(speaker)) else []
    messages = tuple(
        ModelRequest(parts=[UserPromptPart(block.content)])
        if block.role is Role.USER
        else ModelResponse(parts=[TextPart("\n\n".join(map(str, block.content)))])
        for block in blocks
    )
    return Prompt(messages, (*content, *attached, *said, escape_quotations(words)))


@dataclass(slots=True)
class _Block:
    """Everything one side says until the other side speaks."""

    role: Role
    content: list[str | CachePoint]


def _alternating_blocks(history: ConversationHistory) -> list[_Block]:
    """The profile and the window as alternating blocks, the user's first, without blank texts."""
    notes = [note for block in (history.profile, history.earlier) if (note := block.strip())]
    blocks = [_Block(Role.USER, [*notes])] if notes else []
    for message in history.messages:
        text = message.text.strip()
        if not text:
            continue
        if message.role is Role.USER:
            text = escape_quotations(text)
        speaker = message.speaker.name if message.speaker else None
        if message.role is Role.USER and (name := speaker_name(speaker)):
            text = f"{name}: {text}"
        if not blocks and message.role is Role.ASSISTANT:
            blocks.append(_Block(Role.USER, [EARLIER]))
        if blocks and blocks[-1].role is message.role:
            blocks[-1].content.append(text)
        else:
            blocks.append(_Block(message.role, [text]))
    return blocks


def _restore_last_cache_point(blocks: Sequence[_Block], notes: int) -> None:
    """Repeat the cache point of the previous turn: Claude finds the cache of an earlier point by
    itself, other models on Bedrock do not. For Bedrock, pydantic-ai moves a point that
    begins a message to the end of the user message before it, so it belongs there; in a session's
    second turn it belongs after the notes that open the messages."""
    users = [block for block in blocks if block.role is Role.USER]
    if len(users) > 1:
        users[-2].content.append(CachePoint())
    elif users and 0 < notes < len(users[0].content):
        users[0].content.insert(notes, CachePoint())


def _strings(content: str | Sequence[object]) -> list[str]:
    items = (content,) if isinstance(content, str) else content
    return [item for item in items if isinstance(item, str)]
