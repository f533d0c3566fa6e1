"""Commands for owners, in their private chat with the bot: /approve, /users and /stats."""

from collections.abc import Sequence
from datetime import UTC, datetime

from bot.assistant.context import Context
from bot.assistant.events import Reply
from bot.assistant.inbound import Command
from bot.commands.bill import cost_of, length_of
from bot.people.access import AccessMode
from bot.people.guestbook import ApprovalVerdict, Guest, Request
from bot.people.people import describe_person
from bot.texts import Texts
from memory.records import Place
from memory.safety.escaping import speaker_name

_REMOVE = "remove"
#: Maximum pending requests listed by /users: the newest.
_MOST_SHOWN = 50


async def approve(said: Command, context: Context) -> Reply:
    """Give someone access and tell them. Raises StoreUnavailable."""
    written, texts, access = said.argument, context.texts, context.people.access
    if not written:
        return Reply(texts.approve_how)
    approval = await access.approve(written)
    if approval.guest is None:
        if approval.verdict is ApprovalVerdict.NOT_HERE:
            is_open = access.mode is AccessMode.OPEN
            return Reply(texts.users_everybody if is_open else texts.approve_listed)
        if approval.verdict is ApprovalVerdict.NO_ID:
            return Reply(texts.approve_ids_only)
        return Reply(texts.no_such_code.format(code=written[:20]))
    template = texts.in_already
    if approval.verdict is not ApprovalVerdict.IN_ALREADY:
        # A private chat has its person's id.
        chat = Place(said.origin.place.channel, approval.guest.id)
        welcome = (await context.people.personal.texts_at(chat)).approved_you
        heard = await context.channel.say(chat, welcome)
        template = texts.approved if heard else texts.approved_untold
    return Reply(template.format(person=describe_person(approval.guest, texts)))


async def users(said: Command, context: Context) -> Reply:
    """List users and pending requests, or remove a guest. Raises StoreUnavailable."""
    texts, access = context.texts, context.people.access
    action, _, rest = said.argument.partition(" ")
    if action.lower() == _REMOVE:
        return await _remove(rest.strip(), context)
    book = await access.read_book()
    named = [Guest(id_) for id_ in access.configured if not book.admits(id_)]
    sections = (
        (texts.users_owners, _list(book.owners)),
        (texts.users_listed, _list(named)),
        (texts.users_guests, _list(book.guests)),
        (texts.users_waiting, _list_waiting(book.open_requests(datetime.now(UTC)), texts)),
    )
    parts = [texts.users_title, *(f"{title}\n{people}" for title, people in sections if people)]
    if access.mode is AccessMode.OPEN:
        parts.append(texts.users_everybody)
    if book.guests:
        parts.append(texts.users_footer)
    return Reply("\n\n".join(parts))


async def _remove(written: str, context: Context) -> Reply:
    texts, access = context.texts, context.people.access
    if not written:
        return Reply(texts.users_footer)
    book = await access.read_book()
    guest = next((one for one in book.guests if str(one.id) == written), None)
    if guest is None or not await access.remove(guest.id):
        return Reply(texts.no_such_user.format(id=written[:20]))
    return Reply(texts.user_removed.format(person=describe_person(guest, texts)))


async def stats(said: Command, context: Context) -> Reply:
    """Raises StoreUnavailable."""
    texts, health, today = context.texts, context.health, datetime.now(UTC)
    day = await context.usage.totals(f"{today:%Y-%m-%d}")
    month = await context.usage.totals(f"{today:%Y-%m}-01")
    backlog = await context.memory.backlog()
    used, free = day.account.total, texts.usage_cost.format(amount="0.00")
    refused = texts.stats_refused.format(count=backlog.refused) if backlog.refused else ""
    told = texts.stats.format(
        people=day.people,
        turns=day.account.turns.runs,
        tokens=used.input_tokens + used.output_tokens,
        recordings=length_of(used),
        today=cost_of(used, texts, nothing=free),
        month=cost_of(month.account.total, texts, nothing=free),
        since=f"{health.since:%Y-%m-%d %H:%M}",
        errors=health.errors,
        backlog=backlog.waiting + backlog.quarantined,
        set_aside=backlog.quarantined,
    )
    return Reply("\n".join(filter(None, (told, refused))))


def _list(guests: Sequence[Guest]) -> str:
    lines = ((str(one.id), speaker_name(one.name), one.since[:10]) for one in guests)
    return "\n".join("• " + ", ".join(filter(None, parts)) for parts in lines)


def _list_waiting(requests: Sequence[Request], texts: Texts) -> str:
    shown, older = requests[-_MOST_SHOWN:], len(requests) - _MOST_SHOWN
    people = ((f"{one.id} {speaker_name(one.name)}".rstrip(), one.code) for one in shown)
    lines = [f"• {person}: /approve {code}" for person, code in people]
    return "\n".join((*lines, texts.memory_more.format(older)) if older > 0 else lines)
