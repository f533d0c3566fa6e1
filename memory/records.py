"""The words of the memory: who, where, what was said, what is kept. Frozen values, no behaviour
beyond their own validity; this module imports nothing of ours."""

import base64
import hashlib
import re
from dataclasses import KW_ONLY, dataclass, fields, replace
from datetime import datetime
from enum import StrEnum

_ACTOR_ID = re.compile(r"[ug][0-9]{1,20}")
_SESSION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_QUOTED_LINE = re.compile(r"^[^\S\n]*>.*$", re.MULTILINE)


class Choice(StrEnum):
    """A setting that an actor makes for themselves."""

    #: What the actor calls the assistant.
    AGENT_NAME = "agent_name"
    #: In which language the bot's own texts are: BCP 47, "pt-br".
    LANGUAGE = "language"
    #: In which time zone dates are told: IANA, "Europe/Rome".
    TIME_ZONE = "time_zone"
    #: How long answers are to be, an AnswerLength.
    ANSWER_LENGTH = "answer_length"
    #: How answers are shown while they are written.
    STREAMING = "streaming"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What an actor has chosen, None where nothing; see Choice."""

    agent_name: str | None = None
    language: str | None = None
    time_zone: str | None = None
    answer_length: str | None = None
    streaming: str | None = None


class Role(StrEnum):
    """Who said a message: the person (or people) the memory is about, or the assistant."""

    USER = "user"
    ASSISTANT = "assistant"


class Kind(StrEnum):
    """What a record is. The first three are the namespaces of long-term memory; a MESSAGE is
    one archived message, word for word, as search finds it."""

    FACT = "fact"
    PREFERENCE = "preference"
    SUMMARY = "summary"
    MESSAGE = "message"


#: The kinds that are learned, shown by /memory and forgotten by id.
LEARNED_KINDS = (Kind.FACT, Kind.PREFERENCE, Kind.SUMMARY)


@dataclass(frozen=True, slots=True, order=True)
class Actor:
    """Whose memory it is: `u<digits>` for a person in a private chat, `g<digits>` for a group.

    Built from numeric Telegram ids alone, because user names can be given to somebody else. The
    letter keeps ids legal for AgentCore (a group's own id starts with `-`)."""

    id: str

    def __post_init__(self) -> None:
        if not _ACTOR_ID.fullmatch(self.id):
            raise ValueError(f"actor id {self.id!r}: expected u<digits> or g<digits>")

    @classmethod
    def person(cls, user_id: int) -> "Actor":
        """The actor of a private chat with the user of this numeric id."""
        return cls(f"u{user_id}")

    @classmethod
    def group(cls, chat_id: int) -> "Actor":
        """The actor of a group or supergroup (Telegram gives those a negative chat id)."""
        return cls(f"g{abs(chat_id)}")

    @property
    def is_group(self) -> bool:
        """True if the memory belongs to a group instead of one person."""
        return self.id.startswith("g")


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where a conversation happens: one chat, or one topic of it, on one channel."""

    channel: str
    chat_id: int
    topic_id: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Speaker:
    """Who says something in a group: told apart by numeric id, because names can be taken by
    somebody else, and shown by name. What was stored before ids were, and data from elsewhere, has
    no id. There the name decides."""

    id: int | None
    name: str

    @property
    def key(self) -> int | str:
        """The key to group by. Unlike equal speakers, no two people share one."""
        return self.name if self.id is None else self.id

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Speaker):
            return NotImplemented
        if self.id is None or other.id is None:
            return self.name == other.name
        return self.id == other.id

    def __hash__(self) -> int:
        # Equal ones may share neither id nor name.
        return hash(Speaker)


@dataclass(frozen=True, slots=True)
class Utterance:
    """One thing said. `at` carries a time zone. `speaker` is the person in a group."""

    role: Role
    text: str
    at: datetime
    speaker: Speaker | None = None


def own_words(text: str) -> str:
    """A message without quotations: lines that begin with ">", which is how forwarded messages and
    quotations are written. Those are somebody else's words."""
    return _QUOTED_LINE.sub("", text)


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One call of a tool by the model within a turn, with what came back to the model."""

    name: str
    arguments: str
    result: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What the user said, the tool calls, and the reply: the unit that is recorded, evicted and
    extracted from. Normally one user message and one assistant message. A turn that is not `kept`
    goes no further than its session's window and journal: it asked to forget the very thing that it
    says. `place` is where it was said, None if unknown. `interrupted` is the kind of interruption
    if the answer ends early or is missing. The rest of an interrupted answer is a turn without a
    user message."""

    id: str
    session_id: str
    messages: tuple[Utterance, ...]
    tools: tuple[ToolUse, ...] = ()
    kept: bool = True
    place: Place | None = None
    interrupted: str = ""

    @property
    def answer(self) -> str | None:
        """The assistant's last words, if there are any."""
        return next((m.text for m in reversed(self.messages) if m.role is Role.ASSISTANT), None)

    @property
    def question(self) -> Utterance | None:
        """What the user said; None if this is the rest of an answer."""
        return next((m for m in self.messages if m.role is Role.USER), None)

    def reworded(self, text: str) -> "Turn":
        """The turn with another question."""
        changed = (replace(m, text=text) if m.role is Role.USER else m for m in self.messages)
        return replace(self, messages=tuple(changed))

    @property
    def learnable(self) -> "Turn":
        """What may be learned from: nothing of an interrupted answer."""
        if not self.interrupted:
            return self
        return replace(self, messages=tuple(m for m in self.messages if m.role is Role.USER))

    @property
    def speaker(self) -> Speaker | None:
        """Who said it in a group."""
        return next((m.speaker for m in self.messages if m.role is Role.USER), None)

    @property
    def said(self) -> str:
        """The user's own words of this turn, the only source of facts about the user."""
        return "\n".join(own_words(m.text) for m in self.messages if m.role is Role.USER)


class Basis(StrEnum):
    """How the user came to say it."""

    VOLUNTEERED = "volunteered"
    #: In answer to a question of the assistant.
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Evidence:
    """The words of one turn that a record is based on, verbatim; `at` is when they were said. Empty
    `words` stand for the whole turn. `turn_id` is empty for what was said outside a turn, in a
    command."""

    turn_id: str
    words: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """What a record has besides its statement.

    `slot` names the question a record answers ("employer", "birthday"): of records with one slot
    only the newest is current. `importance` runs from 1 to 10. `event_date` is the ISO date of the
    event in the text, whole or partial, or a span of two ("2026-12-12/2026-12-20"); `recurrence`
    says in words how often it comes again. `supersedes` is the id of the record it replaced, and
    `reason` why it did, or why it ended. `topics` are what a SUMMARY is about, a word or two each.
    `speaker` is who said it in a group, where "I" could be anybody. `evidence` is what it is based
    on, oldest first, and `basis` how it came to be said. `about` names the people and things in the
    text. `true_since` and `true_until` are ISO dates, whole or partial, if the user said them."""

    session_id: str | None = None
    turn_ids: tuple[str, ...] = ()
    slot: str | None = None
    importance: int = 5
    event_date: str | None = None
    supersedes: str | None = None
    topics: tuple[str, ...] = ()
    speaker: Speaker | None = None
    evidence: tuple[Evidence, ...] = ()
    about: tuple[str, ...] = ()
    recurrence: str | None = None
    true_since: str | None = None
    true_until: str | None = None
    basis: Basis = Basis.VOLUNTEERED
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Record(Details):
    """One long-term memory. Facts and preferences are statements in the first person ("I work at
    Acme Corp"), in any language.

    `superseded_at` is when a record became history. `role` and `place` matter for MESSAGE only."""

    id: str
    kind: Kind
    text: str
    created_at: datetime
    _: KW_ONLY
    superseded_at: datetime | None = None
    role: Role = Role.USER
    place: Place | None = None

    @property
    def current(self) -> bool:
        """True unless a newer record has replaced this one, or it has ended."""
        return self.superseded_at is None

    @property
    def short_id(self) -> str:
        """What a person types into /forget: the id itself if the store's ids are short, else seven
        letters that never change (of a thousand records, two share theirs for one person in two
        thousand)."""
        if len(self.id) <= 8:
            return self.id
        digest = hashlib.blake2b(self.id.encode(), digest_size=5).digest()
        return self.kind.value[0] + base64.b32encode(digest)[:6].decode().lower()


@dataclass(frozen=True, slots=True)
class Draft(Details):
    """A record to be written; the store gives it an id. What it supersedes, a current record, is
    replaced in the same transaction."""

    kind: Kind
    text: str
    created_at: datetime

    def record(self, record_id: str) -> Record:
        """The record that the draft becomes under this id."""
        return Record(record_id, **{each.name: getattr(self, each.name) for each in fields(self)})


@dataclass(frozen=True, slots=True)
class Amendment:
    """A change of a record that leaves its statement as it is. It gains `evidence`, or loses some
    that was `forgotten`; it ends at `ended_at` and becomes history without a successor; or it is
    `reopened`, and history becomes current again. A record that ends or reopens takes `true_until`
    and `reason` from here."""

    record_id: str
    evidence: tuple[Evidence, ...] = ()
    forgotten: tuple[Evidence, ...] = ()
    ended_at: datetime | None = None
    true_until: str | None = None
    reason: str | None = None
    reopened: bool = False


class ChangeKind(StrEnum):
    NOTED = "noted"
    CHANGED = "changed"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Change:
    """One change of the memory that a person is told of and can undo. `record` is the new record,
    or the one that ended; `before` is what it supersedes, if anything, or the ended record as it
    was. NOTED with `before` of the same id: it was known already, and gained evidence."""

    kind: ChangeKind
    record: Record
    before: Record | None = None

    @property
    def was_known(self) -> bool:
        """True if a known record only gained evidence: there is nothing to tell or to undo."""
        return self.kind is ChangeKind.NOTED and self.before is not None


@dataclass(frozen=True, slots=True)
class Hit:
    """A record that search found, with its relevance from 0 (nothing in common) to 1."""

    record: Record
    relevance: float


@dataclass(frozen=True, slots=True)
class RunningSummary:
    """A summary of turns that left a session's window, which lasts as long as the session.
    `turn_ids` are those turns, `oldest` and `newest` when they were said. A `fallback` is used
    until the summarizer has made its own, which continues `base`: an earlier summary of the first
    `base_turns` of the turns."""

    id: str
    session_id: str
    text: str
    turn_ids: tuple[str, ...]
    oldest: datetime
    newest: datetime
    fallback: bool = False
    base: str | None = None
    base_turns: int = 0


@dataclass(frozen=True, slots=True)
class Shift:
    """What moves between the tiers of a session in one step: these turns leave the window, and the
    running summaries, oldest first, change from `before` to `after`."""

    evicted: tuple[str, ...] = ()
    before: tuple[RunningSummary, ...] = ()
    after: tuple[RunningSummary, ...] = ()

    @property
    def removals(self) -> tuple[str, ...]:
        """The ids of the summaries that are deleted."""
        left = {summary.id for summary in self.after}
        return tuple(summary.id for summary in self.before if summary.id not in left)

    @property
    def additions(self) -> tuple[RunningSummary, ...]:
        """The summaries that are new."""
        known = {summary.id for summary in self.before}
        return tuple(summary for summary in self.after if summary.id not in known)


@dataclass(frozen=True, slots=True)
class Session:
    """One stretch of conversation of an actor in one place. Nothing of a `private` session is kept
    after its end."""

    id: str
    actor: Actor
    place: Place
    opened_at: datetime
    last_at: datetime
    message_count: int = 0
    private: bool = False

    def __post_init__(self) -> None:
        if not _SESSION_ID.fullmatch(self.id):
            raise ValueError(f"session id {self.id!r}: expected 1-100 of A-Z a-z 0-9 _ -")
