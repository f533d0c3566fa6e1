"""What is logged, in which form, and what never is."""

import io
import json
import logging
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.operations.logs import configure, redact

TOKEN = "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    level, hook, handlers = root.level, sys.excepthook, list(root.handlers)
    yield
    for handler in root.handlers:
        if handler not in handlers:
            handler.close()
    root.handlers = handlers
    root.setLevel(level)
    sys.excepthook = hook
    logging.captureWarnings(capture=False)
    structlog.reset_defaults()


def logged(form: str = "json") -> io.StringIO:
    stream = io.StringIO()
    configure("debug", form, stream=stream)  # type: ignore[arg-type]  # a plain str in the tests
    return stream


@pytest.mark.parametrize(
    "text",
    [
        f"POST https://api.telegram.org/bot{TOKEN}/sendMessage",
        "GET http://127.0.0.1:8081/bot42:short/getMe",
        f"token is {TOKEN}.",
        f"GET https://api.telegram.org/file/bot{TOKEN.replace(':', '%3A')}/photos/file_1.jpg",
        f"{TOKEN} {TOKEN}",
    ],
)
def test_no_token_survives_redaction(text: str):
    cleaned = redact(text)
    assert TOKEN.split(":")[1] not in cleaned
    assert "42:short" not in cleaned
    assert "[token]" in cleaned


@settings(deadline=None)
@given(st.text())
def test_redaction_is_stable_and_leaves_text_without_a_token_alone(text: str):
    assert redact(redact(text)) == redact(text)
    if ":" not in text:
        assert redact(text) == text


def ask_telegram() -> None:
    raise RuntimeError(f"https://api.telegram.org/bot{TOKEN}/getMe")


@pytest.mark.parametrize("form", ["json", "console"])
def test_no_token_reaches_the_log_whatever_it_is_part_of(form: str):
    stream = logged(form)
    log = structlog.get_logger("ours")
    log.info(TOKEN, deep={"list": [{"key": TOKEN}]}, odd=ValueError(TOKEN))
    log.info("positional %s", TOKEN)
    logging.getLogger("theirs").warning("argument %s", TOKEN, extra={"more": TOKEN})
    try:
        ask_telegram()
    except RuntimeError:
        log.exception("failed")
        logging.getLogger("theirs").exception("failed")
    text = stream.getvalue()
    assert text.count("[token]") >= 8
    assert TOKEN.split(":")[1] not in text
    assert "RuntimeError" in text


def test_a_crash_is_logged_without_the_token():
    stream = logged()
    error = ValueError(TOKEN)
    sys.excepthook(ValueError, error, error.__traceback__)
    line = json.loads(stream.getvalue())
    assert line["level"] == "critical"
    assert "[token]" in line["exception"]


def test_an_interrupt_is_not_a_crash():
    stream = logged()
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert stream.getvalue() == ""


def test_a_json_line_has_time_level_logger_and_context():
    stream = logged()
    with structlog.contextvars.bound_contextvars(actor="u1"):
        structlog.get_logger("ours").info("turn", tokens=7)
        logging.getLogger("theirs").error("oh")
    ours, theirs = map(json.loads, stream.getvalue().splitlines())
    assert ours["timestamp"].endswith("Z")
    del ours["timestamp"], theirs["timestamp"]
    assert ours == {"actor": "u1", "event": "turn", "level": "info", "logger": "ours", "tokens": 7}
    theirs.pop("message", None)  # pytest's own handler leaves it on the record
    assert theirs == {"actor": "u1", "event": "oh", "level": "error", "logger": "theirs"}


def test_auto_is_json_where_no_person_reads():
    stream = logged("auto")
    structlog.get_logger().info("x")
    assert json.loads(stream.getvalue())["event"] == "x"


def test_levels_below_the_chosen_one_are_left_out():
    stream = io.StringIO()
    configure("warning", "json", stream=stream)
    structlog.get_logger("ours").info("no")
    logging.getLogger("theirs").info("no")
    structlog.get_logger("ours").warning("yes")
    assert len(stream.getvalue().splitlines()) == 1


@pytest.mark.parametrize(
    "name",
    ["httpx", "httpx2", "httpcore", "httpcore2.http11", "telegram.ext", "botocore", "openai"],
)
def test_libraries_that_log_addresses_or_messages_are_quiet_even_at_debug(name: str):
    stream = logged()
    logging.getLogger(name).info("HTTP Request: the address, the body")
    logging.getLogger(name).warning("heard")
    assert len(stream.getvalue().splitlines()) == 1


def test_warnings_are_logged_and_not_printed(capsys: pytest.CaptureFixture[str]):
    stream = logged()
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(capture=False)
        logging.captureWarnings(capture=True)
        warnings.warn("old", stacklevel=1)
    assert "old" in stream.getvalue()
    assert capsys.readouterr().err == ""


def test_the_log_goes_to_a_file_and_configuring_again_lets_go_of_it(tmp_path: Path):
    file = tmp_path / "new" / "mordecai.log"
    configure("info", "auto", file=file)
    structlog.get_logger("ours").info("one")
    stream = logged()
    structlog.get_logger("ours").info("two")
    assert [json.loads(line)["event"] for line in file.read_text().splitlines()] == ["one"]
    assert "two" in stream.getvalue()
