"""The commands of each menu, in order, with their descriptions."""

from bot.texts import Texts

#: Commands that make sense in a group.
IN_GROUPS = (
    "ask", "new", "summarize", "memory", "search", "remember", "forget", "name", "settings",
    "usage", "stop", "retry", "help",
)  # fmt: skip
#: Commands that make no sense in a private chat.
_NOT_IN_PRIVATE = frozenset(("ask",))


def group_menu(texts: Texts) -> dict[str, str]:
    return {name: texts.group_commands.get(name, texts.commands[name]) for name in IN_GROUPS}


def private_menu(texts: Texts) -> dict[str, str]:
    return {name: what for name, what in texts.commands.items() if name not in _NOT_IN_PRIVATE}


def owners_menu(texts: Texts) -> dict[str, str]:
    return {**private_menu(texts), **texts.owner_commands}
