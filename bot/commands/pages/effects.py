"""Shows under an answer what the model's tools did: in a line, as a reaction, with buttons."""

from dataclasses import replace

from bot.assistant.context import Context
from bot.assistant.events import Reply
from bot.assistant.inbound import Message
from bot.commands.pages.candidates import candidates_page, open_candidates
from bot.commands.pages.changes import change_pages, open_changes
from bot.commands.pages.panel_state import ShownChange
from bot.commands.pages.panels import Page, Panel
from memory.conversation.talk import turn_id
from memory.errors import StoreUnavailable
from memory.knowledge.lookup import Meant
from memory.records import ChangeKind
from tools.context import TurnEffects

#: Telegram offers few emoji for reactions; this one is a writing hand.
REACTION = "✍"


async def show_effects(reply: Reply, said: Message, context: Context) -> Reply:
    """The reply, and what its turn did to the memory."""
    effects = reply.effects
    if effects is None:
        return reply
    if effects.changes:
        reply = _show_changes(reply, effects, said, context)
    if effects.to_forget:
        reply = await _ask_to_forget(reply, effects, said, context)
    return reply


def _show_changes(reply: Reply, effects: TurnEffects, said: Message, context: Context) -> Reply:
    """Whatever the setting, a correction comes with its Undo button."""
    if context.about.notices == "reaction":
        reply = replace(reply, reaction=REACTION)
    in_words = context.about.notices == "line"
    shown = [c for c in effects.changes if in_words or c.kind is not ChangeKind.NOTED]
    if not shown:
        return reply
    page = change_pages(context).listing([ShownChange(change) for change in shown])
    if not in_words:
        page = replace(page, text="")
    return _below(reply, page, open_changes(said.origin, shown, context))


async def _ask_to_forget(
    reply: Reply, effects: TurnEffects, said: Message, context: Context
) -> Reply:
    """Only a button counts as an answer: a typed yes may be meant for the answer above it."""
    asked_in = turn_id(said.origin.actor, said.id)
    meant = Meant(tuple(effects.to_forget), (*effects.along, asked_in))
    try:
        page = await candidates_page(said.origin, meant, context)
    except StoreUnavailable:
        return reply.with_footer(context.texts.memory_unavailable)
    return _below(reply, page, open_candidates(said.origin, meant, context))


def _below(reply: Reply, page: Page, panel: Panel) -> Reply:
    """The reply with a page of this panel under it."""
    panel.under_answer = True
    return reply.with_footer(page.text, page.reply(panel.id).buttons)
