"""The parts of the channel, and how they hang together."""

from dataclasses import dataclass

from telegram import Bot

from bot.assistant.events import Conversing
from bot.assistant.greeting import Greetings
from bot.commands.exports import Exports
from bot.commands.forget_all import ForgetAll
from bot.commands.introduction import About, Introduction
from bot.commands.memory import MemoryCommands
from bot.commands.owner import OwnerCommands
from bot.commands.pages.browser import Browser
from bot.commands.pages.settings_panel import SettingsPanel
from bot.commands.preferences import SettingsCommands
from bot.commands.questions import Awaited
from bot.commands.session import SessionCommands
from bot.commands.table import Commands
from bot.people.access import Access
from bot.people.personal import PersonalSettings
from bot.people.privacy import Privacy
from bot.people.quotas import Quotas
from bot.people.usage import Accounts
from bot.telegram.boundary import Boundary
from bot.telegram.delivery.cooldown import Cooldown
from bot.telegram.delivery.media import Media, Senses
from bot.telegram.delivery.preview import Previews
from bot.telegram.delivery.sender import Sender
from bot.telegram.doorkeeper import Doorkeeper
from bot.telegram.handlers import Handlers, Limits
from bot.telegram.intake.groups import Groups
from bot.telegram.intake.inbox import Inbox
from bot.telegram.intake.migration import Migrations
from bot.telegram.lanes import Lanes
from bot.telegram.options import ChannelOptions
from bot.telegram.replying import Replying
from bot.telegram.voice import Voice
from memory.memory import Memory


@dataclass(frozen=True, slots=True)
class Services:
    """What the channel is for: the conversation and the memory, and who may use them."""

    conversation: Conversing
    memory: Memory
    access: Access
    inbox: Inbox
    about: About
    accounts: Accounts
    greetings: Greetings
    senses: Senses


@dataclass(frozen=True, slots=True)
class Parts:
    """What the channel itself talks to."""

    handlers: Handlers
    lanes: Lanes
    sender: Sender
    previews: Previews
    personal: PersonalSettings
    doorkeeper: Doorkeeper


def assemble(bot: Bot, services: Services, channel: str, options: ChannelOptions) -> Parts:
    """Make every part, each with the others that it needs."""
    memory, access, inbox = services.memory, services.access, services.inbox
    accounts, about, clock = services.accounts, services.about, options.clock
    sender = Sender(bot, typing_seconds=options.typing_seconds, clock=clock)
    previews = Previews(
        bot, sender.holds, inbox, options.streaming, clock=clock, drafts=options.drafts
    )
    personal, privacy, groups = PersonalSettings(memory), Privacy(memory, inbox), Groups(bot)
    voice, awaited = Voice(sender, personal, privacy.marks), Awaited()
    cooldown = Cooldown(options.error_pause)
    replying = Replying(
        services.conversation,
        sender,
        previews,
        inbox,
        Media(bot, services.senses, memory, accounts, clock),
        personal,
        parallel=options.parallel_replies,
        longest_burst=options.longest_text,
        is_private=privacy.marks,
        recorded=memory.talk.answer,
        record=memory.talk.record,
        cooldown=cooldown,
    )
    boundary = Boundary(replying, sender, inbox, personal, cooldown)
    lanes = Lanes(boundary.carry_out, longest_burst=options.longest_text, clock=clock)
    migrations = Migrations(memory, accounts, lanes, channel, clock)
    sender.on_migrated = migrations.follow
    doorkeeper = Doorkeeper(
        access,
        lanes,
        boundary,
        sender,
        voice,
        personal,
        groups,
        bot,
        clock,
        channel=channel,
        about=about,
        leaves_strangers=options.leaves_strangers,
    )
    owner_commands = OwnerCommands(
        access,
        memory,
        accounts,
        personal,
        voice,
        sender.send,
        errors=lambda: boundary.errors + replying.failed,
    )
    handlers = Handlers(
        channel,
        Limits(options.longest_text, options.stale),
        inbox,
        lanes,
        boundary,
        voice,
        personal,
        replying,
        _commands(services, voice, personal, privacy, previews, groups, awaited, owner_commands),
        Quotas(accounts, options.quotas, access.owns),
        doorkeeper,
        migrations,
        awaited,
    )
    return Parts(handlers, lanes, sender, previews, personal, doorkeeper)


def _commands(
    services: Services,
    voice: Voice,
    personal: PersonalSettings,
    privacy: Privacy,
    previews: Previews,
    groups: Groups,
    awaited: Awaited,
    owner_commands: OwnerCommands,
) -> Commands:
    memory, accounts = services.memory, services.accounts
    about, greetings = services.about, services.greetings
    browser = Browser(memory, voice, awaited, privacy)
    panel = SettingsPanel(memory, voice, personal, previews, privacy.is_on)
    forget_all = ForgetAll(memory, voice, services.inbox, accounts, browser, privacy, awaited)
    exports = Exports(memory, accounts, voice)
    introduction = Introduction(memory, voice, about, greetings, groups, services.access.owns)
    sessions = SessionCommands(memory, voice, privacy, accounts, greetings)
    remembered = MemoryCommands(memory, voice, browser, exports, forget_all, awaited, privacy)
    settings = SettingsCommands(memory, personal, panel, voice, agent_name=about.agent_name)
    return Commands(
        {**introduction.table, **sessions.table, **remembered.table, **settings.table},
        owner_commands.table,
        voice,
        groups,
        privacy,
        forget_all,
        (browser, panel),
        services.access.owns,
        remembers=about.memory_enabled,
    )
