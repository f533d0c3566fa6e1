"""Telegram's command menu, by kind of chat and language."""

from collections.abc import Iterable, Mapping

import structlog
from telegram import (
    Bot,
    BotCommandScope,
    BotCommandScopeAllGroupChats,
    BotCommandScopeAllPrivateChats,
    BotCommandScopeChat,
)
from telegram.error import TelegramError

from bot.commands.menu import group_menu, owners_menu, private_menu
from bot.texts import ENGLISH, Texts, languages

_log = structlog.get_logger(__name__)


async def publish_menu(bot: Bot, owners: Iterable[int]) -> None:
    """Publish the menu for each kind of chat and language, and for each owner. The bot works
    without it."""
    for language, texts in languages().items():
        # English is set without a language code, so that it is the default.
        code = None if texts is ENGLISH else language
        for scope, commands in _menus(texts, owners):
            await _publish(bot, commands, code, scope)


async def publish_owner_menu(bot: Bot, owner: int) -> None:
    """Publish the menu of a new owner."""
    for language, texts in languages().items():
        code = None if texts is ENGLISH else language
        await _publish(bot, owners_menu(texts), code, BotCommandScopeChat(owner))


def _menus(
    texts: Texts, owners: Iterable[int]
) -> Iterable[tuple[BotCommandScope | None, Mapping[str, str]]]:
    """Each scope with its commands, from general to specific."""
    yield None, texts.commands
    yield BotCommandScopeAllPrivateChats(), private_menu(texts)
    yield BotCommandScopeAllGroupChats(), group_menu(texts)
    for owner in owners:
        yield BotCommandScopeChat(owner), owners_menu(texts)


async def _publish(
    bot: Bot, commands: Mapping[str, str], code: str | None, scope: BotCommandScope | None
) -> None:
    try:
        await bot.set_my_commands(list(commands.items()), scope=scope, language_code=code)
    except TelegramError as failure:
        # An owner who has never written to the bot has no chat with it yet.
        _log.warning("menu_not_set", language=code or "any", error=type(failure).__name__)
