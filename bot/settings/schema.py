"""What the operator decides: every key, its meaning, its limits and its default."""

import json
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, model_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from bot.settings.persona import GOALS, GUIDELINES, IDENTITY, KNOWLEDGE, PERSONALITY

PREFIX = "MORDECAI_"
#: The name that every Telegram bot's token has; ours with the prefix does as well.
PLAIN_TOKEN_VARIABLE = "TELEGRAM_BOT_TOKEN"  # noqa: S105 - the name of a variable, not a secret
MASK = "********"


def _comma_separated(value: object) -> object:
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = json.loads(value)
    elif isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    return tuple(value) if isinstance(value, list) else value


def _web_address(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("expected an address such as http://127.0.0.1:11434/v1")
    return value.rstrip("/")


def _bot_token(value: SecretStr) -> SecretStr:
    number, _, rest = value.get_secret_value().strip().partition(":")
    if not number.isascii() or not number.isdigit() or not rest or set(rest) & set(" \t/"):
        raise ValueError("expected a token as @BotFather gives it, such as 123456:ABC-DEF…")
    return SecretStr(f"{number}:{rest}")


def _model_name(value: str) -> str:
    vendor, _, name = value.partition(":")
    if value != "offline" and not (vendor and name):
        raise ValueError('expected vendor:model, such as openai:gpt-4.1-mini, or "offline"')
    return value


def _embedder_name(value: str) -> str:
    vendor, _, name = value.partition(":")
    if value != "fastembed" and not (vendor and name):
        raise ValueError(
            'expected "fastembed", fastembed:model, or vendor:model such as '
            "openai:text-embedding-3-small"
        )
    return value


Address = Annotated[str, AfterValidator(_web_address)]
Text = Annotated[str, Field(min_length=1, max_length=20_000)]
Seconds = Annotated[float, Field(gt=0, le=3600, allow_inf_nan=False)]
Ratio = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Name = Annotated[str, Field(min_length=1, max_length=300)]
ModelName = Annotated[Name, AfterValidator(_model_name)]
UserId = Annotated[int, Field(ge=1, lt=2**52)]  # Telegram: "at most 52 significant bits"
#: What AgentCore takes as the name of a memory.
MemoryName = Annotated[str, Field(pattern=r"^[a-zA-Z][a-zA-Z0-9_]{0,47}$")]


class Settings(BaseSettings):
    """The settings in force: a frozen value. Built from its arguments alone; `load` is what reads
    files and the environment."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_ignore_empty=True,
        env_parse_none_str="null",
        extra="forbid",
        frozen=True,
        protected_namespaces=(),
        use_attribute_docstrings=True,
    )

    telegram_bot_token: Annotated[SecretStr, AfterValidator(_bot_token)] | None = None
    """The bot's token from @BotFather. Without it `mordecai run` chats in the terminal. A secret:
    environment or `.env` only; `MORDECAI_TELEGRAM_BOT_TOKEN` does as well"""
    telegram_base_url: Address | None = None
    """The root of another Bot API server, without `/bot`; null is Telegram's own"""
    access: Literal["pairing", "allowlist", "open"] = "pairing"
    """Who may use the bot: `pairing` (whoever sends the code from the log first becomes its owner),
    `allowlist` (`allowed_users` only) or `open` (everybody)"""
    allowed_users: Annotated[tuple[UserId, ...], NoDecode, BeforeValidator(_comma_separated)] = ()
    """Numeric Telegram ids that may use the bot, with `pairing` too; separated by commas in the
    environment"""

    model: ModelName | None = None
    """The language model as `vendor:model`, such as
    `bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0` or `openai:gpt-4.1-mini`; null or
    `offline` is the built-in engine that needs none"""
    fallback_models: Annotated[
        tuple[ModelName, ...], NoDecode, BeforeValidator(_comma_separated), Field(max_length=5)
    ] = ()
    """Models that answer, in this order, while `model` is down, throttled or too slow; separated by
    commas in the environment. `model_base_url` and `model_api_key` are for those of the same vendor
    as `model`; other vendors' keys come from their own environment variables"""
    model_base_url: Address | None = None
    """Where an OpenAI-compatible server (Ollama, llama.cpp, vLLM, OpenRouter) listens"""
    model_api_key: SecretStr | None = None
    """The key for the model, if its vendor or server wants one. A secret: environment or `.env`
    only"""
    model_timeout_seconds: Seconds = 60
    """How long the model may take for one message, its tools included"""
    model_max_output_tokens: Annotated[int, Field(ge=16, le=200_000)] = 1024
    """The longest reply, in tokens"""
    model_max_tool_rounds: Annotated[int, Field(ge=1, le=20)] = 4
    """How often the model may use tools within one turn"""

    identity: Text = IDENTITY
    """Who the assistant is. This and the next four make the static system prompt, the same for
    everybody"""
    personality: Text = PERSONALITY
    """How it speaks"""
    knowledge: Text = KNOWLEDGE
    """What it may rely on"""
    goals: Text = GOALS
    """What it is for"""
    guidelines: Text = GUIDELINES
    """The rules it keeps to"""

    conversation_window_size: Annotated[int, Field(ge=2, le=200)] = 20
    """How many recent messages go to the model word for word"""
    max_conversation_messages: Annotated[int, Field(ge=2, le=10_000)] = 30
    """After this many messages a session ends and is saved"""
    session_idle_minutes: Annotated[int, Field(ge=1, le=525_600)] = 360
    """After this long a silence a session ends and is saved"""

    greeting: bool = True
    """Whether a new conversation with somebody known takes up the last one in a sentence: at
    `/start`, at `/new`, and after a silence that ended the last one"""

    memory_enabled: bool = True
    """Whether anything outlives the window"""
    memory_backend: Literal["sqlite", "agentcore"] = "sqlite"
    """Where memories live: files in `data_dir`, or AWS Bedrock AgentCore Memory"""
    memory_id: Name | None = None
    """AgentCore: the id of the memory to use; null looks for `memory_name` and creates it"""
    memory_name: MemoryName = "MordecaiMemory"
    """AgentCore: the name of the memory"""
    memory_description: Annotated[str, Field(max_length=4096)] = (
        "Mordecai multi-user memory with strategies"
    )
    """AgentCore: its description, written when it is created"""
    memory_retrieval_top_k: Annotated[int, Field(ge=1, le=100)] = 10
    """At most this many memories are put before the model for one message"""
    memory_retrieval_relevance_score: Ratio = 0.2
    """Memories less relevant than this, from 0 to 1, are left out"""
    memory_recall_timeout_seconds: Seconds = 1.5
    """A recall that takes longer is given up; the answer goes without it"""
    relevance_decay: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 0.9
    """By how much a memory's relevance shrinks with age; 1 is not at all"""
    embedder: Annotated[Name, AfterValidator(_embedder_name)] | None = None
    """SQLite: what lets search go by meaning besides words. `fastembed` is a multilingual model on
    this machine, `fastembed:…` another one by name or path (needs `pip install fastembed`);
    `bedrock:amazon.titan-embed-text-v2:0`, `openai:text-embedding-3-small` and the like ask a
    provider (needs `pip install numpy`); null is words alone"""
    embedder_base_url: Address | None = None
    """Where an OpenAI-compatible server with embeddings listens; null is `model_base_url` if
    `model` is of the same vendor"""
    embedder_api_key: SecretStr | None = None
    """The key for the embedder; null is `model_api_key` if `model` is of the same vendor. A secret:
    environment or `.env` only"""
    extraction_timeout_seconds: Seconds = 30
    """How long saving a session may take; what is not done by then is tried again later"""

    aws_region: Name | None = None
    """AWS: the region; null leaves it to the AWS configuration"""
    aws_profile: Name | None = None
    """AWS: the profile; null leaves it to the AWS configuration"""
    aws_endpoint_url: Address | None = None
    """AWS: another endpoint for all its services, for tests"""

    aws_threads: Annotated[int, Field(ge=4, le=256)] = 32
    """AWS: how many calls to the memory run at once, and over how many connections; 64 for a
    hundred people at once"""

    data_dir: Path = Path("data")
    """Where everything is kept; a relative path starts at the folder of config.json, or at the
    working directory if there is no such file"""
    stale_minutes: Annotated[int, Field(ge=1, le=525_600)] = 60
    """Messages that waited longer than this while the bot was down are not answered"""
    threads: Annotated[int, Field(ge=1, le=256)] = 8
    """How many blocking calls to files run at once"""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """How much is logged"""
    log_format: Literal["auto", "console", "json"] = "auto"
    """How it is logged; `auto` is console on a terminal and JSON elsewhere"""

    @model_validator(mode="after")
    def _somebody_may_come_in(self) -> Self:
        if self.access == "allowlist" and not self.allowed_users:
            raise ValueError(
                "access = allowlist with no allowed_users lets nobody in: "
                'list the numeric ids in allowed_users, or set access to "pairing"'
            )
        return self

    @model_validator(mode="after")
    def _somebody_may_fail(self) -> Self:
        if self.fallback_models and self.model in (None, "offline"):
            raise ValueError(
                "fallback_models without a model that could fail: name the first one in model"
            )
        return self

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        *unused: PydanticBaseSettingsSource,
        **also_unused: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only the arguments: `load` asks the other sources itself, to know who said what."""
        return (init_settings,)


SECRETS = ("telegram_bot_token", "model_api_key", "embedder_api_key")


def variable_of(key: str) -> str:
    """The environment variable of a key."""
    return PLAIN_TOKEN_VARIABLE if key == "telegram_bot_token" else f"{PREFIX}{key.upper()}"


def default_of(key: str) -> str:
    """The default of a key as people read it; long texts are only named."""
    shown = as_json(Settings.model_fields[key].default)
    return shown if len(shown) <= 60 else "a built-in text"


def as_json(value: object) -> str:
    """A value as it would stand in config.json."""
    return json.dumps(value, ensure_ascii=False, default=str)


def settings_table() -> str:
    """The table of all settings in Markdown, as the README has it."""
    rows = ["| key | environment variable | default | meaning |", "|---|---|---|---|"]
    for key, info in Settings.model_fields.items():
        meaning = " ".join((info.description or "").split())
        default = default_of(key)
        cell = default if default.startswith("a ") else f"`{default}`"
        rows.append(f"| `{key}` | `{variable_of(key)}` | {cell} | {meaning} |")
    return "\n".join(rows)
