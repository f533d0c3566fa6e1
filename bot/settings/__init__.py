"""What the operator decides. The only reader of config.json, `.env` and the environment."""

from bot.settings.keys import settings_table, variable_of
from bot.settings.schema import Settings
from bot.settings.sources import (
    Loaded,
    SettingsError,
    in_force,
    load,
    share_env_file,
)

__all__ = [
    "Loaded",
    "Settings",
    "SettingsError",
    "in_force",
    "load",
    "settings_table",
    "share_env_file",
    "variable_of",
]
