"""What the settings say, as the values that the parts of a bot are made with."""

from datetime import UTC, timedelta
from decimal import Decimal

from bot.assistant.conversation import TurnLimits
from bot.assistant.files import FileKind
from bot.assistant.prompt import Persona, system_prompt
from bot.people.personal import Streaming
from bot.people.quotas import QuotaLimits
from bot.settings import Settings
from bot.telegram.intake.webhook import WebhookOptions, made_up_secret
from bot.telegram.options import ChannelOptions
from memory.conversation.sessions import SessionLimits
from memory.knowledge.choices import zone_of
from memory.knowledge.maintenance import Retention
from memory.knowledge.recall import Budget
from memory.memory import MemoryOptions


def memory_options(settings: Settings) -> MemoryOptions:
    """How the memory behaves."""
    return MemoryOptions(
        enabled=settings.memory_enabled,
        top_k=settings.memory_retrieval_top_k,
        min_relevance=settings.memory_retrieval_relevance_score,
        recall_seconds=settings.memory_recall_timeout_seconds,
        extraction_seconds=settings.extraction_timeout_seconds,
        extraction_attempts=settings.extraction_attempts,
        max_records_per_session=settings.max_records_per_session,
        adaptive_window=settings.adaptive_window,
        greeting=settings.greeting,
        limits=SessionLimits(
            window_messages=settings.conversation_window_size,
            window_batch=settings.summary_turn_count,
            window_tokens=settings.window_tokens,
            message_chars=settings.message_char_limit,
            max_summaries=settings.max_summaries,
            summary_tokens=settings.summary_tokens,
            max_messages=settings.max_conversation_messages,
            idle=timedelta(minutes=settings.session_idle_minutes),
        ),
        retention=retention_of(settings),
        budget=budget_of(settings),
        time_zone=zone_of(settings.time_zone) or UTC,
    )


def budget_of(settings: Settings) -> Budget:
    """How much of what is remembered goes before the model."""
    return Budget(
        preferences=settings.profile_preferences,
        preference_tokens=settings.profile_preference_tokens,
        key_facts=settings.profile_facts,
        key_fact_tokens=settings.profile_fact_tokens,
        topics=settings.profile_topics,
        topic_tokens=settings.profile_topic_tokens,
        summaries=settings.profile_summaries,
        summary_tokens=settings.profile_summary_tokens,
        recalled_tokens=settings.recalled_tokens,
    )


def retention_of(settings: Settings) -> Retention:
    """What is kept of one person, and for how long."""
    return Retention(
        fact_days=settings.fact_days,
        preference_days=settings.preference_days,
        summary_days=settings.summary_days,
        message_days=settings.message_days,
        superseded_days=settings.superseded_days,
        max_records=settings.max_records,
        max_turns=settings.max_archived_turns,
    )


def channel_options(settings: Settings) -> ChannelOptions:
    """How the bot behaves on Telegram."""
    return ChannelOptions(
        stale=timedelta(minutes=settings.stale_minutes),
        stop_seconds=settings.stop_seconds,
        webhook=webhook_of(settings),
        streaming=Streaming(settings.streaming),
    )


def quota_limits(settings: Settings) -> QuotaLimits:
    """How much one person may ask of the bot."""
    cost = settings.cost_per_day
    return QuotaLimits(
        messages=settings.messages_per_minute,
        tokens=settings.tokens_per_day,
        cost=None if cost is None else Decimal(str(cost)),
    )


def webhook_of(settings: Settings) -> WebhookOptions | None:
    """Where Telegram calls; None where it is asked instead."""
    if settings.webhook_url is None:
        return None
    secret = settings.webhook_secret
    return WebhookOptions(
        settings.webhook_url,
        listen=settings.webhook_listen,
        port=settings.webhook_port,
        secret=secret.get_secret_value() if secret else made_up_secret(),
        certificate=settings.webhook_certificate,
        key=settings.webhook_key,
    )


def turn_limits(settings: Settings) -> TurnLimits:
    """What one turn may cost."""
    return TurnLimits(
        tool_rounds=settings.model_max_tool_rounds,
        seconds=settings.model_timeout_seconds,
        output_tokens=settings.model_max_output_tokens,
        document_tokens=settings.document_tokens,
    )


def sees_of(settings: Settings) -> frozenset[FileKind] | None:
    """What the operator says that the model can look at; None if nothing is said."""
    seen = settings.model_sees
    return None if seen is None else frozenset(map(FileKind, seen))


def persona_of(settings: Settings) -> str:
    """The static system prompt."""
    return system_prompt(
        Persona(
            identity=settings.identity,
            personality=settings.personality,
            knowledge=settings.knowledge,
            goals=settings.goals,
            guidelines=settings.guidelines,
        ),
        remembers=settings.memory_enabled,
    )
