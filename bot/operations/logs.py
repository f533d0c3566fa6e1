"""Logging: structlog, as JSON or for people, including everything that uses the standard library.
Bot tokens are removed wherever they occur."""

import logging
import re
import sys
from collections.abc import Mapping, MutableMapping
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TextIO

import structlog
from structlog.typing import Processor

from bot.metrics import LOG_EVENTS

# In the URL of a file the colon is escaped.
_TOKEN_IN_ADDRESS = re.compile(r"/bot\d+(?::|%3A)[^/\s]+", re.IGNORECASE)
_TOKEN = re.compile(r"\d{6,}(?::|%3A)[A-Za-z0-9_-]{30,}", re.IGNORECASE)
_HIDDEN = "[token]"
_EVENT = re.compile(r"[a-z]+(_[a-z]+)*", re.ASCII)

#: Below WARNING, these log URLs with the token, or what people write.
_TALKATIVE = (
    "httpx",
    "httpx2",
    "httpcore",
    "httpcore2",
    "telegram",
    "openai",
    "boto3",
    "botocore",
    "urllib3",
    "asyncio",
    "tornado",
    "markdown_it",
)
_FILE_BYTES = 1_000_000
_OLD_FILES = 2


def redact(text: str) -> str:
    return _TOKEN.sub(_HIDDEN, _TOKEN_IN_ADDRESS.sub(f"/bot{_HIDDEN}", text))


def configure(
    level: str = "info",
    form: Literal["auto", "console", "json"] = "auto",
    *,
    stream: TextIO | None = None,
    file: Path | None = None,
) -> None:
    """Log to `file` from now on, or else to `stream` (default: standard error). `auto` means the
    form for people on a terminal, JSON elsewhere. Calling it again closes the earlier file."""
    output: logging.Handler
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        output = RotatingFileHandler(
            file, maxBytes=_FILE_BYTES, backupCount=_OLD_FILES, encoding="utf-8", delay=True
        )
        on_terminal = False
    else:
        output = logging.StreamHandler(stream or sys.stderr)
        on_terminal = output.stream.isatty()
    as_json = form == "json" or (form == "auto" and not on_terminal)
    output.setFormatter(_formatter(as_json, colors=on_terminal))
    _route(output, level.upper())


def _shared_processors() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]


def _formatter(as_json: bool, colors: bool) -> logging.Formatter:
    # Render tracebacks before the redaction, so that it covers them.
    last: Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if as_json
        else structlog.dev.ConsoleRenderer(colors=colors)
    )
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=_shared_processors(),
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.StackInfoRenderer(),
            structlog.processors.format_exc_info,
            _redact_event,
            last,
        ],
    )


def _count_event(
    _logger: object, method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    name = str(event.get("event"))
    LOG_EVENTS.add("error" if method == "exception" else method, _event_name(name))
    return event


def _event_name(text: str) -> str:
    """The names of our events are words of the code; anything else might quote somebody."""
    return text if _EVENT.fullmatch(text) else "other"


def _redact_event(
    _logger: object, _method: str, event: MutableMapping[str, Any]
) -> Mapping[str, Any]:
    return {key: _redact_value(value) for key, value in event.items()}


def _redact_value(value: object) -> object:
    """A value ready for output, redacted at every depth."""
    match value:
        case None | bool() | int() | float():
            return value
        case Mapping():
            return {redact(str(key)): _redact_value(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_redact_value(item) for item in value]
        case _:
            return redact(str(value))


def _route(output: logging.Handler, level: str) -> None:
    root = logging.getLogger()
    for earlier in list(root.handlers):
        if isinstance(earlier.formatter, structlog.stdlib.ProcessorFormatter):
            root.removeHandler(earlier)
            if isinstance(earlier, logging.FileHandler):
                earlier.close()
    root.addHandler(output)
    root.setLevel(level)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
    # They warn of every stranger whose TLS handshake fails, and of each try to send spans.
    for name in ("tornado.general", "opentelemetry"):
        logging.getLogger(name).setLevel(logging.ERROR)
    logging.captureWarnings(capture=True)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            _count_event,
            structlog.stdlib.PositionalArgumentsFormatter(),
            *_shared_processors(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    sys.excepthook = _log_crash


def _log_crash(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    if issubclass(kind, KeyboardInterrupt):
        return
    structlog.get_logger(__name__).critical("crashed", exc_info=(kind, error, trace))
