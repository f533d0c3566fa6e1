"""The pages of the memory browser: what each shows, and the buttons under it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.assistant.events import Button
from bot.commands.pages.panels import LABEL_CHARS, Page, in_rows
from bot.texts import Texts
from memory.errors import Refusal
from memory.knowledge.forgetting import Forgotten
from memory.records import Kind, Record, Role
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


@dataclass(frozen=True, slots=True)
class MemoryPages:
    """The pages in the words of one language; `rules` turn "I" into "you"."""

    texts: Texts
    rules: LanguageRules

    # -- lists ------------------------------------------------------------------------------------

    def overview(
        self, records: Sequence[Record], agent_name: str | None, *, private: bool, kept: bool
    ) -> Page:
        """The first page: what the person calls the assistant, the newest records of each kind,
        newest first, and a button a kind. `private` tells a person's memory from a group's, `kept`
        whether anything of this talk is added."""
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
        adds = texts.memory_adds if kept else texts.memory_adds_nothing
        sections.append(f"{adds}\n{texts.memory_footer}")
        return Page("\n\n".join(sections), in_rows(buttons, 3))

    def listing(self, records: Sequence[Record], kind: Kind, number: int) -> Page:
        """One page of the records of a kind, newest first, each with a button: its number, and how
        it begins, so that nobody has to look up a number."""
        own = [record for record in reversed(records) if record.kind is kind]
        pages = max(1, -(-len(own) // PER_PAGE))
        number = min(max(0, number), pages - 1)
        first = number * PER_PAGE + 1
        lines, picks = [], []
        for place, record in enumerate(own[first - 1 : first - 1 + PER_PAGE], first):
            wording, date = self.wording(record), f"{record.created_at:%Y-%m-%d}"
            lines.append(f"{place}. {date}: {_shorten(wording, _LISTED)}")
            label = f"{place}. {_shorten(wording, _LABEL)}"
            picks.append((Button(label, f"show:{record.short_id}"),))
        turning = []
        if number > 0:
            turning.append(Button("‹", f"page:{kind.value}:{number - 1}"))
        if number < pages - 1:
            turning.append(Button("›", f"page:{kind.value}:{number + 1}"))
        counted = f" {number + 1}/{pages}" if pages > 1 else ""
        head = f"{self._kind_name(kind)}{counted}"
        return Page(
            "\n".join((head, *(lines or [self.texts.memory_none]))),
            (*picks, tuple(turning), (self.back("home"),)),
        )

    # -- one record -------------------------------------------------------------------------------

    def detail(self, record: Record) -> Page:
        """One record, whole, with what can be done about it."""
        texts, id_ = self.texts, record.short_id
        date = f"{record.created_at:%Y-%m-%d}"
        lines = [self.wording(record), texts.memory_noted.format(date=date)]
        if record.event_date:
            lines.append(texts.memory_dated.format(date=record.event_date))
        doing: tuple[Button, ...] = (
            Button(texts.button_delete, f"ask:{id_}"),
            Button(texts.button_from, f"from:{id_}"),
        )
        if record.kind is not Kind.SUMMARY:
            doing = (Button(texts.button_edit, f"edit:{id_}"), *doing)
        return Page("\n\n".join(lines), (doing, (self.back(f"kind:{record.kind.value}"),)))

    def sources(self, record: Record, messages: Sequence[Record]) -> Page:
        """The messages that a record came from, word for word."""
        texts = self.texts
        lines = [texts.memory_from] if messages else [texts.memory_from_nowhere]
        for message in messages[:_MOST_SOURCES]:
            said = texts.memory_quoted.format(text=_shorten(message.text, _QUOTED))
            lines.append(
                f"{message.created_at:%Y-%m-%d %H:%M} {self._author_name(message)}: {said}"
            )
        return Page("\n\n".join(lines), ((self.back(f"show:{record.short_id}"),),))

    def missing_record(self) -> Page:
        """There is no such record any more."""
        return Page(self.texts.memory_gone, ((self.back("home"),),))

    # -- new words --------------------------------------------------------------------------------

    def edit_prompt(self, record: Record, *, waits: bool) -> Page:
        """How to reword a record: by sending the new words, if the bot `waits` for them."""
        how = self.texts.edit_ask if waits else self.texts.edit_how
        text = how.format(id=record.short_id, text=_shorten(record.text, _QUOTED))
        return Page(text, ((self.back(f"show:{record.short_id}"),),), waits)

    def revision(self, record: Record) -> Page:
        """The record in its new words, with what can be done about it."""
        wording = _shorten(self.wording(record), _QUOTED)
        text = self.texts.remembered.format(text=wording, id=record.short_id)
        return Page(text, self.detail(record).rows)

    def refused_revision(self, record: Record, reason: Refusal) -> Page:
        """Why the record keeps its words."""
        texts = self.texts
        refused = texts.remember_refused.format(reason=texts.refusals[reason])
        unchanged = texts.edit_unchanged.format(text=_shorten(record.text, _QUOTED))
        again = Button(texts.button_edit, f"edit:{record.short_id}")
        return Page(f"{refused}\n\n{unchanged}", ((again, self.back(f"show:{record.short_id}")),))

    # -- deleting ---------------------------------------------------------------------------------

    def delete_question(self, doomed: Forgotten) -> Page:
        """Whether this record shall really be deleted, and what goes with it."""
        texts, record = self.texts, doomed.record
        yes = Button(texts.button_delete_yes, f"delete:{record.short_id}")
        no = Button(texts.button_delete_no, f"show:{record.short_id}")
        wording = _shorten(self.wording(record), _QUOTED)
        parts = [texts.memory_delete_ask.format(text=wording)]
        counts = (
            (texts.memory_delete_messages, doomed.said),
            (texts.memory_delete_summaries, len(doomed.summaries)),
        )
        if along := [f"• {text.format(count)}" for text, count in counts if count]:
            parts.append("\n".join((texts.memory_delete_along, *along)))
        return Page("\n\n".join(parts), ((yes, no),))

    def deletion(self, records: Sequence[Record], notes: Sequence[str] = ()) -> Page:
        """These are deleted, and can be restored for a while."""
        lines = self._record_lines(self.texts.memory_deleted, records)
        undo = Button(self.texts.button_undo, "undo")
        return Page("\n".join((*lines, *notes)), ((undo, self._back_to_kind(records)),))

    def restoration(self, records: Sequence[Record]) -> Page:
        """The deletion was undone."""
        lines = self._record_lines(self.texts.memory_brought_back, records)
        return Page("\n".join(lines), ((self._back_to_kind(records),),))

    def undo_failure(self) -> Page:
        """The deletion could not be undone just now: it can be tried again."""
        undo = Button(self.texts.button_undo, "undo")
        return Page(self.texts.memory_unavailable, ((undo, self.back("home")),))

    # -- words ------------------------------------------------------------------------------------

    def search_line(self, record: Record) -> str:
        """One line of what a search found: dated, with its author or its id."""
        text, date = _shorten(self.wording(record), _LISTED), f"{record.created_at:%Y-%m-%d}"
        if record.kind is Kind.MESSAGE:
            said = self.texts.memory_quoted.format(text=text)
            return f"• {date} {self._author_name(record)}: {said}"
        return f"• {date}: {text}  [{record.short_id}]"

    def wording(self, record: Record) -> str:
        """A record as it is said to the person: facts and preferences are kept in their own
        words."""
        if record.kind in (Kind.SUMMARY, Kind.MESSAGE):
            return record.text
        if record.speaker:
            return f"{record.speaker}: {record.text}"
        return self.rules.second_person(record.text)

    def back(self, to: str) -> Button:
        return Button(self.texts.button_back, to)

    def _back_to_kind(self, records: Sequence[Record]) -> Button:
        """Back to the list of their kind, or to all if they are of several."""
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
        return f"• {date}{_shorten(self.wording(record), longest)}  [{record.short_id}]"

    def _record_lines(self, template: str, records: Sequence[Record]) -> list[str]:
        """A line for each record, together not too long for a message."""
        longest = min(_QUOTED, _TOGETHER // len(records))
        return [template.format(text=_shorten(self.wording(one), longest)) for one in records]

    def _author_name(self, message: Record) -> str:
        if message.role is Role.ASSISTANT:
            return self.texts.memory_said_me
        return message.speaker or self.texts.memory_said_you


def _shorten(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    return text[: longest - 1].rsplit(" ", 1)[0].rstrip() + "…"
