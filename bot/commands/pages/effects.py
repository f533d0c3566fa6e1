"""What the model's tools did in a turn, under its answer: a line, a reaction, and buttons."""

from dataclasses import replace

from bot.assistant.context import Context
from bot.assistant.events import Reply
from bot.assistant.inbound import Message
from bot.commands.pages.candidates import candidates_page, open_candidates
from bot.commands.pages.panels import Page, Panel
from bot.commands.paragraphs import paragraphs
from memory.conversation.talk import turn_id
from memory.errors import StoreUnavailable
from tools.context import TurnEffects


async def show_effects(reply: Reply, said: Message, context: Context) -> Reply:
    """The reply with what its turn did to the memory."""
    effects = reply.effects
    if effects is None:
        return reply
    if effects.to_forget:
        reply = await _ask_to_forget(reply, effects, said, context)
    return reply


async def _ask_to_forget(
    reply: Reply, effects: TurnEffects, said: Message, context: Context
) -> Reply:
    """Only a button counts as an answer: a typed yes may be meant for the answer above it."""
    asked_in = (turn_id(said.origin.actor, said.id),)
    try:
        page = await candidates_page(said.origin, effects.to_forget, context)
    except StoreUnavailable:
        return replace(reply, footer=paragraphs(reply.footer, context.texts.memory_unavailable))
    return _below(reply, page, open_candidates(said.origin, effects.to_forget, context, asked_in))


def _below(reply: Reply, page: Page, panel: Panel) -> Reply:
    """The reply with a page of this panel under it."""
    panel.under_answer = True
    buttons = (*reply.buttons, *page.reply(panel.id).buttons)
    return replace(reply, footer=paragraphs(reply.footer, page.text), buttons=buttons)
