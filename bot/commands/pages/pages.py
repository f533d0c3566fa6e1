"""The pages of the memory browser: what each shows, and the buttons under it. Pure."""

from collections.abc import Sequence

from bot.commands.pages.panels import (
    LABEL_CHARS,
    Button,
    Page,
    in_rows,
)
from bot.texts import Texts
from memory.errors import Refusal
from memory.knowledge.forgetting import Forgotten
from memory.records import Kind, Record, Role
from memory.safety.names import agent_name_of
from memory.understanding import LanguageRules

PER_PAGE = 5
#: Of a kind so many of the newest are on the first page, before a button was pressed.
AT_A_GLANCE = 10
#: A record in a list takes at most so many characters; a page of its own shows it whole.
_LISTED = 200
_QUOTED = 600
#: Several records that are told of at once share this many.
_TOGETHER = 3_000
_LABEL = LABEL_CHARS[1]
#: A summary came from many messages: the first ones tell enough.
_MOST_SOURCES = 4

#: The kinds in the order in which people see them.
KINDS = (Kind.FACT, Kind.PREFERENCE, Kind.SUMMARY)


def overview(
    records: Sequence[Record], texts: Texts, rules: LanguageRules, *, private: bool, kept: bool
) -> Page:
    """The first page: the newest records of each kind, newest first, and a button a kind. `private`
    tells a person's memory from a group's, `kept` whether anything of this talk is added."""
    title = texts.memory_title if private else texts.memory_title_group
    sections = [title]
    buttons: list[Button] = []
    by_kind = {kind: [record for record in records if record.kind is kind] for kind in KINDS}
    lines_in_all = sum(min(len(own), AT_A_GLANCE) for own in by_kind.values())
    for kind, own in by_kind.items():
        if not own:
            continue
        newest = own[: -AT_A_GLANCE - 1 : -1]
        longest = min(_LISTED, _TOGETHER // lines_in_all)
        lines = [name_of(kind, texts), *(_line(record, texts, rules, longest) for record in newest)]
        if earlier := len(own) - len(newest):
            lines.append(texts.memory_more.format(earlier))
        sections.append("\n".join(lines))
        buttons.append(Button(f"{name_of(kind, texts)} ({len(own)})", f"kind:{kind.value}"))
    adds = texts.memory_adds if kept else texts.memory_adds_nothing
    sections.append(f"{adds}\n{texts.memory_footer}")
    return Page("\n\n".join(sections), in_rows(buttons, 3))


def listing(
    records: Sequence[Record], kind: Kind, number: int, texts: Texts, rules: LanguageRules
) -> Page:
    """One page of the records of a kind, newest first, each with a button: its number, and how it
    begins, so that nobody has to look up a number."""
    own = [record for record in reversed(records) if record.kind is kind]
    pages = max(1, -(-len(own) // PER_PAGE))
    number = min(max(0, number), pages - 1)
    shown = own[number * PER_PAGE : (number + 1) * PER_PAGE]
    first = number * PER_PAGE + 1
    lines = [
        f"{place}. {record.created_at:%Y-%m-%d}: {_cut(spoken(record, texts, rules), _LISTED)}"
        for place, record in enumerate(shown, first)
    ]
    counted = f" {number + 1}/{pages}" if pages > 1 else ""
    head = f"{name_of(kind, texts)}{counted}"
    turning = []
    if number > 0:
        turning.append(Button("‹", f"page:{kind.value}:{number - 1}"))
    if number < pages - 1:
        turning.append(Button("›", f"page:{kind.value}:{number + 1}"))
    picks = [
        (
            Button(
                f"{place}. {_cut(spoken(record, texts, rules), _LABEL)}", f"show:{record.short_id}"
            ),
        )
        for place, record in enumerate(shown, first)
    ]
    return Page(
        "\n".join((head, *(lines or [texts.memory_none]))),
        (*picks, tuple(turning), (Button(texts.button_back, "home"),)),
    )


def detail(record: Record, texts: Texts, rules: LanguageRules) -> Page:
    """One record, whole, with what can be done about it."""
    lines = [
        spoken(record, texts, rules),
        texts.memory_noted.format(date=f"{record.created_at:%Y-%m-%d}"),
    ]
    if record.event_date:
        lines.append(texts.memory_dated.format(date=record.event_date))
    id_ = record.short_id
    doing = [Button(texts.button_delete, f"ask:{id_}"), Button(texts.button_from, f"from:{id_}")]
    if record.kind is not Kind.SUMMARY:
        doing.insert(0, Button(texts.button_edit, f"edit:{id_}"))
    back = Button(texts.button_back, f"kind:{record.kind.value}")
    return Page("\n\n".join(lines), (tuple(doing), (back,)))


def asking(doomed: Forgotten, texts: Texts, rules: LanguageRules) -> Page:
    """Whether this record shall really be deleted, and what goes with it."""
    record = doomed.record
    yes = Button(texts.button_delete_yes, f"delete:{record.short_id}")
    no = Button(texts.button_delete_no, f"show:{record.short_id}")
    parts = [texts.memory_delete_ask.format(text=_cut(spoken(record, texts, rules), _QUOTED))]
    counts = (
        (texts.memory_delete_messages, doomed.said),
        (texts.memory_delete_summaries, len(doomed.summaries)),
    )
    if along := [f"• {text.format(count)}" for text, count in counts if count]:
        parts.append("\n".join((texts.memory_delete_along, *along)))
    return Page("\n\n".join(parts), ((yes, no),))


def deleted(
    records: Sequence[Record], texts: Texts, rules: LanguageRules, notes: Sequence[str] = ()
) -> Page:
    """These are deleted, and can be brought back for a while."""
    undo, back = Button(texts.button_undo, "undo"), _back_from(records, texts)
    lines = _each(texts.memory_deleted, records, texts, rules)
    return Page("\n".join((*lines, *notes)), ((undo, back),))


def brought_back(records: Sequence[Record], texts: Texts, rules: LanguageRules) -> Page:
    """The deletion was taken back."""
    lines = _each(texts.memory_brought_back, records, texts, rules)
    return Page("\n".join(lines), ((_back_from(records, texts),),))


def not_back_yet(texts: Texts) -> Page:
    """The deletion could not be taken back just now: it can be tried again."""
    undo, back = Button(texts.button_undo, "undo"), Button(texts.button_back, "home")
    return Page(texts.memory_unavailable, ((undo, back),))


def gone(texts: Texts) -> Page:
    """There is no such record any more."""
    return Page(texts.memory_gone, ((Button(texts.button_back, "home"),),))


def editing(record: Record, texts: Texts, *, waits: bool) -> Page:
    """How to put a record into other words: by sending them, if the bot `waits` for them."""
    back = Button(texts.button_back, f"show:{record.short_id}")
    how = texts.edit_ask if waits else texts.edit_how
    text = how.format(id=record.short_id, text=_cut(record.text, _QUOTED))
    return Page(text, ((back,),))


def reworded(record: Record, texts: Texts, rules: LanguageRules) -> Page:
    """The record in its new words, with what can be done about it."""
    text = texts.remembered.format(
        text=_cut(spoken(record, texts, rules), _QUOTED), id=record.short_id
    )
    return Page(text, detail(record, texts, rules).rows)


def unchanged(record: Record, reason: Refusal, texts: Texts) -> Page:
    """The new words were refused."""
    refused = texts.remember_refused.format(reason=texts.refusals[reason])
    still = texts.edit_unchanged.format(text=_cut(record.text, _QUOTED))
    again = Button(texts.button_edit, f"edit:{record.short_id}")
    back = Button(texts.button_back, f"show:{record.short_id}")
    return Page(f"{refused}\n\n{still}", ((again, back),))


def sources(record: Record, messages: Sequence[Record], texts: Texts) -> Page:
    """The messages that a record came from, word for word."""
    lines = [texts.memory_from] if messages else [texts.memory_from_nowhere]
    for message in messages[:_MOST_SOURCES]:
        said = texts.memory_quoted.format(text=_cut(message.text, _QUOTED))
        lines.append(f"{message.created_at:%Y-%m-%d %H:%M} {_author(message, texts)}: {said}")
    return Page("\n\n".join(lines), ((Button(texts.button_back, f"show:{record.short_id}"),),))


def found(record: Record, texts: Texts, rules: LanguageRules) -> str:
    """One line of what a search found: dated, with its author or its id."""
    text, date = _cut(spoken(record, texts, rules), _LISTED), f"{record.created_at:%Y-%m-%d}"
    if record.kind is Kind.MESSAGE:
        said = texts.memory_quoted.format(text=text)
        return f"• {date} {_author(record, texts)}: {said}"
    return f"• {date}: {text}  [{record.short_id}]"


def name_of(kind: Kind, texts: Texts) -> str:
    """What people see of a kind."""
    names = {
        Kind.FACT: texts.memory_facts,
        Kind.PREFERENCE: texts.memory_preferences,
        Kind.SUMMARY: texts.memory_summaries,
    }
    return names[kind]


def spoken(record: Record, texts: Texts, rules: LanguageRules) -> str:
    """A record as it is said to the person: facts and preferences are kept in their own words."""
    if record.kind in (Kind.SUMMARY, Kind.MESSAGE):
        return record.text
    if name := agent_name_of(record):
        return texts.memory_name.format(name=name)
    if record.speaker:
        return f"{record.speaker}: {record.text}"
    return rules.second_person(record.text)


def _line(record: Record, texts: Texts, rules: LanguageRules, longest: int) -> str:
    date = f"{record.created_at:%Y-%m-%d}: " if record.kind is Kind.SUMMARY else ""
    return f"• {date}{_cut(spoken(record, texts, rules), longest)}  [{record.short_id}]"


def _each(
    template: str, records: Sequence[Record], texts: Texts, rules: LanguageRules
) -> list[str]:
    """A line for each record, together not too long for a message."""
    longest = min(_QUOTED, _TOGETHER // len(records))
    return [template.format(text=_cut(spoken(one, texts, rules), longest)) for one in records]


def _back_from(records: Sequence[Record], texts: Texts) -> Button:
    """Back to the list of their kind, or to all if they are of several."""
    kinds = {record.kind for record in records}
    to = f"kind:{kinds.pop().value}" if len(kinds) == 1 else "home"
    return Button(texts.button_back, to)


def _author(message: Record, texts: Texts) -> str:
    if message.role is Role.ASSISTANT:
        return texts.memory_said_me
    return message.speaker or texts.memory_said_you


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    return text[: longest - 1].rsplit(" ", 1)[0].rstrip() + "…"
