"""What the settings want of AWS."""

import pytest

from bot.operations.aws import wanted_memory
from bot.settings import Settings


@pytest.mark.parametrize("days", [7, 365])
def test_the_memory_is_made_to_keep_messages_for_as_many_days_as_the_settings_say(days: int):
    assert wanted_memory(Settings(agentcore_event_days=days)).event_expiry_days == days


@pytest.mark.parametrize("days", [6, 366])
def test_days_that_aws_does_not_take_are_refused(days: int):
    with pytest.raises(ValueError, match="agentcore_event_days"):
        Settings(agentcore_event_days=days)
