"""Options of the Telegram channel."""

from dataclasses import dataclass, field
from datetime import timedelta

from bot.clock import Clock
from bot.operations.health import STALLED_SECONDS
from bot.people.personal import Streaming
from bot.telegram.delivery.holds import HeldChats
from bot.telegram.intake.webhook import WebhookOptions
from memory.background.wall import WallClock


@dataclass(frozen=True, slots=True)
class ChannelOptions:
    """Options of the channel. Times are in seconds unless noted.

    `streaming` is the default mode; OFF applies to everyone. Bursts are merged up to `longest_text`
    characters. `parallel_replies` limits the replies written at once over all chats. Messages older
    than `stale` at the start get an apology. `error_pause` is the minimum time between two error
    messages in a chat. `stop_seconds` is how long replies may take to finish when the bot stops.
    Updates come by `webhook` if set, else by polling. Polling has stalled after `stalled_seconds`
    without an answer; handling, if updates have waited so long, or a lane works on one thing for
    `stuck_seconds`. `clock` is for waiting, `wall` for dates. `held` are the chats under a flood
    limit, where several workers share them."""

    longest_text: int = 16_000
    typing_seconds: float = 4.0
    streaming: Streaming = Streaming.EDIT
    parallel_replies: int = 16
    stale: timedelta = timedelta(minutes=60)
    error_pause: float = 60.0
    stop_seconds: float = 25.0
    poll_seconds: float = 25.0
    stalled_seconds: float = STALLED_SECONDS
    stuck_seconds: float = 3600.0
    webhook: WebhookOptions | None = None
    clock: Clock = field(default_factory=Clock)
    wall: WallClock = field(default_factory=WallClock)
    held: HeldChats | None = None
