"""Conversations that wait to be saved, and those that could not be."""

from pathlib import Path

from bot.operations.doctor.finding import Finding, ok, warning
from memory.errors import StoreUnavailable
from memory.stores.journal.journal import backlog_in


def check_backlog(data_dir: Path) -> list[Finding]:
    """What the journal says, also while a bot is running. Blocks. Nothing is changed."""
    try:
        backlog = backlog_in(data_dir / "journal.sqlite")
    except StoreUnavailable:
        return []  # the check of the disk says what is wrong with the file
    if backlog is None:
        return []
    waiting = f"{backlog.waiting} ended conversations wait to be saved"
    if not backlog.set_aside:
        return [ok("backlog", waiting)]
    return [
        warning(
            "backlog",
            f"{waiting}, {backlog.set_aside} were set aside because saving them failed too often: "
            "look for session_set_aside in the log, mend what it says, stop the bot, then "
            "`mordecai maintain --retry`",
        )
    ]
