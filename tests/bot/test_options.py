"""What the settings say reaches the parts of the bot."""

import pytest

from bot.options import channel_options
from bot.people.personal import Streaming
from bot.settings import Settings


@pytest.mark.parametrize("streaming", ["edit", "draft", "off"])
def test_replies_are_shown_on_telegram_as_the_settings_say(streaming: str):
    settings = Settings.model_validate({"streaming": streaming})
    assert channel_options(settings).streaming is Streaming(streaming)
