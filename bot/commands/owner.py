"""The commands of the bot's owners: who may use it, and how it does."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import partial

from bot.commands.bill import cost_of, length_of
from bot.people.access import Access, AccessMode
from bot.people.approvals import Verdict
from bot.people.guestbook import Guest, Request
from bot.people.personal import PersonalSettings
from bot.people.usage import Accounts
from bot.telegram.intake.reading import Heard
from bot.telegram.voice import Voice
from bot.texts import Texts
from memory.memory import Memory
from memory.records import Place

#: Says something in a place, and whether it arrived: what the sender does.
Send = Callable[[Place, str], Awaitable[bool]]
#: What an owner hears who gives a command in a place, with what follows it.
Work = Callable[[Place, str, Texts], Awaitable[str]]
_REMOVE = "remove"


class OwnerCommands:
    """What an owner may do, in the private chat with the bot. All raise StoreUnavailable."""

    def __init__(
        self,
        access: Access,
        memory: Memory,
        accounts: Accounts,
        personal: PersonalSettings,
        voice: Voice,
        send: Send,
        errors: Callable[[], int],
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`errors` counts what went wrong since the start."""
        self._access, self._memory, self._accounts = access, memory, accounts
        self._personal, self._voice, self._send = personal, voice, send
        self._errors, self._clock = errors, clock
        self._began = clock()
        self.table = {
            "approve": partial(self._answer, self._approve),
            "users": partial(self._answer, self._users),
            "stats": partial(self._answer, self._stats),
        }

    async def _answer(self, work: Work, heard: Heard, argument: str, texts: Texts) -> None:
        await self._voice.say(heard, await work(heard.origin.place, argument, texts))

    async def _approve(self, place: Place, written: str, texts: Texts) -> str:
        if not written:
            return texts.approve_how
        approval = await self._access.approve(written)
        guest = approval.guest
        if guest is None:
            return self._not_approved(approval.verdict, written, texts)
        if approval.verdict is Verdict.IN_ALREADY:
            return texts.in_already.format(name=_name(guest), id=guest.id)
        # A private chat has the id of the person in it.
        chat = Place(place.channel, guest.id)
        heard = await self._send(chat, (await self._personal.texts_at(chat)).approved_you)
        told = texts.approved if heard else texts.approved_untold
        return told.format(name=_name(guest), id=guest.id)

    def _not_approved(self, verdict: Verdict, written: str, texts: Texts) -> str:
        if verdict is Verdict.NOT_HERE:
            is_open = self._access.mode is AccessMode.OPEN
            return texts.users_everybody if is_open else texts.approve_listed
        if verdict is Verdict.NO_ID:
            return texts.approve_ids_only
        return texts.no_such_code.format(code=written[:20])

    async def _users(self, place: Place, argument: str, texts: Texts) -> str:
        action, _, rest = argument.partition(" ")
        if action.lower() == _REMOVE:
            return await self._remove(rest.strip(), texts)
        book = await self._access.people()
        named = [Guest(id_) for id_ in self._access.named if not book.admits(id_)]
        sections = (
            (texts.users_owners, _listed(book.owners)),
            (texts.users_listed, _listed(named)),
            (texts.users_guests, _listed(book.guests)),
            (texts.users_waiting, _waiting(book.still_waiting(self._clock()))),
        )
        lists = [f"{title}\n{listed}" for title, listed in sections if listed]
        if self._access.mode is AccessMode.OPEN:
            lists.append(texts.users_everybody)
        footer = [texts.users_footer] if book.guests else []
        return "\n\n".join((texts.users_title, *lists, *footer))

    async def _remove(self, written: str, texts: Texts) -> str:
        if not written:
            return texts.users_footer
        book = await self._access.people()
        guest = next((one for one in book.guests if str(one.id) == written), None)
        if guest is None or not await self._access.remove(guest.id):
            return texts.no_such_user.format(id=written[:20])
        return texts.user_removed.format(name=_name(guest), id=guest.id)

    async def _stats(self, place: Place, argument: str, texts: Texts) -> str:
        today = self._clock().astimezone(UTC)
        day = await self._accounts.totals(f"{today:%Y-%m-%d}")
        month = await self._accounts.totals(f"{today:%Y-%m}-01")
        backlog = await self._memory.backlog()
        used, free = day.account.total, texts.usage_cost.format(amount="0.00")
        return texts.stats.format(
            people=day.people,
            turns=day.account.turns.runs,
            tokens=used.input_tokens + used.output_tokens,
            recordings=length_of(used),
            today=cost_of(used, texts, nothing=free),
            month=cost_of(month.account.total, texts, nothing=free),
            since=f"{self._began:%Y-%m-%d %H:%M}",
            errors=self._errors(),
            backlog=backlog.waiting + backlog.quarantined,
            set_aside=backlog.quarantined,
        )


def _name(guest: Guest | Request) -> str:
    return " ".join(guest.name.split())[:64] or str(guest.id)


def _listed(guests: Sequence[Guest]) -> str:
    told = ((str(one.id), _name(one) if one.name else "", one.since[:10]) for one in guests)
    return "\n".join("• " + ", ".join(filter(None, parts)) for parts in told)


def _waiting(requests: Iterable[Request]) -> str:
    return "\n".join(f"• {one.id} {_name(one)}: /approve {one.code}" for one in requests)
