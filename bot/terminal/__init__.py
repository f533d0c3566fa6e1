"""The bot without a token: a Bot API that is the terminal. The same Application and the same
handlers run on it, so that nothing of the bot exists twice."""

from bot.terminal.request import TERMINAL_TOKEN, TerminalRequest
from bot.terminal.terminal import Terminal, is_interactive

__all__ = ["TERMINAL_TOKEN", "Terminal", "TerminalRequest", "is_interactive"]
