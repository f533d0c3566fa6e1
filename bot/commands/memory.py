"""The commands about records: /memory, /search, /remember, /edit and /export."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from bot.assistant.context import Context
from bot.assistant.events import Document, Question, Reply
from bot.assistant.inbound import Command
from bot.commands.pages.browser import (
    ask_for_words,
    open_about,
    open_browser,
    pages,
    tell_what_adds,
)
from bot.commands.pages.changes import report_changes
from bot.commands.pages.progress import tell_if_slow
from bot.texts import Texts
from memory.errors import RefusedText, UnknownRecord
from memory.knowledge.lookup import find_closest
from memory.records import LEARNED_KINDS, Change, ChangeKind, Kind, Record, Role
from memory.search.text import words


async def memory(said: Command, context: Context) -> Reply:
    """Raises StoreUnavailable."""
    origin, texts = said.origin, context.texts
    if said.argument:
        about = await open_about(said, said.argument, context)
        return about or Reply(texts.search_nothing)
    records = await context.memory.known.records(origin.actor)
    unlearned = await context.memory.known.unlearned(origin.actor, records)
    if records or unlearned or (await context.memory.choices.read(origin.actor)).agent_name:
        return await open_browser(said, records, context)
    adds = await tell_what_adds(origin, context)
    empty = texts.memory_empty if origin.is_private else texts.memory_empty_group
    return Reply(f"{empty} {adds}")


async def search(said: Command, context: Context) -> Reply:
    """Raises StoreUnavailable."""
    texts = context.texts
    if not said.argument:
        return _ask_for_more(said, texts.search_ask, texts.search_how)
    hits = await context.memory.known.search(
        said.origin.actor, said.argument, (*LEARNED_KINDS, Kind.MESSAGE)
    )
    records = _without_context([hit.record for hit in hits], said.argument)
    head = texts.search_found
    if not records:
        head = texts.search_closest
        actor, now = said.origin.actor, context.memory.choices.local_time(said.origin.actor)
        closest = await find_closest(context.memory.known, actor, said.argument, now)
        records = closest[:1]
    if not records:
        return Reply(texts.search_nothing)
    line = pages(context).search_line
    return Reply("\n".join((head, *(line(record) for record in records))))


def _without_context(records: Sequence[Record], query: str) -> list[Record]:
    """Memories first, then people's messages that contain a word of the query. The neighbouring
    messages in search results are context for a model but noise for a person."""
    wanted = frozenset(words(query))
    said = [
        record
        for record in records
        if record.kind is Kind.MESSAGE
        and record.role is Role.USER
        and wanted & frozenset(words(record.text))
    ]
    return [record for record in records if record.kind is not Kind.MESSAGE] + said


async def add_record(said: Command, context: Context) -> Reply:
    """Raises StoreUnavailable."""
    texts, origin = context.texts, said.origin
    if not said.argument:
        return _ask_for_more(said, texts.remember_ask, texts.remember_how)
    try:
        change = await context.memory.remember(origin.actor, said.argument, speaker=origin.speaker)
    except RefusedText as refusal:
        return _explain(refusal, texts)
    if change is None:
        name = (await context.memory.choices.read(origin.actor)).agent_name
        return Reply(texts.name_set.format(name=name))
    report = _report(said, change, context)
    if change.kind is not ChangeKind.NOTED:
        return report
    wording = pages(context).wording(change.record)
    told = texts.remembered.format(text=wording, id=change.record.short_id)
    return replace(report, text=told)


async def edit(said: Command, context: Context) -> Reply:
    """Raises StoreUnavailable."""
    texts, origin = context.texts, said.origin
    id_, new_words = (*said.argument.split(maxsplit=1), "", "")[:2]
    if not id_:
        return await memory(said, context)
    if not (new_words or origin.is_private):
        return Reply(texts.edit_usage)
    try:
        if not new_words:
            return await ask_for_words(said, id_, context)
        change = await context.memory.known.revise(origin.actor, id_, new_words)
    except UnknownRecord:
        return Reply(texts.no_such_memory.format(id=id_[:40]))
    except RefusedText as refusal:
        return _explain(refusal, texts)
    return _report(said, change, context)


def _report(said: Command, change: Change, context: Context) -> Reply:
    """What a command changed, with the id that the next one needs."""
    report = report_changes(said.origin, (change,), context)
    if change.kind is ChangeKind.ENDED:
        return report
    return replace(report, text=f"{report.text}  [{change.record.short_id}]")


async def export(said: Command, context: Context) -> Reply:
    """Export everything kept about the actor, as JSON for programs and Markdown for people. Raises
    StoreUnavailable."""
    actor, texts = said.origin.actor, context.texts
    also: dict[str, Any] = {"usage": await context.usage.export(actor)}
    if (shared := await context.usage.shared_today(actor)).tokens or shared.cost:
        also["used_in_groups_today"] = {"tokens": shared.tokens, "cost": f"{shared.cost:f}"}
    async with tell_if_slow(said.origin, texts.export_takes_long, context):
        exported = await context.memory.known.export(actor, also)
    name = f"mordecai-{actor.id}-{datetime.now(UTC):%Y-%m-%d}"
    files = {f"{name}.json": exported.json, f"{name}.md": exported.markdown}
    caption = texts.export_caption if said.origin.is_private else texts.export_caption_group
    documents: list[Document] = []
    too_big: list[str] = []
    for file, content in files.items():
        if len(content) > context.channel.largest_document:
            too_big.append(texts.export_too_big.format(name=file))
        else:
            documents.append(Document(file, content, "" if documents else caption))
    return Reply("\n".join(too_big), documents=tuple(documents))


def _ask_for_more(said: Command, question: str, how: str) -> Reply:
    """Ask for the missing argument, which the next message will supply. In a group, where the bot
    may not receive that message, explain the command instead."""
    if not said.origin.is_private:
        return Reply(how)
    return Reply(question, question=Question(command=said.name))


def _explain(refusal: RefusedText, texts: Texts) -> Reply:
    return Reply(texts.remember_refused.format(reason=texts.refusals[refusal.reason]))
