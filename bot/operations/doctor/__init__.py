"""`mordecai doctor`: checks everything the bot needs, and says what is wrong and how to fix it."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import aclosing
from functools import partial

from pydantic import SecretStr
from rich.console import Console
from rich.text import Text

from bot.errors import OperatorError
from bot.operations.doctor.aws import check_credentials, check_memory
from bot.operations.doctor.check import (
    Check,
    CheckResult,
    Mark,
    examine,
    ok,
    wrong,
)
from bot.operations.doctor.clock import check_clock
from bot.operations.doctor.data import check_backlog, check_disk, is_running
from bot.operations.doctor.database import check_database, check_inbox, has_workers, look_of
from bot.operations.doctor.models import check_fallback, check_model, check_transcriber
from bot.operations.doctor.outbox import check_outbox
from bot.settings import Loaded, Settings
from bot.settings.keys import MASK
from bot.telegram.checkup import check_token, check_webhook

#: A self-hosted server may have to load its model first.
_TRANSCRIBER_SECONDS = 60.0
_STYLES = {Mark.OK: "green", Mark.WARNING: "yellow", Mark.WRONG: "bold red"}


def run_checks(load: Callable[[], Loaded]) -> int:
    """Run all checks and print their results, one line each. Returns the exit code: 1 if anything
    is wrong."""
    console = Console(highlight=False)
    try:
        loaded = load()
    except OperatorError as mistake:
        for problem in str(mistake).splitlines():
            _show(console, wrong("settings", problem))
        return _summary(console, wrongs=1)
    return asyncio.run(_run_checks(loaded, console))


async def _run_checks(loaded: Loaded, console: Console) -> int:
    secrets = _secrets(loaded.settings)
    wrongs = 0
    # The exit does not wait for the pool: a call that hangs ends by its own timeout.
    pool = ThreadPoolExecutor(8, "doctor")
    try:
        _show(console, _origin(loaded))
        loop = asyncio.get_running_loop()
        elsewhere = await loop.run_in_executor(pool, has_workers, loaded.settings)
        checks = _checks(loaded.settings, pool, elsewhere=elsewhere)
        async with aclosing(examine(checks)) as results:
            async for result in results:
                _show(console, result, secrets)
                wrongs += result.mark is Mark.WRONG
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return _summary(console, wrongs)


def _checks(settings: Settings, pool: Executor, *, elsewhere: bool) -> list[Check]:
    """`elsewhere` other workers may be running."""
    data = settings.data_dir
    running = is_running(data)
    in_pool = partial(asyncio.get_running_loop().run_in_executor, pool)
    agentcore = settings.memory_enabled and settings.memory_backend == "agentcore"
    names = (settings.model or "", *settings.fallback_models)
    aws = agentcore or any(name.startswith("bedrock:") for name in names)
    patience = settings.model_timeout_seconds
    checks = [
        Check("token", partial(check_token, settings, running=running or elsewhere)),
        Check("webhook", partial(check_webhook, settings, running=running)),
        Check("model", partial(check_model, settings), patience),
        *(
            Check("fallback", partial(check_fallback, settings, name), patience)
            for name in settings.fallback_models
        ),
        Check("transcriber", partial(check_transcriber, settings), _TRANSCRIBER_SECONDS),
    ]
    if aws:
        checks.append(Check("credentials", partial(in_pool, check_credentials, settings)))
    if agentcore:
        checks.append(Check("memory", partial(check_memory, settings, pool), 60))
    on_files = settings.database_url is None
    disk = partial(check_disk, data, running=running, on_files=on_files)
    checks += [
        Check("clock", partial(check_clock, settings, pool, aws=aws)),
        Check("data", partial(in_pool, disk)),
    ]
    if settings.database_url:
        url = settings.database_url.get_secret_value()
        checks += [
            Check("database", partial(in_pool, check_database, url)),
            Check("inbox", partial(in_pool, check_inbox, look_of(settings, "inbox"))),
        ]
    return [
        *checks,
        Check("backlog", partial(in_pool, check_backlog, look_of(settings, "journal"))),
        Check("outbox", partial(in_pool, check_outbox, look_of(settings, "outbox"))),
    ]


def _origin(loaded: Loaded) -> CheckResult:
    """The sources of the settings, which are valid if we get here."""
    file = loaded.config_file or "no config.json"
    outside = [key for key, source in loaded.sources.items() if source != str(loaded.config_file)]
    apart = f"; from elsewhere: {', '.join(sorted(outside))}" if outside else ""
    return ok("settings", f"{file}{apart}")


def _secrets(settings: Settings) -> list[str]:
    values = (getattr(settings, key) for key in Settings.model_fields)
    return [value.get_secret_value() for value in values if isinstance(value, SecretStr)]


def _show(console: Console, result: CheckResult, secrets: Sequence[str] = ()) -> None:
    """Print a result on one line, without secrets."""
    text = " ".join(result.text.split())
    for secret in secrets:
        text = text.replace(secret, MASK)
    mark = Text(f"{result.mark:<8}", _STYLES[result.mark])
    console.print(mark + Text(f"{result.subject:<12} {text}"), soft_wrap=True)


def _summary(console: Console, wrongs: int) -> int:
    """Print the last line; returns the exit code."""
    text = "see above what is wrong and how to mend it" if wrongs else "nothing is wrong"
    console.print(Text(text), soft_wrap=True)
    return 1 if wrongs else 0
