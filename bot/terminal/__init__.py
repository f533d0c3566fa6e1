"""The bot without a token: the same assistant at a prompt."""

from bot.terminal.channel import TerminalChannel, is_interactive
from bot.terminal.terminal import Terminal

__all__ = ["Terminal", "TerminalChannel", "is_interactive"]
