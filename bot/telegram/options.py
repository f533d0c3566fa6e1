"""How the channel behaves."""

from dataclasses import dataclass, field
from datetime import timedelta

from bot.operations.health import STALLED_SECONDS
from bot.people.quotas import QuotaLimits
from bot.telegram.delivery.clock import Clock
from bot.telegram.delivery.cooldown import COOLDOWN_SECONDS
from bot.telegram.delivery.preview import Streaming
from bot.telegram.intake.webhook import WebhookOptions


@dataclass(frozen=True, slots=True)
class ChannelOptions:
    """How the channel behaves. Times in seconds unless they say otherwise.

    `streaming` is how replies are shown to who has chosen nothing, OFF to everybody; `drafts`
    says whether the channel has such. `longest_text` is the longest message that is answered, in
    characters. `parallel_replies` bounds the replies that are written at once, over all chats.
    `error_pause` is how long a chat hears of no other error. `stop_seconds` is what replies
    under way get to finish when the bot is stopped. Updates come by `webhook` if there is one,
    else by polling, which has stalled when nothing was heard for `stalled_seconds`."""

    longest_text: int = 16_000
    typing_seconds: float = 4.0
    streaming: Streaming = Streaming.EDIT
    drafts: bool = True
    leaves_strangers: bool = True
    parallel_replies: int = 16
    stale: timedelta = timedelta(minutes=60)
    error_pause: float = COOLDOWN_SECONDS
    stop_seconds: float = 25.0
    poll_seconds: float = 25.0
    stalled_seconds: float = STALLED_SECONDS
    webhook: WebhookOptions | None = None
    quotas: QuotaLimits = field(default_factory=QuotaLimits)
    clock: Clock = field(default_factory=Clock)
