"""`mordecai approve`: letting somebody in from the command line."""

from datetime import UTC, datetime

from bot.errors import OperatorError
from bot.settings import Settings
from bot.telegram.access import approve
from bot.telegram.guestbook import GuestBook, UnreadableOwner


def let_in(settings: Settings, code: str) -> str:
    """Approve whoever was given this code; what to tell the operator. Raises OperatorError."""
    if settings.access != "pairing":
        raise OperatorError(
            f"access = {settings.access} gives nobody a code: set access to pairing, or name the "
            "numeric ids in allowed_users"
        )
    path = settings.data_dir / "access.json"
    if not path.exists():
        raise OperatorError(f"{path}: nobody has asked to use the bot yet, and it has no owner")
    try:
        guest = GuestBook(path).change(lambda book: approve(book, code, datetime.now(UTC)))
    except (UnreadableOwner, OSError) as failure:
        raise OperatorError(str(failure)) from failure
    if guest is None:
        raise OperatorError(f"nobody was given the code {code!r}, or it is too old")
    return f"{guest.name or guest.id} (id {guest.id}) may use the bot now."
