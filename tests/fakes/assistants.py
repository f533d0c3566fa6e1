"""The assistant as the program composes it, with what a test wants to be otherwise."""

from datetime import UTC, datetime

from bot.assistant.assistant import Assistant
from bot.assistant.context import About, Channel, Context, Health
from bot.assistant.events import Conversing
from bot.assistant.greeting import Greetings
from bot.commands.pages.panels import Panels
from bot.commands.table import Commands
from bot.people.access import Access, AccessMode
from bot.people.accounts import Accounts
from bot.people.people import People, QuotaLimits, Quotas
from bot.people.personal import PersonalSettings
from bot.texts import texts_in
from memory.memory import Memory

ABOUT = About("Mordecai", memory_enabled=True)


def assistant_on(
    channel: Channel,
    conversation: Conversing,
    memory: Memory,
    accounts: Accounts,
    panels: Panels,
    *,
    access: Access | None = None,
    greetings: Greetings | None = None,
    about: About = ABOUT,
    quotas: QuotaLimits | None = None,
    longest_text: int = 16_000,
    leaves_strangers: bool = True,
) -> Assistant:
    """An assistant that everybody may use, unless `access` says otherwise."""
    access = access or Access(AccessMode.OPEN)
    people = People(
        access,
        Quotas(accounts, quotas or QuotaLimits(), access),
        PersonalSettings(memory),
    )
    context = Context(
        memory,
        people,
        accounts,
        channel,
        greetings or Greetings(memory),
        about,
        texts_in("en"),
        panels,
        Health(datetime.now(UTC)),
    )
    return Assistant(
        conversation,
        Commands(),
        context,
        longest_text=longest_text,
        leaves_strangers=leaves_strangers,
    )
