"""The sliding window: the recent turns that go to the model word for word, and how many of them a
message needs.

A message that points back ("go on", "as before", "what did you just say?") can't be understood
without what it points to; most others can. The rules are phrases of many languages, matched as
whole words. In doubt a message points back: that costs tokens, the other mistake costs the
thread."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from memory.conversation.tokens import Count, estimate_tokens
from memory.records import Role, Turn, Utterance
from memory.search.lexicon.lexicon import any_of, lexicons

#: What a model writes when it plays a tool call instead of making one, and then imitates forever
#: if it reads it again: tags of the common chat templates, fences that name themselves, and
#: stage directions such as "[tool: search_memory …]".
_ANNOTATIONS = re.compile(
    r"<(?P<tag>tool_calls?|function_calls?|tool_response|tool_result|function_results?|tools|invoke)"
    r"\b[^>]*>.*?(?:</(?P=tag)\s*>|\Z)"
    r"|<function=[^>]*>.*?(?:</function\s*>|\Z)"
    r"|<\|(?:python_tag|tool_calls?_begin|tool_call)\|>[^\n]*"
    r"|<\|/?tool\w*\|>"
    r"|\[TOOL_CALLS\][^\n]*"
    r"|```(?:tool_call|tool_code|function_call)\b.*?(?:```|\Z)"
    r"|\[(?:tool|function|used tool|calling tool|tool[ _](?:call|use|result|response))s?\s*[:=]"
    r"[^\]\n]*\]",
    re.DOTALL | re.IGNORECASE,
)
_BLANK_LINES = re.compile(r"\n{3,}")


def replay_turn(turn: Turn, message_chars: int, turn_tokens: int) -> tuple[Utterance, ...]:
    """The messages of a past turn as the model reads them again, without imitated tool calls: each
    in at most `message_chars` characters, all together in at most `turn_tokens` (estimated) as far
    as their marks allow.

    The same turn always gives the same bytes, from the moment it is recorded: a prompt cache serves
    only what has not changed."""
    cleaned = [_clean(message) for message in turn.messages]
    texts = [cut_middle(message.text, message_chars) for message in cleaned]
    fitting = _fit(texts, turn_tokens)
    return tuple(replace(m, text=text) for m, text in zip(cleaned, fitting, strict=True))


def _clean(message: Utterance) -> Utterance:
    """Remove imitated tool calls from an assistant's message. User messages are unchanged."""
    if message.role is Role.USER or not _ANNOTATIONS.search(message.text):
        return message
    text = _BLANK_LINES.sub("\n\n", _ANNOTATIONS.sub("", message.text)).strip()
    return replace(message, text=text)


def _fit(texts: Sequence[str], tokens: int) -> list[str]:
    """Shorten the texts to `tokens` in total: short ones stay whole and leave their share to long
    ones."""
    costs = [estimate_tokens(text) for text in texts]
    if sum(costs) <= tokens:
        return list(texts)
    fitted, left = list(texts), tokens
    by_size = sorted(range(len(texts)), key=lambda index: costs[index])
    for done, index in enumerate(by_size):
        share = left // (len(texts) - done)
        if costs[index] > share:
            fitted[index] = _cut(texts[index], share)
        left -= estimate_tokens(fitted[index])
    return fitted


def _cut(text: str, tokens: int) -> str:
    """The longest shortening of the text that costs at most `tokens`."""
    fits, too_long = 0, len(text)
    while too_long - fits > 1:
        middle = (fits + too_long) // 2
        if estimate_tokens(cut_middle(text, middle)) <= tokens:
            fits = middle
        else:
            too_long = middle
    return cut_middle(text, fits)


def cut_middle(text: str, limit: int) -> str:
    """The beginning and the end of the text in at most `limit` characters, with a mark between them
    that says how much is missing. A text that fits is unchanged."""
    if len(text) <= limit:
        return text
    # The number is at most as long as that of all characters.
    room = max(0, limit - len(_mark(len(text))))
    head = room - room // 3
    tail = room - head
    mark = _mark(len(text) - room)
    rest = text[len(text) - tail :]
    if text[text.rfind("\n", 0, len(text) - tail) + 1 :].startswith("> "):
        # The end of a quotation must not pass for the sender's own words.
        rest = f"\n> {rest[3:]}"
    return f"{text[:head]}{mark}{rest}"[:limit]


def _mark(missing: int) -> str:
    return f" [… {missing:,} characters left out] "


#: The newest turns that every message is shown with: what "yes", "why?" and "the second one" are
#: about.
FEW_TURNS = 3

_ACCENTS = re.compile("[\u0300-\u036f]")
_DROPPED = re.compile(r"[^\w\s\u0900-\u097f\u0e00-\u0e7f]+")
_CLAUSE = re.compile(r"[,.;:!?…—。，！？、।؟،\n]+")


def points_back(text: str) -> bool:
    """True if a message can't be understood without what was said before it."""
    spoken = _plain(text)
    phrases = _phrases()
    if any(phrase in spoken for phrase in phrases.unspaced):
        return True
    spoken = phrases.nowhere.sub(" ", spoken)
    # "Continue, please", but not "continue my studies".
    opening = _plain(_CLAUSE.split(text.strip(), maxsplit=1)[0])
    return opening in phrases.going_on or phrases.back.search(spoken) is not None


