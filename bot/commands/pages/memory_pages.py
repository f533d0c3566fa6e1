"""The pages of the memory browser, with their buttons. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from bot.assistant.events import Button
from bot.commands.pages.panels import LABEL_CHARS, Page, in_rows
from bot.texts import Texts
from memory.errors import Refusal
from memory.knowledge.forgetting import Forgotten
from memory.records import Evidence, Kind, Record, Role
from memory.safety.escaping import without_markers

PER_PAGE = 5
#: How many of the newest records of each kind the first page lists.
AT_A_GLANCE = 10
#: Maximum characters of a record in a list; its own page shows it whole.
_LISTED = 200
_QUOTED = 600
#: How many of the newest unlearned messages the first page lists.
_MOST_UNLEARNED = 5
#: Maximum characters of several records together.
_TOGETHER = 3_000
_LABEL = LABEL_CHARS[1]
#: Maximum source messages shown: a summary has many.
_MOST_SOURCES = 4

#: The kinds in display order.
KINDS = (Kind.FACT, Kind.PREFERENCE, Kind.SUMMARY)


@dataclass(frozen=True, slots=True)
class MemoryPages:
    """The pages in one language."""

    texts: Texts

    # -- lists ------------------------------------------------------------------------------------

    def overview(
        self,
        records: Sequence[Record],
        unlearned: Sequence[Record],
        agent_name: str | None,
        *,
        private: bool,
        adds: str,
    ) -> Page:
        """The first page: the assistant's name, the newest records of each kind, newest first, a
        button per kind, and the newest `unlearned` messages. `private`: this is a person's memory,
        not a group's. `adds` says when what is being said will be added."""
        texts = self.texts
        sections = [texts.memory_title if private else texts.memory_title_group]
        if agent_name:
            sections.append(texts.memory_name.format(name=agent_name))
        buttons: list[Button] = []
        by_kind = {kind: [record for record in records if record.kind is kind] for kind in KINDS}
        lines_in_all = sum(min(len(own), AT_A_GLANCE) for own in by_kind.values())
        for kind, own in by_kind.items():
            if not own:
                continue
            newest = own[: -AT_A_GLANCE - 1 : -1]
            longest = min(_LISTED, _TOGETHER // lines_in_all)
            lines = [
                self._kind_name(kind),
                *(self._overview_line(record, longest) for record in newest),
            ]
            if earlier := len(own) - len(newest):
                lines.append(texts.memory_more.format(earlier))
            sections.append("\n".join(lines))
            buttons.append(Button(f"{self._kind_name(kind)} ({len(own)})", f"kind:{kind.value}"))
        if unlearned:
            said = [
                f"• {self.line_of(record)}" for record in unlearned[: -_MOST_UNLEARNED - 1 : -1]
            ]
            sections.append("\n".join((texts.memory_unsorted, *said)))
        sections.append(f"{adds}\n{texts.memory_footer}")
        return Page("\n\n".join(sections), in_rows(buttons, 3))

    def listing(self, records: Sequence[Record], kind: Kind, number: int) -> Page:
        """One page of the records of a kind, newest first."""
        own = [record for record in reversed(records) if record.kind is kind]
        return self._list_page(own, self._kind_name(kind), f"page:{kind.value}", number)

    def about(self, records: Sequence[Record], name: str, number: int = 0) -> Page:
        """One page of what is known about somebody, each newest first: what is true, what was, then
        the messages that name them."""
        own = sorted(reversed(records), key=lambda r: (r.kind is Kind.MESSAGE, not r.current))
        return self._list_page(own, self.texts.memory_about.format(name=name), "about", number)

    def _list_page(self, own: Sequence[Record], head: str, turns: str, number: int) -> Page:
        """One page of these records, each with a button that shows its number and its beginning;
        messages have no page of their own. `turns` is the data of the buttons that turn to another
        page, without its number."""
        pages = max(1, -(-len(own) // PER_PAGE))
        number = min(max(0, number), pages - 1)
        first = number * PER_PAGE + 1
        lines, picks = [], []
        for place, record in enumerate(own[first - 1 : first - 1 + PER_PAGE], first):
            lines.append(f"{place}. {self.line_of(record)}")
            if record.kind is not Kind.MESSAGE:
                picks.append((Button(self.label(place, record), f"show:{record.short_id}"),))
        turning = []
        if number > 0:
            turning.append(Button("‹", f"{turns}:{number - 1}"))
        if number < pages - 1:
            turning.append(Button("›", f"{turns}:{number + 1}"))
        counted = f" {number + 1}/{pages}" if pages > 1 else ""
        return Page(
            "\n".join((f"{head}{counted}", *(lines or [self.texts.memory_none]))),
            (*picks, tuple(turning), (self.back("home"),)),
        )

    # -- one record -------------------------------------------------------------------------------

    def detail(self, record: Record, history: Sequence[Record] = ()) -> Page:
        """One record in full, with what it replaced, oldest first, and its actions."""
        texts, id_ = self.texts, record.short_id
        date = f"{record.created_at:%Y-%m-%d}"
        lines = [self.wording(record), texts.memory_noted.format(date=date)]
        if record.event_date:
            lines.append(texts.memory_dated.format(date=record.event_date))
        if ended := _end_of(record):
            lines.append(_with_reason(texts.memory_ended.format(date=ended), record))
        for before, after in pairwise((*history, record)):
            text = shorten(self.wording(before), _LISTED)
            was = texts.memory_before.format(date=_end_of(before) or "", text=text)
            lines.append(_with_reason(was, after))
        doing: tuple[Button, ...] = (
            Button(texts.button_delete, f"ask:{id_}"),
            Button(texts.button_from, f"from:{id_}"),
        )
        if record.kind is not Kind.SUMMARY and record.current:
            doing = (Button(texts.button_edit, f"edit:{id_}"), *doing)
        return Page("\n\n".join(lines), (doing, (self.back(f"kind:{record.kind.value}"),)))

    def evidence(self, record: Record, evidence: Sequence[Evidence]) -> Page:
        """The evidence of a record, word for word."""
        texts = self.texts
        who = record.speaker.name if record.speaker else texts.memory_said_you
        told = [each for each in evidence if each.words]
        lines = [texts.memory_from] if told else [texts.memory_from_nowhere]
        for each in told[:_MOST_SOURCES]:
            date = f"{each.at:%Y-%m-%d %H:%M} " if each.at else ""
            words = texts.memory_quoted.format(text=shorten(each.words, _QUOTED))
            lines.append(f"{date}{who}: {words}")
        return Page("\n\n".join(lines), ((self.back(f"show:{record.short_id}"),),))

    def missing_record(self) -> Page:
        return Page(self.texts.memory_gone, ((self.back("home"),),))

    # -- new words --------------------------------------------------------------------------------

    def edit_prompt(self, record: Record, *, waits: bool) -> Page:
        """How to reword a record: by sending the new words if the bot `waits` for them."""
        how = self.texts.edit_ask if waits else self.texts.edit_how
        text = how.format(id=record.short_id, text=shorten(record.text, _QUOTED))
        return Page(text, ((self.back(f"show:{record.short_id}"),),), waits)

    def refused_revision(self, record: Record, reason: Refusal) -> Page:
        """Why the new words were refused."""
        texts = self.texts
        refused = texts.remember_refused.format(reason=texts.refusals[reason])
        unchanged = texts.edit_unchanged.format(text=shorten(record.text, _QUOTED))
        again = Button(texts.button_edit, f"edit:{record.short_id}")
        return Page(f"{refused}\n\n{unchanged}", ((again, self.back(f"show:{record.short_id}")),))

    # -- deleting ---------------------------------------------------------------------------------

    def delete_question(self, deletion: Forgotten) -> Page:
        """Asks for confirmation, and tells what will be deleted along with the record."""
        texts, record = self.texts, deletion.record
        yes = Button(texts.button_delete_yes, f"delete:{record.short_id}")
        no = Button(texts.button_delete_no, f"show:{record.short_id}")
        wording = shorten(self.wording(record), _QUOTED)
        parts = [texts.memory_delete_ask.format(text=wording)]
        along = []
        if count := deletion.statements:
            along.append(texts.memory_delete_messages.format(count))
        if deletion.is_repeated:
            along.append(texts.memory_delete_repeats)
        if count := len(deletion.summaries):
            along.append(texts.memory_delete_summaries.format(count))
        if along:
            parts.append("\n• ".join((texts.memory_delete_along, *along)))
        return Page("\n\n".join(parts), ((yes, no),))

    def deletion(self, records: Sequence[Record], notes: Sequence[str] = ()) -> Page:
        """Reports a deletion that can still be undone."""
        lines = self._record_lines(self.texts.memory_deleted, records)
        undo = Button(self.texts.button_undo, "undo")
        return Page("\n".join((*lines, *notes)), ((undo, self._back_to_kind(records)),))

    def restoration(self, records: Sequence[Record], *, messages_gone: bool = False) -> Page:
        lines = self._record_lines(self.texts.memory_brought_back, records)
        notes = [self.texts.memory_messages_gone] if messages_gone else []
        return Page("\n".join((*lines, *notes)), ((self._back_to_kind(records),),))

    def undo_failure(self) -> Page:
        """Undoing failed for now; it can be tried again."""
        undo = Button(self.texts.button_undo, "undo")
        return Page(self.texts.memory_unavailable, ((undo, self.back("home")),))

    # -- words ------------------------------------------------------------------------------------

    def search_line(self, record: Record) -> str:
        """A search result in one line: dated, with its author or id."""
        text, date = shorten(self.wording(record), _LISTED), f"{record.created_at:%Y-%m-%d}"
        if record.kind is Kind.MESSAGE:
            said = self.texts.memory_quoted.format(text=text)
            return f"• {date} {self._author_name(record)}: {said}"
        return f"• {date}: {text}  [{record.short_id}]"

    def line_of(self, record: Record) -> str:
        """A record with its date, and in quotes if it is a message."""
        text, date = shorten(self.wording(record), _LISTED), f"{record.created_at:%Y-%m-%d}"
        if record.kind is Kind.MESSAGE:
            text = self.texts.memory_quoted.format(text=text)
        if ended := _end_of(record):
            return self.texts.memory_before.format(date=ended, text=text)
        return f"{date}: {text}"

    def label(self, number: int, record: Record) -> str:
        """A record on a button: its number and its beginning."""
        return f"{number}. {shorten(self.wording(record), _LABEL)}"

    def wording(self, record: Record) -> str:
        """A record in the person's own words, with their name in a group."""
        if record.kind is Kind.MESSAGE:
            return " ".join(without_markers(record.text).split())
        if record.speaker and record.kind is not Kind.SUMMARY:
            return f"{record.speaker.name}: {record.text}"
        return record.text

    def back(self, to: str) -> Button:
        return Button(self.texts.button_back, to)

    def _back_to_kind(self, records: Sequence[Record]) -> Button:
        """Leads back to the list of their kind, or to the first page if there are several kinds."""
        kinds = {record.kind for record in records}
        return self.back(f"kind:{kinds.pop().value}" if len(kinds) == 1 else "home")

    def _kind_name(self, kind: Kind) -> str:
        return {
            Kind.FACT: self.texts.memory_facts,
            Kind.PREFERENCE: self.texts.memory_preferences,
            Kind.SUMMARY: self.texts.memory_summaries,
        }[kind]

    def _overview_line(self, record: Record, longest: int) -> str:
        date = f"{record.created_at:%Y-%m-%d}: " if record.kind is Kind.SUMMARY else ""
        return f"• {date}{shorten(self.wording(record), longest)}  [{record.short_id}]"

    def _record_lines(self, template: str, records: Sequence[Record]) -> list[str]:
        """A line for each record, together short enough for one message."""
        longest = min(_QUOTED, _TOGETHER // len(records))
        return [template.format(text=shorten(self.wording(one), longest)) for one in records]

    def _author_name(self, message: Record) -> str:
        if message.role is Role.ASSISTANT:
            return self.texts.memory_said_me
        return message.speaker.name if message.speaker else self.texts.memory_said_you


def _end_of(record: Record) -> str | None:
    """The date on which a record stopped being true; None if it is current."""
    if record.superseded_at is None:
        return None
    return record.true_until or f"{record.superseded_at:%Y-%m-%d}"


def _with_reason(text: str, record: Record) -> str:
    return f"{text} ({record.reason})" if record.reason else text


def shorten(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    return text[: longest - 1].rsplit(" ", 1)[0].rstrip() + "…"
