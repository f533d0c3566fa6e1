"""What the operator decides: every key, its meaning, its limits and its default."""

import json
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from bot.settings.persona import GOALS, GUIDELINES, IDENTITY, KNOWLEDGE, PERSONALITY
from bot.settings.values import (
    Address,
    BotToken,
    Budget,
    CommaSeparated,
    Days,
    EmbedderName,
    MemoryName,
    ModelName,
    Name,
    Port,
    Ratio,
    Seconds,
    Text,
    TranscriberName,
    UserIds,
    WebhookAddress,
    WebhookSecret,
    ZoneName,
)

PREFIX = "MORDECAI_"
#: The name that every Telegram bot's token has; ours with the prefix does as well.
PLAIN_TOKEN_VARIABLE = "TELEGRAM_BOT_TOKEN"  # noqa: S105 - the name of a variable, not a secret
MASK = "********"


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

    telegram_bot_token: BotToken | None = None
    """The bot's token from @BotFather. Without it `mordecai run` chats in the terminal. A secret:
    environment or `.env` only; `MORDECAI_TELEGRAM_BOT_TOKEN` does as well"""
    telegram_base_url: Address | None = None
    """The root of another Bot API server, without `/bot`; null is Telegram's own"""
    webhook_url: WebhookAddress | None = None
    """Where Telegram is to call, such as `https://bot.example.org/telegram`; null is polling, which
    needs no address. `docs/telegram.md` shows how"""
    webhook_listen: Name = "127.0.0.1"
    """The address that the webhook listens on: this machine's own, for a proxy in front"""
    webhook_port: Port = 8443
    """The port that the webhook listens on; `webhook_url` keeps the path"""
    webhook_secret: WebhookSecret | None = None
    """What Telegram proves itself with, 1 to 256 of `A-Z a-z 0-9 _ -`; null makes one up at every
    start. A secret: environment or `.env` only"""
    webhook_certificate: Path | None = None
    """A certificate of your own (PEM, signed by itself), which Telegram is given to know the bot
    by; null is one of a public authority, at the proxy"""
    webhook_key: Path | None = None
    """Its key: with it the bot speaks TLS itself, without a proxy"""

    access: Literal["pairing", "allowlist", "open"] = "pairing"
    """Who may use the bot: `pairing` (whoever sends the code from the log first becomes its owner),
    `allowlist` (`allowed_users` and `owners` only) or `open` (everybody)"""
    allowed_users: UserIds = ()
    """Numeric Telegram ids that may use the bot, with `pairing` too; separated by commas in the
    environment"""

    owners: UserIds = ()
    """Numeric Telegram ids of those who may approve others and see how the bot does, besides
    whoever paired it; separated by commas in the environment"""
    leave_strangers_groups: bool = True
    """Whether the bot leaves a group again when somebody added it who may not use it"""
    messages_per_minute: Annotated[int, Field(ge=1, le=1000)] | None = 30
    """How many messages of one person are answered in a minute; null is any number. This and the
    next two are not for owners"""
    tokens_per_day: Annotated[int, Field(ge=1)] | None = None
    """How many tokens, read and written, one person may use from midnight UTC to midnight; null is
    any number"""
    cost_per_day: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """How many US dollars one person may cost from midnight UTC to midnight; null is any number"""

    model: ModelName | None = None
    """The language model as `vendor:model`, such as
    `bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0` or `openai:gpt-4.1-mini`; null or
    `offline` is the built-in engine that needs none"""
    fallback_models: Annotated[tuple[ModelName, ...], *CommaSeparated, Field(max_length=5)] = ()
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

    model_sees: Annotated[tuple[Literal["images", "pdf"], ...] | None, *CommaSeparated] = None
    """What `model` can look at besides text: `images`, `pdf`, separated by commas in the
    environment, where `[]` is nothing. null is what is known of a vendor's model, and nothing for a
    server of one's own. It goes for fallback models of the same vendor too"""
    document_tokens: Budget = 4000
    """How much of the text documents that come with a message goes to the model, in tokens, by an
    estimate; the rest is left out, and the model told so"""
    transcriber: TranscriberName | None = None
    """What writes voice messages down, such as `openai:whisper-1`: any server with OpenAI's
    `/audio/transcriptions`; null is nothing, and the bot asks for text"""
    transcriber_base_url: Address | None = None
    """Where that server listens; null is `model_base_url` if `model` is of the same vendor"""
    transcriber_api_key: SecretStr | None = None
    """The key for it; null is `model_api_key` if `model` is of the same vendor. A secret:
    environment or `.env` only"""
    transcriber_minute_cost: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """How many US dollars a minute of recordings costs, for `/usage` and `cost_per_day`; null is
    the vendor's public price, and for a server of one's own an unknown one"""

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
    window_tokens: Annotated[int, Field(ge=500, le=1_000_000)] = 5000
    """How many tokens they may take, by an estimate; whichever is less counts. No past turn takes
    more than its share, this divided by `summary_turn_count`: some 2,300 characters of an English
    answer"""
    message_char_limit: Annotated[int, Field(ge=200, le=1_000_000)] = 3000
    """A past message longer than this goes to the model without its middle. Characters"""
    summary_turn_count: Annotated[int, Field(ge=1, le=50)] = 6
    """How many turns leave the window at once when it is full, to be summed up together. When they
    leave one by one, the beginning of every request is new, and no prompt cache can serve it"""
    max_summaries: Annotated[int, Field(ge=1, le=20)] = 3
    """How many running summaries stand for what has left the window of a conversation; when one
    more comes, the two oldest become one"""
    summary_tokens: Annotated[int, Field(ge=50, le=4000)] = 200
    """How long each of them may be, in tokens, by an estimate"""
    adaptive_window: bool = False
    """Whether a message that does not point back ("go on", "as before") goes to the model with the
    newest turns alone. Shorter requests, of which a prompt cache can serve less"""
    max_conversation_messages: Annotated[int, Field(ge=2, le=10_000)] = 30
    """After this many messages, the bot's own among them, a session ends and is saved"""
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
    recalled_tokens: Budget = 2000
    """At most so many tokens of memories are put before the model for one message. This and the
    next ones are counted by an estimate on the high side, which learns from the model's counts"""
    profile_summaries: Annotated[int, Field(ge=0, le=20)] = 3
    """Of how many ended conversations every new one begins with the summary"""
    profile_summary_tokens: Budget = 200
    """How long each of these summaries may be, in tokens; longer ones are cut at a word"""
    profile_facts: Annotated[int, Field(ge=0, le=100)] = 5
    """How many key facts every conversation begins with: the most important, then the newest"""
    profile_fact_tokens: Budget = 100
    """How many tokens they may take together"""
    profile_preferences: Annotated[int, Field(ge=0, le=100)] = 20
    """How many preferences every conversation begins with, the newest"""
    profile_preference_tokens: Budget = 200
    """How many tokens they may take together"""
    profile_topics: Annotated[int, Field(ge=0, le=100)] = 10
    """How many topics of the last conversations every new one begins with"""
    profile_topic_tokens: Budget = 50
    """How many tokens they may take together"""
    time_zone: ZoneName | None = None
    """The time zone in which "today" and "yesterday" are told to people who have chosen none with
    /timezone, such as `Europe/Rome`; null is UTC"""
    relevance_decay: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 0.9
    """By how much a memory's relevance shrinks with age; 1 is not at all"""
    embedder: EmbedderName | None = None
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
    max_records_per_session: Annotated[int, Field(ge=1, le=1000)] = 30
    """At most so many facts and preferences are kept of one session, the weightiest"""
    extraction_attempts: Annotated[int, Field(ge=1, le=100)] = 12
    """How often it is tried, with longer and longer pauses, before a session is set aside. Twelve
    tries take 14 hours: a model that is down for a night costs no session, and a session that no
    model can read costs a dozen calls. Nothing is lost: `mordecai maintain --retry` tries again"""

    fact_days: Days | None = None
    """Facts are forgotten so many days after they were said; null is never. All these limits are
    looked after once a day, or at once by `mordecai maintain`"""
    preference_days: Days | None = None
    """The same for preferences. The assistant's name, the language and the time zone always stay"""
    summary_days: Days | None = 730
    """The same for the summaries of conversations: what lasts of them is kept as facts"""
    message_days: Days | None = 730
    """The same for what was said word for word. On AWS the memory's own event expiry counts
    instead"""
    superseded_days: Days | None = 365
    """What something newer has replaced goes so many days after; twice as many from importance 8
    on; null keeps it for ever"""
    max_records: Annotated[int, Field(ge=100)] | None = 5000
    """At most so many facts, preferences and summaries of one person are kept: first what was
    replaced goes, then the least important, then the oldest; null is any number"""
    max_archived_turns: Annotated[int, Field(ge=10)] | None = 10_000
    """At most so many turns of one person are kept word for word, the newest; null is any number"""

    aws_region: Name | None = None
    """AWS: the region; null leaves it to the AWS configuration"""
    aws_profile: Name | None = None
    """AWS: the profile; null leaves it to the AWS configuration"""
    aws_endpoint_url: Address | None = None
    """AWS: another endpoint for all its services, for tests"""

    aws_threads: Annotated[int, Field(ge=4, le=256)] = 32
    """AWS: how many calls to the memory run at once, and over how many connections; 64 for a
    hundred people at once"""

    streaming: Literal["edit", "draft", "off"] = "edit"
    """How a reply is shown while it is written: `edit` (a message that grows), `draft` (Telegram's
    drafts in private chats, which vanish when the answer comes; groups have `edit`) or `off`"""
    data_dir: Path = Path("data")
    """Where everything is kept; a relative path starts at the folder of config.json, or at the
    working directory if there is no such file"""
    stale_minutes: Annotated[int, Field(ge=1, le=525_600)] = 60
    """Messages that waited longer than this while the bot was down are not answered"""
    stop_seconds: Seconds = 25
    """How long replies under way get to finish when the bot is told to stop; what is not done by
    then is answered after the next start"""
    health_port: Port | None = None
    """The port of `/healthz` and `/readyz`; null is none"""
    health_listen: Name = "127.0.0.1"
    """The address that they are served on"""
    threads: Annotated[int, Field(ge=1, le=256)] = 8
    """How many blocking calls to files run at once"""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """How much is logged"""
    log_format: Literal["auto", "console", "json"] = "auto"
    """How it is logged; `auto` is console on a terminal and JSON elsewhere"""

    @model_validator(mode="after")
    def _somebody_may_come_in(self) -> Self:
        if self.access == "allowlist" and not (self.allowed_users or self.owners):
            raise ValueError(
                "access = allowlist with no allowed_users lets nobody in: "
                'list the numeric ids in allowed_users, or set access to "pairing"'
            )
        return self

    @model_validator(mode="after")
    def _a_key_has_its_certificate(self) -> Self:
        if self.webhook_key and not self.webhook_certificate:
            raise ValueError("webhook_key without its certificate: set webhook_certificate as well")
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


SECRETS = (
    "telegram_bot_token",
    "webhook_secret",
    "model_api_key",
    "embedder_api_key",
    "transcriber_api_key",
)


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
