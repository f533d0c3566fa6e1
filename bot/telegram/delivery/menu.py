"""Telegram's command menus, by kind of chat and language. The bot works without them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
from bot.texts import ENGLISH, languages
from memory.background.work import log_outage
from memory.stores.notes import Notes

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Menu:
    """The commands of one kind of chat in one language; no language stands for all others."""

    commands: Mapping[str, str]
    language: str | None
    scope: BotCommandScope | None = None

    def __str__(self) -> str:
        scope = self.scope.to_dict() if self.scope else ""
        return f"{self.language} {scope} {list(self.commands.items())}"


async def publish_menus(bot: Bot, notes: Notes) -> None:
    """Publish the menus for each kind of chat, unless they are published already."""
    menus: list[_Menu] = []
    for language, texts in languages().items():
        # English is set without a language code, so that it is the default.
        code = None if texts is ENGLISH else language
        # From general to specific.
        menus += (
            _Menu(texts.commands, code),
            _Menu(private_menu(texts), code, BotCommandScopeAllPrivateChats()),
            _Menu(group_menu(texts), code, BotCommandScopeAllGroupChats()),
        )
    await _publish(bot, notes, "menus", menus)


async def publish_owners_menu(bot: Bot, notes: Notes, owner: int) -> None:
    """Publish the menu of an owner, who has a chat with the bot."""
    scope = BotCommandScopeChat(owner)
    menus = [
        _Menu(owners_menu(texts), None if texts is ENGLISH else language, scope)
        for language, texts in languages().items()
    ]
    await _publish(bot, notes, f"menus of {owner}", menus)


async def _publish(bot: Bot, notes: Notes, name: str, menus: Sequence[_Menu]) -> None:
    noted_as = f"{name}, bot {bot.id}"
    digest = hashlib.blake2b("\n".join(map(str, menus)).encode(), digest_size=16).hexdigest()
    with log_outage(_log, "inbox_unavailable"):
        if await notes.get(noted_as) == digest:
            return
        if failures := [failure for menu in menus if (failure := await _set(bot, menu))]:
            # The next start tries again.
            error = type(failures[0]).__name__
            _log.warning("menu_update_failed", name=name, count=len(failures), error=error)
            return
        await notes.put(noted_as, digest)


async def _set(bot: Bot, menu: _Menu) -> TelegramError | None:
    try:
        await bot.set_my_commands(
            list(menu.commands.items()), scope=menu.scope, language_code=menu.language
        )
    except TelegramError as failure:
        return failure
    return None
