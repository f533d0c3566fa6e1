"""Turns settings into the options of the bot's parts. A field has the name of its setting."""

from dataclasses import fields
from datetime import UTC, timedelta
from decimal import Decimal
from typing import Any, TypeVar

from bot.assistant.agent import TurnLimits
from bot.assistant.instructions import Persona, system_prompt
from bot.errors import OperatorError
from bot.people.people import QuotaLimits
from bot.people.personal import Streaming
from bot.settings import Settings
from bot.telegram.delivery.holds import HeldChats
from bot.telegram.intake.webhook import WebhookOptions, made_up_secret
from bot.telegram.options import ChannelOptions
from memory.background.wall import WallClock
from memory.conversation.live import SessionLimits
from memory.knowledge.choices import zone_of
from memory.knowledge.maintenance import Retention
from memory.knowledge.recall import RecallBudget
from memory.memory import MemoryOptions

T = TypeVar("T")


def memory_options(settings: Settings) -> MemoryOptions:
    return _from_settings(
        MemoryOptions,
        settings,
        limits=_from_settings(
            SessionLimits,
            settings,
            session_idle=timedelta(minutes=settings.session_idle_minutes),
        ),
        retention=retention_of(settings),
        budget=_from_settings(RecallBudget, settings),
        time_zone=zone_of(settings.time_zone) or UTC,
    )


def retention_of(settings: Settings) -> Retention:
    return _from_settings(Retention, settings)


def channel_options(
    settings: Settings, wall: WallClock, held: HeldChats | None = None
) -> ChannelOptions:
    return ChannelOptions(
        held=held,
        wall=wall,
        stale=timedelta(minutes=settings.stale_minutes),
        parallel_replies=settings.parallel_replies,
        stop_seconds=settings.stop_seconds,
        stuck_seconds=max(3600.0, 3 * settings.turn_timeout_seconds),
        webhook=webhook_of(settings),
        streaming=Streaming(settings.streaming),
    )


def quota_limits(settings: Settings) -> QuotaLimits:
    cost = settings.cost_per_day
    return _from_settings(
        QuotaLimits, settings, cost_per_day=None if cost is None else Decimal(str(cost))
    )


def webhook_of(settings: Settings) -> WebhookOptions | None:
    """The options of the webhook; None if the bot polls. Raises OperatorError."""
    if settings.webhook_url is None:
        return None
    secret = settings.webhook_secret
    if secret is None and settings.database_url:
        raise OperatorError(
            "webhook_secret is not set: several workers share the webhook, so set the same one for "
            "all, such as what `openssl rand -hex 32` prints, in MORDECAI_WEBHOOK_SECRET"
        )
    return WebhookOptions(
        settings.webhook_url,
        listen=settings.webhook_listen,
        port=settings.webhook_port,
        secret=secret.get_secret_value() if secret else made_up_secret(),
        certificate=settings.webhook_certificate,
        key=settings.webhook_key,
    )


def turn_limits(settings: Settings) -> TurnLimits:
    return _from_settings(TurnLimits, settings)


def persona_of(settings: Settings) -> str:
    """The static system prompt."""
    return system_prompt(_from_settings(Persona, settings), remembers=settings.memory_enabled)


def _from_settings(kind: type[T], settings: Settings, **others: Any) -> T:
    """A dataclass with its fields from the settings of the same names, and `others`."""
    names = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    taken = {name: getattr(settings, name) for name in names & set(Settings.model_fields)}
    return kind(**(taken | others))
