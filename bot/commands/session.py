"""The commands about the current session: /new, /private, /summarize, /usage and /stop."""

from collections.abc import Sequence
from dataclasses import replace

import structlog

from bot.assistant.context import Context
from bot.assistant.events import Reply, paragraphs
from bot.assistant.inbound import Command, Origin
from bot.commands.bill import bill
from bot.commands.pages.changes import report_changes
from bot.people.accounts import Account
from memory.background.work import log_outage
from memory.learning.endings import Outcome
from memory.records import Change, Session

_log = structlog.get_logger(__name__)

#: How long /new waits for the extraction before it says that saving continues, in seconds.
_NEW_SECONDS = 2.0


async def new(said: Command, context: Context) -> Reply:
    """Raises StoreUnavailable."""
    actor, texts = said.origin.actor, context.texts
    ending = await context.memory.talk.end(actor, said.origin.place, "new")
    outcome = await ending.wait(_NEW_SECONDS) if ending else Outcome.NOTHING
    if outcome is Outcome.DISCARDED:
        # The journal has deleted the private session; the inbox must do the same.
        await context.channel.scrub()
    began = {
        Outcome.SAVED: texts.new_saved,
        Outcome.HANDED_OVER: f"{texts.handed_over}\n{texts.new}",
        Outcome.LATER: texts.new_later,
        Outcome.DISCARDED: f"{texts.private_off}\n{texts.new}",
    }.get(outcome, texts.new)
    if outcome is Outcome.LATER and context.memory.learns_while_talking:
        began = f"{texts.saved_once_back}\n{texts.new}"
    # While the last session is still being saved, there is no topic of it to greet with.
    known = outcome not in (Outcome.LATER, Outcome.HANDED_OVER)
    greeting = await context.greetings.sentence(actor, texts.greeting_topics) if known else None
    changes = ending.changes if ending and outcome is Outcome.SAVED else ()
    return report_changes(said.origin, changes, context, began, greeting or "")


async def private(said: Command, context: Context) -> Reply:
    """Raises StoreUnavailable."""
    where = said.origin.actor, said.origin.place
    is_on = await context.people.personal.is_private(*where)
    if said.argument:
        # Whoever writes "off" must not start one.
        return Reply(context.texts.private_is_on if is_on else context.texts.private_is_off)
    if is_on:
        return await new(said, context)
    ending = await context.memory.talk.begin_private(*where)
    outcome = await ending.wait(_NEW_SECONDS) if ending else Outcome.NOTHING
    changes = ending.changes if ending and outcome is Outcome.SAVED else ()
    saved = {
        Outcome.SAVED: context.texts.saved,
        Outcome.HANDED_OVER: context.texts.handed_over,
    }.get(outcome, "")
    if outcome is Outcome.LATER and context.memory.learns_while_talking:
        saved = context.texts.saved_once_back
    # The text itself contains the mark, after what is said of the session that was saved.
    reply = report_changes(said.origin, changes, context, saved, context.texts.private_on)
    return replace(reply, private=False)


async def summarize(said: Command, context: Context) -> Reply:
    """Raises StoreUnavailable."""
    texts = context.texts
    summaries = await context.memory.talk.summarize_now(said.origin.actor, said.origin.place)
    # Of questions alone, the notebook can quote nothing: its summary is a number.
    told = [part.text for part in summaries if any(map(str.isalpha, part.text))]
    if summary := "\n\n".join(told):
        return Reply(paragraphs(texts.summary_title, summary))
    return Reply(paragraphs(texts.summary_nothing, await _last_talk(said, context)))


async def _last_talk(said: Command, context: Context) -> str:
    """The last session's summary. In a group only admins may see it, because it may come from
    another topic."""
    talks = await context.memory.known.past_talks(said.origin.actor)
    if not talks:
        return ""
    if not said.origin.is_private:
        return context.texts.summary_last_group
    return f"{context.texts.summary_last}\n{talks[-1].text}"


async def usage(said: Command, context: Context) -> Reply:
    """Raises StoreUnavailable."""
    origin, texts, accounts = said.origin, context.texts, context.usage
    session = await context.memory.talk.session(origin.actor, origin.place)
    used = await accounts.of_session(origin.actor, session.id) if session else Account()
    today = await accounts.today(origin.actor)
    return Reply(
        paragraphs(
            texts.usage_title if origin.is_private else texts.usage_title_group,
            f"{texts.usage_session}\n{bill(used, texts)}",
            f"{texts.usage_today}\n{bill(today, texts)}",
            texts.usage_footer if today.total.cost else "",
        )
    )


async def stop(said: Command, context: Context) -> Reply:
    """Answer a /stop with nothing to stop: the channel itself stops a reply."""
    return Reply(context.texts.nothing_to_stop)


async def announce_ending(context: Context, session: Session, changes: Sequence[Change]) -> None:
    """Tell the person what was saved of a session in the background, or that a private one
    expired."""
    notices = context.people.notices
    if session.private:
        notices.put_nowait((session.place, lambda texts: Reply(texts.private_over)))
        with log_outage(_log, "inbox_unavailable"):
            await context.channel.scrub()
        return
    context = replace(context, texts=await context.people.personal.texts_at(session.place))
    # Everybody there may open it; in a group, only its admins may press.
    origin = Origin(session.place, session.actor, session.place.chat_id)
    saved = report_changes(origin, changes, context, _saved_text(session, context))
    await context.panels.save()
    notices.put_nowait((session.place, lambda _: saved))


def _saved_text(session: Session, context: Context) -> str:
    """Says that a conversation was saved, and why it ended if nobody ended it."""
    texts, limits = context.texts, context.memory.options.limits
    if session.message_count >= limits.max_conversation_messages:
        return f"{texts.saved}\n{texts.saved_full.format(session.message_count)}"
    silent = context.memory.choices.local_time(session.actor) - session.last_at
    return f"{texts.saved}\n{texts.saved_idle}" if silent >= limits.session_idle else texts.saved
