"""What the settings say reaches the parts of the bot."""

import pytest

from bot.options import channel_options, terminal_options
from bot.settings import Settings
from bot.telegram.delivery.preview import Streaming


@pytest.mark.parametrize("streaming", ["edit", "draft", "off"])
def test_replies_are_shown_on_telegram_as_the_settings_say(streaming: str):
    settings = Settings.model_validate({"streaming": streaming})
    assert channel_options(settings).streaming is Streaming(streaming)


@pytest.mark.parametrize(
    ("streaming", "interactive", "shown"),
    [
        ("edit", True, Streaming.EDIT),
        ("draft", True, Streaming.EDIT),
        ("off", True, Streaming.OFF),
        ("edit", False, Streaming.OFF),
    ],
)
def test_a_terminal_shows_growing_replies_to_a_person_alone(
    streaming: str, interactive: bool, shown: Streaming
):
    settings = Settings.model_validate({"streaming": streaming})
    assert terminal_options(settings, interactive=interactive).streaming is shown
