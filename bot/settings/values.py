"""The kinds of values that settings take: what each must look like, and what is said if not."""

import json
import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_settings import NoDecode

from memory.knowledge.choices import zone_of

#: Bot API, setWebhook: the ports that Telegram calls.
WEBHOOK_PORTS = (443, 80, 88, 8443)


def _split_at_commas(value: object) -> object:
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


def _webhook_address(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme != "https" or not parts.hostname or parts.fragment:
        raise ValueError("expected an address such as https://bot.example.org/telegram")
    if (parts.port or 443) not in WEBHOOK_PORTS:
        raise ValueError("Telegram calls ports 443, 80, 88 and 8443 alone: put a proxy on one")
    return value


def _webhook_secret(value: SecretStr) -> SecretStr:
    if not re.fullmatch("[A-Za-z0-9_-]{1,256}", value.get_secret_value()):
        raise ValueError(
            "expected 1 to 256 of A-Z a-z 0-9 _ -, such as `openssl rand -hex 32` makes"
        )
    return value


def _database_address(value: SecretStr) -> SecretStr:
    # urlsplit() quotes what it can't read, password and all.
    if not value.get_secret_value().startswith(("postgresql://", "postgres://")):
        raise ValueError("expected an address such as postgresql://user:password@host/database")
    return value


def _model_name(value: str) -> str:
    vendor, _, name = value.partition(":")
    if value != "offline" and not (vendor and name):
        raise ValueError('expected vendor:model, such as openai:gpt-4.1-mini, or "offline"')
    return value


def _arn_model(value: str) -> str:
    arn, _, model = value.partition("=")
    if not arn.startswith("arn:") or "." not in model or ":bedrock:" in model:
        raise ValueError(
            "expected arn=model id, such as arn:aws:bedrock:us-east-1:123456789012:"
            "application-inference-profile/abc=anthropic.claude-sonnet-4-5-20250929-v1:0"
        )
    return value


def _embedder_name(value: str) -> str:
    vendor, _, name = value.partition(":")
    if value != "fastembed" and not (vendor and name):
        raise ValueError(
            'expected "fastembed", fastembed:model, or vendor:model such as '
            "openai:text-embedding-3-small"
        )
    return value


def _transcriber_name(value: str) -> str:
    vendor, _, name = value.partition(":")
    if not (vendor and name):
        raise ValueError("expected vendor:model, such as openai:whisper-1")
    return value


def _time_zone(value: str) -> str:
    if zone_of(value) is None:
        raise ValueError("expected a time zone such as Europe/Rome, America/New_York or UTC")
    return value


#: Lists may be written as JSON or with commas between.
CommaSeparated = (NoDecode, BeforeValidator(_split_at_commas))
Address = Annotated[str, AfterValidator(_web_address)]
Port = Annotated[int, Field(ge=1, le=65_535)]
Text = Annotated[str, Field(min_length=1, max_length=20_000)]
Seconds = Annotated[float, Field(gt=0, le=3600, allow_inf_nan=False)]
Days = Annotated[int, Field(ge=1, le=36_500)]
#: Tokens of context that may be spent on one thing.
TokenBudget = Annotated[int, Field(ge=20, le=1_000_000)]
Ratio = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Name = Annotated[str, Field(min_length=1, max_length=300)]
ModelName = Annotated[Name, AfterValidator(_model_name)]
ArnModel = Annotated[Name, AfterValidator(_arn_model)]
#: What Bedrock takes as a guardrail.
GuardrailId = Annotated[
    str,
    Field(
        pattern=r"^([a-z0-9]+|arn:aws(-[^:]+)?:bedrock:[a-z0-9-]{1,20}:\d{12}:guardrail/[a-z0-9]+)$"
    ),
]
GuardrailVersion = Annotated[str, Field(pattern=r"^([1-9][0-9]{0,7}|DRAFT)$")]
UserId = Annotated[int, Field(ge=1, lt=2**52)]  # Telegram: "at most 52 significant bits"
#: What AgentCore takes as the name of a memory.
#: "sqlite" is what "embedded" was called before there was a database server.
MemoryBackend = Annotated[
    Literal["embedded", "agentcore"],
    BeforeValidator(lambda name: "embedded" if name == "sqlite" else name),
]
MemoryName = Annotated[str, Field(pattern=r"^[a-zA-Z][a-zA-Z0-9_]{0,47}$")]
UserIds = Annotated[tuple[UserId, ...], *CommaSeparated]
BotToken = Annotated[SecretStr, AfterValidator(_bot_token)]
WebhookAddress = Annotated[str, AfterValidator(_webhook_address)]
WebhookSecret = Annotated[SecretStr, AfterValidator(_webhook_secret)]
DatabaseAddress = Annotated[SecretStr, AfterValidator(_database_address)]
EmbedderName = Annotated[Name, AfterValidator(_embedder_name)]
TranscriberName = Annotated[Name, AfterValidator(_transcriber_name)]
ZoneName = Annotated[str, AfterValidator(_time_zone)]
