"""Sessions waiting to be saved, and those in quarantine."""

from pathlib import Path

from bot.operations.doctor.check_result import CheckResult, ok, warning
from memory.errors import StoreUnavailable
from memory.stores.journal.sessions import backlog_in


def check_backlog(data_dir: Path) -> list[CheckResult]:
    """Read the journal, also while a bot is running. Blocks. Changes nothing."""
    try:
        backlog = backlog_in(data_dir / "journal.sqlite")
    except StoreUnavailable:
        return []  # the disk check reports what is wrong with the file
    if backlog is None:
        return []
    waiting = f"{backlog.waiting} ended conversations wait to be saved"
    if not backlog.quarantined:
        return [ok("backlog", waiting)]
    return [
        warning(
            "backlog",
            f"{waiting}, {backlog.quarantined} are in quarantine because saving them failed too "
            "often: look for session_quarantined in the log, fix what it says, stop the bot, then "
            "`mordecai maintain --retry`",
        )
    ]
