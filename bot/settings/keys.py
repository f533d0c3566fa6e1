"""The keys of the settings as people read them: their variables, defaults and meanings."""

import json

from bot.settings.schema import PREFIX, Settings

#: Names that others use for the same; ours with the prefix do as well.
PLAIN_VARIABLES = {
    "telegram_bot_token": "TELEGRAM_BOT_TOKEN",
    "otel_endpoint": "OTEL_EXPORTER_OTLP_ENDPOINT",
}
MASK = "********"

SECRETS = (
    "telegram_bot_token",
    "webhook_secret",
    "model_api_key",
    "embedder_api_key",
    "transcriber_api_key",
    "database_url",
)


def variable_of(key: str) -> str:
    """The environment variable of a key."""
    return PLAIN_VARIABLES.get(key) or f"{PREFIX}{key.upper()}"


def default_of(key: str) -> str:
    """The default of a key as people read it; long texts are only named."""
    shown = as_json(Settings.model_fields[key].default)
    return shown if len(shown) <= 60 else "a built-in text"


def as_json(value: object) -> str:
    """A value as it would stand in config.json."""
    return json.dumps(value, ensure_ascii=False, default=str)


def settings_table() -> str:
    """The table of all settings in Markdown, as docs/settings.md has it."""
    rows = ["| key | environment variable | default | meaning |", "|---|---|---|---|"]
    for key, info in Settings.model_fields.items():
        meaning = " ".join((info.description or "").split())
        default = default_of(key)
        cell = default if default.startswith("a ") else f"`{default}`"
        rows.append(f"| `{key}` | `{variable_of(key)}` | {cell} | {meaning} |")
    return "\n".join(rows)
