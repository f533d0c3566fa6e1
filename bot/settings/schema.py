"""What the operator decides: every key, its meaning, its limits and its default."""

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
    ArnModel,
    BotToken,
    CommaSeparated,
    DatabaseAddress,
    Days,
    EmbedderName,
    GuardrailId,
    GuardrailVersion,
    MemoryBackend,
    MemoryName,
    ModelName,
    Name,
    Port,
    Ratio,
    Seconds,
    Text,
    TokenBudget,
    TranscriberName,
    UserIds,
    WebhookAddress,
    WebhookSecret,
    ZoneName,
)

PREFIX = "MORDECAI_"


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
    """The bot's token from @BotFather. Without it, `mordecai run` chats in the terminal. A secret:
    environment or `.env` only; `MORDECAI_TELEGRAM_BOT_TOKEN` works too"""
    telegram_base_url: Address | None = None
    """The root of another Bot API server, without `/bot`; null = Telegram's own"""
    webhook_url: WebhookAddress | None = None
    """The address Telegram calls, such as `https://bot.example.org/telegram`; null = polling, which
    needs no address. See `docs/telegram.md`"""
    webhook_listen: Name = "127.0.0.1"
    """The address the webhook listens on; by default this machine only, for a proxy in front"""
    webhook_port: Port = 8443
    """The port the webhook listens on; `webhook_url` keeps the path"""
    webhook_secret: WebhookSecret | None = None
    """The secret Telegram sends with each update, 1 to 256 of `A-Z a-z 0-9 _ -`; null = a new one
    at each start, which several workers can't share. A secret: environment or `.env` only"""
    webhook_certificate: Path | None = None
    """Your own self-signed certificate (PEM), which is given to Telegram to recognize the bot; null
    = a proxy in front has one from a public authority"""
    webhook_key: Path | None = None
    """The certificate's key; with it the bot speaks TLS itself, without a proxy"""

    access: Literal["pairing", "allowlist", "open"] = "pairing"
    """Who may use the bot: `pairing` (the first person to send the code from the log becomes the
    owner), `allowlist` (only `allowed_users` and `owners`) or `open` (everyone)"""
    allowed_users: UserIds = ()
    """Numeric Telegram ids of people who may use the bot, also with `pairing`; comma-separated in
    the environment"""

    owners: UserIds = ()
    """Numeric Telegram ids of people who may approve others and see statistics, in addition to
    whoever paired the bot; comma-separated in the environment"""
    leave_strangers_groups: bool = True
    """Leave a group when the bot was added by someone who may not use it"""
    messages_per_minute: Annotated[int, Field(ge=1, le=1000)] | None = 30
    """Maximum messages per person per minute; null = unlimited. This limit and the next two do not
    apply to owners"""
    tokens_per_day: Annotated[int, Field(ge=1)] | None = None
    """Maximum tokens, read and written, per person per day (UTC); null = unlimited"""
    cost_per_day: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """Maximum cost per person per day (UTC), in US dollars; null = unlimited"""

    model: ModelName | None = None
    """The language model as `vendor:model`, such as
    `bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0` or `openai:gpt-4.1-mini`; null or
    `offline` = the notebook, which needs no model"""
    fallback_models: Annotated[tuple[ModelName, ...], *CommaSeparated, Field(max_length=5)] = ()
    """Models that answer, in this order, while `model` is down, throttled or too slow;
    comma-separated in the environment. `model_base_url` and `model_api_key` apply to those of the
    same vendor as `model`; other vendors' keys come from their own environment variables"""
    model_base_url: Address | None = None
    """The address of an OpenAI-compatible server (Ollama, llama.cpp, vLLM, OpenRouter)"""
    model_api_key: SecretStr | None = None
    """The model's API key, if its vendor or server needs one. A secret: environment or `.env`
    only"""
    model_timeout_seconds: Seconds = 60
    """Maximum silence while the model answers; its first word, and that after a tool, may take
    twice as long. A growing answer is not cut off"""
    turn_timeout_seconds: Seconds = 600
    """Maximum time the model may take for one message, including its tools"""
    model_max_output_tokens: Annotated[int, Field(ge=16, le=200_000)] = 1024
    """Maximum length of a reply, in tokens"""
    model_max_tool_rounds: Annotated[int, Field(ge=1, le=20)] = 4
    """Maximum rounds of tool calls per turn"""

    model_sees: Annotated[tuple[Literal["images", "pdf"], ...] | None, *CommaSeparated] = None
    """What `model` can read besides text: `images`, `pdf`; comma-separated in the environment, `[]`
    = nothing. null = what is known about a vendor's model, nothing for your own server. Also
    applies to fallback models of the same vendor"""
    bedrock_cache: Literal["5m", "1h", "off"] = "5m"
    """Bedrock: how long a prompt stays cached. `1h` costs more to write and suits people who take
    longer than five minutes to answer; `off` is for models without a cache"""
    bedrock_guardrail_id: GuardrailId | None = None
    """Bedrock: the id or ARN of a guardrail for all requests. What it blocks is never learned"""
    bedrock_guardrail_version: GuardrailVersion | None = None
    """Bedrock: the guardrail's version, a number or `DRAFT`"""
    bedrock_arn_models: Annotated[tuple[ArnModel, ...], *CommaSeparated] = ()
    """Bedrock: the models behind application inference profiles and provisioned throughput, each as
    `arn=model id`; comma-separated in the environment. Needed if the bot may not ask AWS"""
    document_tokens: TokenBudget = 4000
    """Maximum tokens (estimated) of attached text documents given to the model; the rest is cut,
    and the model is told"""
    transcriber: TranscriberName | None = None
    """The model that transcribes voice messages, such as `openai:whisper-1`: any server with
    OpenAI's `/audio/transcriptions`; null = none, and the bot asks for text"""
    transcriber_base_url: Address | None = None
    """The transcriber's address; null = `model_base_url` if `model` is from the same vendor"""
    transcriber_api_key: SecretStr | None = None
    """The transcriber's API key; null = `model_api_key` if `model` is from the same vendor. A
    secret: environment or `.env` only"""
    transcriber_minute_cost: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """Cost of a minute of recording in US dollars, for `/usage` and `cost_per_day`; null = the
    vendor's public price, unknown for your own server"""

    identity: Text = IDENTITY
    """Who the assistant is. This and the next four settings make up the static system prompt, which
    is the same for everyone"""
    personality: Text = PERSONALITY
    """How the assistant speaks"""
    knowledge: Text = KNOWLEDGE
    """What the assistant may rely on"""
    goals: Text = GOALS
    """What the assistant is for"""
    guidelines: Text = GUIDELINES
    """The rules the assistant follows"""

    conversation_window_size: Annotated[int, Field(ge=2, le=200)] = 20
    """Maximum recent messages that go to the model word for word"""
    window_tokens: Annotated[int, Field(ge=500, le=1_000_000)] = 5000
    """Maximum tokens (estimated) of these messages; the lower of the two limits applies. A single
    turn gets at most its share, this divided by `summary_turn_count`: about 2,300 characters of
    English"""
    message_char_limit: Annotated[int, Field(ge=200, le=1_000_000)] = 3000
    """Past messages longer than this, in characters, go to the model with their middle left out"""
    summary_turn_count: Annotated[int, Field(ge=1, le=50)] = 6
    """Number of turns that leave the window together when it is full, to be summarized. Letting
    turns leave one by one would change the start of every request and defeat prompt caching"""
    max_summaries: Annotated[int, Field(ge=1, le=20)] = 3
    """Maximum running summaries of turns that have left the window; beyond this, the two oldest are
    merged"""
    summary_tokens: Annotated[int, Field(ge=50, le=4000)] = 200
    """Maximum tokens (estimated) of each running summary"""
    adaptive_window: bool = False
    """Send only the newest turns with a message that does not refer back (unlike "go on" or "as
    before"). Requests get shorter, but prompt caching helps less"""
    max_conversation_messages: Annotated[int, Field(ge=2, le=10_000)] = 30
    """Maximum messages in a session, including the bot's; then it ends and is saved"""
    session_idle_minutes: Annotated[int, Field(ge=1, le=525_600)] = 360
    """Minutes of silence after which a session ends and is saved"""

    greeting: bool = True
    """Greet people the bot knows with a sentence about their last conversation: at `/start`, at
    `/new`, and when they return after a silence that ended it"""

    memory_enabled: bool = True
    """Keep long-term memory. Without it, the bot knows only the messages in the window"""
    memory_notices: Literal["line", "reaction", "off"] = "line"
    """What shows that something was noted or changed during a conversation: a `line` under the
    reply, a `reaction` to the person's message (✍), or nothing (`off`). Whatever it says, a
    correction comes with a button that undoes it"""
    memory_backend: MemoryBackend = "embedded"
    """Where memories are stored: in files in `data_dir` or the PostgreSQL server of `database_url`
    (`embedded`), or in AWS Bedrock AgentCore Memory (`agentcore`)"""
    memory_id: Name | None = None
    """AgentCore: the id of the memory to use; null = find one named `memory_name`, or create it"""
    memory_name: MemoryName = "MordecaiMemory"
    """AgentCore: the name of the memory"""
    memory_description: Annotated[str, Field(max_length=4096)] = (
        "Mordecai multi-user memory with strategies"
    )
    """AgentCore: the memory's description, set when it is created"""
    agentcore_event_days: Annotated[int, Field(ge=7, le=365)] = 90
    """AgentCore: days until AWS deletes messages, set when the memory is created"""
    agentcore_extraction: Literal["aws", "mordecai"] = "aws"
    """AgentCore: who learns from conversations: AWS's strategies (`aws`), or the bot itself as with
    SQLite (`mordecai`), with evidence, review and a list at `/new`. See `docs/aws.md` for what
    each costs. `mordecai` needs a `model`. May be changed at any time"""
    memory_retrieval_top_k: Annotated[int, Field(ge=1, le=100)] = 10
    """Maximum memories recalled per message"""
    memory_retrieval_relevance_score: Ratio = 0.2
    """Minimum relevance of a recalled memory, from 0 to 1"""
    memory_recall_timeout_seconds: Seconds = 1.5
    """Maximum time for recall; if it takes longer, the model answers without it"""
    recalled_tokens: TokenBudget = 2000
    """Maximum tokens of recalled memories per message. This and the next limits use a cautious
    estimate that learns from the model's own counts"""
    profile_summaries: Annotated[int, Field(ge=0, le=20)] = 3
    """Maximum summaries of past conversations given to the model at the start of a new one"""
    profile_summary_tokens: TokenBudget = 200
    """Maximum tokens of each of these summaries; longer ones are cut at a word"""
    profile_facts: Annotated[int, Field(ge=0, le=100)] = 5
    """Maximum facts given to the model in every conversation: the most important first, then the
    newest"""
    profile_fact_tokens: TokenBudget = 100
    """Maximum tokens of these facts together"""
    profile_preferences: Annotated[int, Field(ge=0, le=100)] = 20
    """Maximum preferences given to the model in every conversation, the newest first"""
    profile_preference_tokens: TokenBudget = 200
    """Maximum tokens of these preferences together"""
    profile_topics: Annotated[int, Field(ge=0, le=100)] = 10
    """Maximum topics of past conversations given to the model at the start of a new one"""
    profile_topic_tokens: TokenBudget = 50
    """Maximum tokens of these topics together"""
    time_zone: ZoneName | None = None
    """The time zone for "today" and "yesterday" until someone chooses one with /timezone, such as
    `Europe/Rome`; null = UTC"""
    relevance_decay: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 0.9
    """How much a memory's relevance shrinks with age; 1 = not at all"""
    embedder: EmbedderName | None = None
    """SQLite: search by meaning in addition to words. `fastembed` = a multilingual model on this
    machine, `fastembed:…` = another one by name or path (both need the extra `embed`:
    `pip install 'mordecai-assistant[embed]'`); `bedrock:amazon.titan-embed-text-v2:0`,
    `openai:text-embedding-3-small` and the like = a provider (needs the extra `vectors`); null =
    words only"""
    embedder_base_url: Address | None = None
    """The address of an OpenAI-compatible server for embeddings; null = `model_base_url` if `model`
    is from the same vendor"""
    embedder_api_key: SecretStr | None = None
    """The embedder's API key; null = `model_api_key` if `model` is from the same vendor. A secret:
    environment or `.env` only"""
    extraction_timeout_seconds: Seconds = 30
    """Maximum time for each answer of the model when a session is saved; an attempt in which one
    takes longer is retried later"""
    extraction_review: bool = True
    """Whether the model checks what it proposes to remember, in a call of its own for each session:
    is it what the person said, of whom, meant seriously, on the right day. `/usage` shows what it
    costs"""
    max_records_per_session: Annotated[int, Field(ge=1, le=1000)] = 30
    """Maximum facts and preferences kept from one session, the most important first"""
    extraction_attempts: Annotated[int, Field(ge=1, le=100)] = 12
    """Maximum attempts to save a session, with growing pauses; then it is quarantined. Twelve
    attempts take 14 hours: an overnight outage of the model loses no session, and a session no
    model can read costs a dozen calls. Nothing is lost: `mordecai maintain --retry` tries again"""

    fact_days: Days | None = None
    """Days until facts are deleted, counted from when they were said; null = never. All these
    limits are applied once a day, or at once by `mordecai maintain`"""
    preference_days: Days | None = None
    """Days until preferences are deleted; null = never. The assistant's name, the language and the
    time zone always stay"""
    summary_days: Days | None = 730
    """Days until summaries of conversations are deleted; null = never. Their lasting content is
    also kept as facts"""
    message_days: Days | None = 730
    """Days until messages are deleted; null = never. On AWS: see `agentcore_event_days`"""
    superseded_days: Days | None = 365
    """Days until a memory replaced by a newer one is deleted, twice as many from importance 8; null
    = never"""
    max_records: Annotated[int, Field(ge=100)] | None = 5000
    """Maximum facts, preferences and summaries kept per person; beyond this, replaced ones are
    deleted first, then the least important, then the oldest; null = unlimited"""
    max_archived_turns: Annotated[int, Field(ge=10)] | None = 10_000
    """Maximum turns kept word for word per person, the newest; null = unlimited"""
    copies: Annotated[int, Field(ge=0, le=30)] = 3
    """Copies kept of each person's file and of the journal, made daily if they have changed, for
    `mordecai restore`; 0 = none"""

    aws_region: Name | None = None
    """AWS: the region; null = from the AWS configuration"""
    aws_profile: Name | None = None
    """AWS: the profile; null = from the AWS configuration"""
    aws_endpoint_url: Address | None = None
    """AWS: another endpoint for all services, for tests"""
    aws_threads: Annotated[int, Field(ge=4, le=256)] = 32
    """AWS: maximum simultaneous calls to the memory; use 64 for a hundred simultaneous users"""

    streaming: Literal["edit", "draft", "off"] = "edit"
    """How a reply appears while it is being written: `edit` (a growing message), `draft`
    (Telegram's drafts in private chats, replaced by the answer; groups get `edit`) or `off`"""
    data_dir: Path = Path("data")
    """The directory for all data; a relative path starts at the folder of config.json, or at the
    working directory if there is none"""
    database_url: DatabaseAddress | None = None
    """A PostgreSQL server (14 or newer) that keeps everything instead of files in `data_dir`, as
    `postgresql://user:password@host/database`; any number of workers may share it. Needs the extra
    `postgres`: `pip install 'mordecai-assistant[postgres]'`. A secret: environment or `.env` only;
    null = files"""
    lease_seconds: Annotated[float, Field(ge=1, le=300, allow_inf_nan=False)] = 15
    """PostgreSQL: if a worker is killed, another answers its people within this time"""
    stale_minutes: Annotated[int, Field(ge=1, le=525_600)] = 60
    """Messages that waited longer than this while the bot was down are not answered"""
    parallel_replies: Annotated[int, Field(ge=1, le=500)] = 16
    """Maximum replies written at once, over all chats of a worker; further ones wait. A model on
    your own machine may want fewer; thousands of people want more, see `docs/scaling.md`"""
    stop_seconds: Seconds = 25
    """Time for replies in progress to finish when the bot is stopped; unfinished ones are answered
    after the next start"""
    health_port: Port | None = None
    """The port of `/healthz`, `/readyz` and `/metrics`; null = none"""
    health_listen: Name = "127.0.0.1"
    """The address that `health_port` listens on"""
    otel_endpoint: Address | None = None
    """Where to send OpenTelemetry spans of what models do, by OTLP over HTTP, such as
    `http://127.0.0.1:4318` (needs the extra `otel`: `pip install 'mordecai-assistant[otel]'`); null
    = nowhere. `MORDECAI_OTEL_ENDPOINT` works too; OpenTelemetry's own variables set
    headers and the rest"""
    otel_content: bool = False
    """Send the texts as well: what people wrote, what was recalled, what the model answered"""
    threads: Annotated[int, Field(ge=1, le=256)] = 4
    """Maximum simultaneous operations on people's memories"""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The lowest level that is logged"""
    log_format: Literal["auto", "console", "json"] = "auto"
    """The format of the log; `auto` = console on a terminal, JSON elsewhere"""

    @model_validator(mode="after")
    def _require_allowed_users(self) -> Self:
        if self.access == "allowlist" and not (self.allowed_users or self.owners):
            raise ValueError(
                "access = allowlist with no allowed_users lets nobody in: "
                'list the numeric ids in allowed_users, or set access to "pairing"'
            )
        return self

    @model_validator(mode="after")
    def _require_certificate(self) -> Self:
        if self.webhook_key and not self.webhook_certificate:
            raise ValueError("webhook_key without its certificate: set webhook_certificate as well")
        return self

    @model_validator(mode="after")
    def _require_whole_guardrail(self) -> Self:
        if bool(self.bedrock_guardrail_id) != bool(self.bedrock_guardrail_version):
            raise ValueError("set bedrock_guardrail_id and bedrock_guardrail_version, or neither")
        return self

    @model_validator(mode="after")
    def _require_model_for_fallbacks(self) -> Self:
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
