"""What the settings say reaches the parts of the bot."""

from dataclasses import fields
from datetime import timedelta
from decimal import Decimal

import pytest

from bot.assistant.agent import TurnLimits
from bot.assistant.instructions import Persona
from bot.errors import OperatorError
from bot.options import channel_options, memory_options, quota_limits, turn_limits
from bot.people.people import QuotaLimits
from bot.people.personal import Streaming
from bot.settings import Settings
from memory.background.wall import WallClock
from memory.conversation.live import SessionLimits
from memory.knowledge.maintenance import Retention
from memory.knowledge.recall import RecallBudget
from memory.memory import MemoryOptions


@pytest.mark.parametrize("streaming", ["edit", "draft", "off"])
def test_replies_are_shown_on_telegram_as_the_settings_say(streaming: str):
    settings = Settings.model_validate({"streaming": streaming})
    assert channel_options(settings, WallClock()).streaming is Streaming(streaming)


def test_a_worker_writes_as_many_replies_at_once_as_the_settings_say():
    options = channel_options(Settings(parallel_replies=64), WallClock())
    assert options.parallel_replies == 64
    assert channel_options(Settings(), WallClock()).parallel_replies == 16


def test_several_workers_need_one_secret_of_the_webhook():
    shared = {
        "webhook_url": "https://bot.example.org/hook",
        "database_url": "postgresql://localhost/mordecai",
    }
    with pytest.raises(OperatorError, match=r"webhook_secret.*MORDECAI_WEBHOOK_SECRET"):
        channel_options(Settings.model_validate(shared), WallClock())
    options = channel_options(
        Settings.model_validate(shared | {"webhook_secret": "x"}), WallClock()
    )
    assert options.webhook
    assert options.webhook.secret == "x"


def test_a_setting_reaches_the_field_of_its_name():
    written = {
        "memory_retrieval_top_k": 7,
        "conversation_window_size": 14,
        "max_conversation_messages": 44,
        "session_idle_minutes": 90,
        "profile_facts": 3,
        "profile_summary_tokens": 150,
        "max_archived_turns": 99,
        "time_zone": "Europe/Rome",
        "model_timeout_seconds": 12,
        "cost_per_day": 0.1,
    }
    settings = Settings.model_validate(written)
    memory = memory_options(settings)
    assert memory.memory_retrieval_top_k == 7
    assert memory.limits.conversation_window_size == 14
    assert memory.limits.max_conversation_messages == 44
    assert memory.limits.session_idle == timedelta(minutes=90)
    assert (memory.budget.profile_facts, memory.budget.profile_summary_tokens) == (3, 150)
    assert memory.retention.max_archived_turns == 99
    assert str(memory.time_zone) == "Europe/Rome"
    assert turn_limits(settings).model_timeout_seconds == 12
    assert quota_limits(settings).cost_per_day == Decimal("0.1")


@pytest.mark.parametrize(
    "kind",
    [MemoryOptions, SessionLimits, RecallBudget, Retention, TurnLimits, QuotaLimits, Persona],
)
def test_every_option_is_a_setting_or_is_made_from_one(kind: type):
    made = {"limits", "budget", "retention", "session_idle", "background_seconds"}
    named = {field.name for field in fields(kind)}
    assert named - made <= set(Settings.model_fields)
