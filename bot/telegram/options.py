"""How the channel behaves."""

from dataclasses import dataclass, field
from datetime import timedelta

from bot.clock import Clock
from bot.operations.health import STALLED_SECONDS
from bot.people.personal import Streaming
from bot.telegram.intake.webhook import WebhookOptions


@dataclass(frozen=True, slots=True)
class ChannelOptions:
    """How the channel behaves. Times in seconds unless they say otherwise.

    `streaming` is how replies are shown to whoever has chosen nothing; OFF is for everybody. A
    burst is merged up to `longest_text` characters. `parallel_replies` bounds the replies that are
    written at once, over all chats. What is older than `stale` at the start gets an apology.
    `error_pause` is how long a chat hears of no other error. `stop_seconds` is what replies under
    way get to finish when the bot is stopped. Updates come by `webhook` if there is one, else by
    polling, which has stalled when nothing was heard for `stalled_seconds`."""

    longest_text: int = 16_000
    typing_seconds: float = 4.0
    streaming: Streaming = Streaming.EDIT
    parallel_replies: int = 16
    stale: timedelta = timedelta(minutes=60)
    error_pause: float = 60.0
    stop_seconds: float = 25.0
    poll_seconds: float = 25.0
    stalled_seconds: float = STALLED_SECONDS
    webhook: WebhookOptions | None = None
    clock: Clock = field(default_factory=Clock)