def turns_to_show(text: str, turns: int) -> int:
    """How many of the newest `turns` to show the model with a message."""
    return turns if points_back(text) else min(FEW_TURNS, turns)


def _plain(text: str) -> str:
    """The words of a text, separated by single spaces, without case, accents and punctuation."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    folded = unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed))
    return " ".join(_DROPPED.sub(" ", folded).split())


@dataclass(frozen=True, slots=True)
class _Phrases:
    going_on: frozenset[str]
    back: re.Pattern[str]
    #: Those of scripts without spaces: wherever the characters stand.
    unspaced: frozenset[str]
    #: "Earlier" that compares.
    nowhere: re.Pattern[str]


@cache
def _phrases() -> _Phrases:
    spaced = [lexicon for lexicon in lexicons().values() if not lexicon.unspaced]
    unspaced = [lexicon for lexicon in lexicons().values() if lexicon.unspaced]
    return _Phrases(
        frozenset(_plain(phrase) for each in lexicons().values() for phrase in each.going_on),
        _whole(phrase for each in spaced for phrase in each.points_back),
        frozenset(_plain(phrase) for each in unspaced for phrase in each.points_back),
        _whole(phrase for each in spaced for phrase in each.points_nowhere),
    )


def _whole(phrases: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\S)(?:{any_of(map(_plain, phrases))})(?!\S)")


#: What a message costs besides its text: who said it, where it begins and ends.
_MESSAGE_TOKENS = 4

#: What a window may take, in tokens: room for a batch of turns with an answer of some 2,300
#: characters of English and a question each, so that none of them is cut further, and for ten turns
#: of ordinary talk three times.
WINDOW_TOKENS = 5000

#: How many turns leave at once. Both numbers are where `mordecai eval window` reaches its goals:
#: docs/benchmarks.md.
EVICTED_TURNS = 6


@dataclass(frozen=True, slots=True)
class Window:
    """The last turns of a session: at most `limit` messages and at most `tokens`, whichever is
    less. Turns stay whole, with their tools; the newest always stays.

    Turns leave in batches of `batch`: one at a time would change the beginning of the model's input
    on every turn, and no prefix of it could be cached. No turn takes more than a batch's share of
    the tokens (see `replay_turn`), so a window that is too full always has more than a batch: each
    change of the beginning takes `batch` turns away, and whatever people say, there is at most one
    change in `batch` turns."""

    limit: int
    batch: int = EVICTED_TURNS
    tokens: int = WINDOW_TOKENS
    message_chars: int = 3000
    count: Count = field(default=estimate_tokens, compare=False, repr=False)
    turns: tuple[Turn, ...] = ()
    _shown: tuple[tuple[Utterance, ...], ...] = field(default=(), compare=False, repr=False)

    def with_turns(self, turns: Iterable[Turn]) -> "Window":
        """A window with the same limits and these turns, oldest first, even if it is too full."""
        turns = tuple(turns)
        return replace(self, turns=turns, _shown=tuple(self._replay(turn) for turn in turns))

    @property
    def messages(self) -> tuple[Utterance, ...]:
        """The messages as they go to the model, oldest first."""
        return self.latest(len(self.turns))

    def latest(self, turns: int) -> tuple[Utterance, ...]:
        """The messages of the newest turns, as they go to the model."""
        newest = self._shown[max(0, len(self.turns) - turns) :]
        return tuple(message for messages in newest for message in messages)

    @property
    def too_full(self) -> bool:
        """True if turns have to leave."""
        return len(self.turns) > 1 and self._over(self._costs())

    def push(self, turn: Turn) -> tuple["Window", tuple[Turn, ...]]:
        """The window with this turn added, and the turns that left."""
        shown = (*self._shown, self._replay(turn))
        return replace(self, turns=(*self.turns, turn), _shown=shown).trim()

    def trim(self) -> tuple["Window", tuple[Turn, ...]]:
        """The window within its limits, and the turns that left."""
        costs = self._costs()
        while len(costs) > 1 and self._over(costs):
            costs = costs[min(self.batch, len(costs) - 1) :]
        return self.keep_newest(len(costs))

    def keep_newest(self, turns: int) -> tuple["Window", tuple[Turn, ...]]:
        """The window with only its newest turns, and the others."""
        first = max(0, len(self.turns) - turns)
        kept = replace(self, turns=self.turns[first:], _shown=self._shown[first:])
        return kept, self.turns[:first]

    def without(self, turn_ids: Collection[str]) -> "Window":
        return self.with_turns(turn for turn in self.turns if turn.id not in turn_ids)

    def _over(self, costs: Sequence[tuple[int, int]]) -> bool:
        messages = sum(messages for messages, _ in costs)
        return messages > self.limit or sum(tokens for _, tokens in costs) > self.tokens

    def _costs(self) -> list[tuple[int, int]]:
        """The messages and tokens of each turn."""
        return [
            (len(shown), sum(self.count(m.text) + _MESSAGE_TOKENS for m in shown))
            for shown in self._shown
        ]

    def _replay(self, turn: Turn) -> tuple[Utterance, ...]:
        if turn.interrupted and turn.answer is None:
            # Or the model would answer this question, too, as soon as there is another one.
            return ()
        share = self.tokens // self.batch - _MESSAGE_TOKENS * len(turn.messages)
        return replay_turn(turn, self.message_chars, max(0, share))
