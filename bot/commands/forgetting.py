"""/forget: deletes records by id, what the person chooses by a few words, or everything after a
confirmation."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import structlog

from bot.assistant.context import Context
from bot.assistant.events import Button, Question, Reply
from bot.assistant.inbound import Click, Command, Origin
from bot.commands.pages.browser import report_deletion
from bot.commands.pages.candidates import ask_which
from bot.commands.pages.progress import tell_progress
from bot.texts import Texts, languages
from memory.errors import StoreUnavailable, UnknownRecord
from memory.knowledge.forgetting import Forgotten
from memory.knowledge.lookup import find_meant
from memory.records import Actor
from memory.traces import Remainder
from tools.forgetting import MOST_OFFERED

_log = structlog.get_logger(__name__)

#: Prefix of the data of the confirmation buttons.
FAMILY = "forget_all"
#: Lifetime of the confirmation buttons, in seconds.
_QUESTION_SECONDS = 600.0
#: Maximum ids per command, because each takes a lookup.
_MOST_IDS = 20
_SEPARATORS = re.compile(r"[\s,;]+")
#: A record's id, perhaps as /memory shows it: a letter for the kind, then a number or six letters.
_ID = re.compile(r"\[?[#/]?[a-z](\d{1,7}|[a-z2-7]{6})\]?", re.IGNORECASE)


async def forget(said: Command, context: Context) -> Reply:
    """Raises StoreUnavailable."""
    argument, texts = said.argument, context.texts
    ids = list(dict.fromkeys(_SEPARATORS.split(argument.strip(" ,;.!"))))
    if _means_everything(argument):
        return _ask(said.origin, texts)
    if not argument:
        return Reply(texts.forget_how)
    actor, memory = said.origin.actor, context.memory
    if len(ids) <= _MOST_IDS and await _are_ids(ids, actor, context):
        return await _forget_each(said, ids, context)
    now = memory.choices.local_time(actor)
    meant = await find_meant(memory.known, actor, argument, now, MOST_OFFERED)
    if not meant.records:
        return Reply(texts.search_nothing)
    return await ask_which(said.origin, meant, context)


async def press_forget_all(click: Click, context: Context) -> Reply:
    """Carry out the answer; the outcome replaces the question. A late yes is asked for again.
    Raises StoreUnavailable."""
    outcome = context.texts.forget_all_kept
    if click.data.endswith(":yes"):
        if (context.memory.clock() - click.asked_at).total_seconds() > _QUESTION_SECONDS:
            return replace(_ask(click.origin, context.texts), releases=click.message_id)
        left = await _erase(click, context)
        outcome = _name_remainder(left, context.texts) if left else context.texts.forget_all_done
    return Reply(outcome, replaces=click.message_id)


def refusal(click: Click, texts: Texts) -> str | None:
    """Why a click on the question is refused; None if it is allowed."""
    _, owner, answer = (*click.data.split(":", 2), "", "")[:3]
    if answer not in ("yes", "no"):
        return texts.buttons_stale
    openers = (str(click.origin.user_id), str(click.origin.place.chat_id))
    return None if owner in openers else texts.button_not_yours


async def _are_ids(words: Sequence[str], actor: Actor, context: Context) -> bool:
    """True if these words are meant as ids. "Dentist" looks like one, so a record must have it."""
    if not all(_ID.fullmatch(word) for word in words):
        return False
    for word in words:
        with suppress(UnknownRecord):
            await context.memory.known.find(actor, word.strip("[]"))
            return True
    return all(any(c.isdigit() for c in word) for word in words)


def _means_everything(argument: str) -> bool:
    """True for "all" and "everything, please" in any of the bot's languages, but not for "all of"
    something."""
    said = {word.strip(" ,;.!") for word in argument.casefold().split()}
    spoken = languages().values()
    everything = {word for texts in spoken for word in texts.everything_words.split(", ")}
    fillers = {word for texts in spoken for word in texts.everything_fillers.split(", ")}
    return bool(said & everything) and said <= everything | fillers


def _ask(origin: Origin, texts: Texts) -> Reply:
    """Ask for confirmation by button or by a typed yes or no."""
    question = texts.forget_all_ask if origin.is_private else texts.forget_all_ask_group
    # Only the person who asked may press; an anonymous admin asks with the group's id. Clicks can
    # be forged, so a click in a group is refused unless it comes from an admin.
    data = f"{FAMILY}:{origin.user_id}"
    yes, no = Button(texts.forget_all_yes, f"{data}:yes"), Button(texts.forget_all_no, f"{data}:no")
    return Reply(question, ((yes,), (no,)), question=Question(f"{data}:yes", f"{data}:no"))


async def _erase(click: Click, context: Context) -> Remainder:
    """Delete everything about the actor; if one part fails, the others are still deleted. A private
    session stays private. Returns what is still to be deleted. Raises StoreUnavailable."""
    actor, place, memory = click.origin.actor, click.origin.place, context.memory
    private = await context.people.personal.is_private(actor, place)
    failures: list[StoreUnavailable] = []
    left = Remainder()
    try:
        left = await memory.forget_all(actor)
    except StoreUnavailable as failure:
        failures.append(failure)
    context.panels.forget(actor)
    again = [memory.talk.begin_private(actor, place)] if private else []
    parts = [*again, context.channel.erase(place, click.receipt), context.usage.erase(actor)]
    parts.append(context.people.personal.forget(actor))
    for part in parts:
        try:
            await part
        except StoreUnavailable as failure:
            failures.append(failure)
    if failures:
        raise failures[0]
    _log.info("everything_forgotten", actor=actor.id)
    return left


def _name_remainder(left: Remainder, texts: Texts) -> str:
    kinds = ((left.records, texts.left_memories), (left.messages, texts.left_messages))
    names = ", ".join(name for there, name in kinds if there)
    return texts.forget_all_pending.format(left=names)


async def _forget_each(said: Command, ids: Sequence[str], context: Context) -> Reply:
    texts = context.texts
    gone: list[Forgotten] = []
    notes: list[str] = []
    async with tell_progress(said.origin, len(ids), context) as progress:
        for id_ in ids:
            try:
                gone.append(await context.memory.known.forget(said.origin.actor, id_.strip("[]")))
            except UnknownRecord:
                notes.append(texts.no_such_memory.format(id=id_))
            except StoreUnavailable:
                if not gone:
                    raise
                # Report the records deleted so far: they can be restored.
                notes.append(texts.memory_unavailable)
                break
            progress.done += 1
    return report_deletion(said.origin, gone, notes, context) if gone else Reply("\n".join(notes))
