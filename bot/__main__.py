"""The `mordecai` command. What is heavy is imported when it is needed: help is there at once."""

import asyncio
import io
import os
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn, TextIO

import typer

if TYPE_CHECKING:
    from bot.settings import Loaded, Settings

_OPERATOR_MISTAKE = 2
_GOODBYE = "Goodbye! We can pick up here next time."
_GOODBYE_FOR_GOOD = "Goodbye!"
_MEMORY_NEWER = "Upgrade mordecai, or name another directory with --data or MORDECAI_DATA_DIR"

command = typer.Typer(
    name="mordecai",
    help="An assistant that remembers the people it talks to, on Telegram or in this terminal.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config", metavar="FILE", help="The configuration file; ./config.json if it exists."
    ),
]
DataDir = Annotated[
    Path | None, typer.Option("--data", metavar="DIR", help="The directory for all data.")
]
User = Annotated[
    int,
    typer.Option("--user", min=1, max=2**52 - 1, help="The numeric Telegram id to chat as."),
]


@command.callback(invoke_without_command=True)
def _no_command(
    context: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if show_version:
        typer.echo(_version())
        raise typer.Exit
    if context.invoked_subcommand is None:
        run()


@command.command()
def run(config: ConfigFile = None, data: DataDir = None) -> None:
    """Run the Telegram bot if a token is set, else chat here. This is the default command."""
    loaded = _load_settings(config, data)
    if loaded.settings.telegram_bot_token is None:
        _say("TELEGRAM_BOT_TOKEN is not set: chatting in this terminal instead of on Telegram.")
        _chat(loaded.settings, 1)
    _say("TELEGRAM_BOT_TOKEN is set: running as a Telegram bot. Ctrl-C stops it.")
    _telegram(loaded.settings)


@command.command()
def chat(user: User = 1, config: ConfigFile = None, data: DataDir = None) -> None:
    """Chat in this terminal. From a pipe or file, read one message per line and print replies."""
    _chat(_load_settings(config, data).settings, user)


@command.command(name="config")
def show_config(
    config: ConfigFile = None,
    table: Annotated[
        bool, typer.Option("--table", help="Print all settings as a Markdown table.")
    ] = False,
) -> None:
    """Print the settings in force and where each comes from. Secrets are masked."""
    from bot.settings import in_force, load, settings_table

    typer.echo(settings_table() if table else in_force(load(config)))


@command.command(short_help="Check that a bot runs and receives messages.")
def health(config: ConfigFile = None, data: DataDir = None) -> None:
    """Exit 0 if a bot runs on the data directory and receives messages, else 1."""
    from bot.operations.health import find_problem

    if problem := find_problem(_load_settings(config, data).settings.data_dir):
        _say(problem)
        raise typer.Exit(1)


@command.command("approve", short_help="Give someone access to the bot.")
def give_access(
    code_or_id: Annotated[
        str,
        typer.Argument(
            metavar="CODE|ID", help="The code the bot gave the person, or their numeric id."
        ),
    ],
    config: ConfigFile = None,
    data: DataDir = None,
) -> None:
    """Give someone access to the bot, which tells them. The bot may be running."""
    from bot.operations.approve import approve_guest

    settings = _load_settings(config, data).settings
    typer.echo(asyncio.run(approve_guest(settings, code_or_id)))


@command.command(short_help="Find or create the memory on AWS.")
def setup(
    write: Annotated[
        bool, typer.Option("--write", help="Write the id into config.json without asking.")
    ] = False,
    config: ConfigFile = None,
) -> None:
    """Find or create the AgentCore memory on AWS, wait until it is ready, and print its id."""
    from bot.operations.logs import configure

    loaded = _load_settings(config, None)
    configure("error", loaded.settings.log_format)
    from bot.operations.setup import set_up

    set_up(loaded, write=write)


@command.command(short_help="Clean up the memory now.")
def maintain(
    retry: Annotated[
        bool, typer.Option("--retry", help="Retry everything in quarantine: sessions and messages.")
    ] = False,
    clock_is_right: Annotated[
        bool,
        typer.Option("--clock-is-right", help="Clean up although the clock has moved by days."),
    ] = False,
    config: ConfigFile = None,
    data: DataDir = None,
) -> None:
    """Clean up the memory now, as the bot does daily, and report what waits to be saved. Exit 1 if
    a memory could not be read. The bot must not be running, unless it uses a server."""
    from bot.operations.logs import configure

    loaded = _load_settings(config, data)
    configure("warning", loaded.settings.log_format)
    from bot.operations.maintain import clean_up

    raise typer.Exit(clean_up(loaded.settings, retry=retry, clock_is_right=clock_is_right))


@command.command("restore", short_help="List the copies of the data, or put one back.")
def restore_data(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME|all]", help="`journal`, or whose: `u1001`, `g1001`."),
    ] = None,
    copy: Annotated[
        str | None, typer.Option("--copy", metavar="COPY", help="Not the newest copy, but this.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: ConfigFile = None,
    data: DataDir = None,
) -> None:
    """List the copies of the data, or put one back. The files that were there are kept beside it.
    What was forgotten stays forgotten. The bot must not be running."""
    from bot.operations.restore import list_copies, restore

    settings = _load_settings(config, data).settings
    if name is None:
        list_copies(settings)
    else:
        restore(settings, name, copy, lambda question: yes or typer.confirm(question))


@command.command(short_help="Check everything, and say what to fix.")
def doctor(config: ConfigFile = None, data: DataDir = None) -> None:
    """Check everything the bot needs, and say how to fix what is wrong. Exit 1 if anything is."""
    from bot.operations.logs import configure

    configure("error")
    from bot.operations.doctor import run_checks

    raise typer.Exit(run_checks(lambda: _load_settings(config, data)))


@command.command("migrate", short_help="Move everything from files to PostgreSQL, or back.")
def migrate_data(
    direction: Annotated[
        Literal["sqlite-to-postgres", "postgres-to-sqlite"], typer.Argument(metavar="DIRECTION")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would move, and what stops it.")
    ] = False,
    while_running: Annotated[
        bool, typer.Option("--while-running", help="To files as a backup, while workers run.")
    ] = False,
    config: ConfigFile = None,
    data: DataDir = None,
) -> None:
    """Bring everything from the data directory to the server of MORDECAI_DATABASE_URL
    (sqlite-to-postgres), or from there to an empty data directory (postgres-to-sqlite), and compare
    what has arrived. The source stays as it is. If it is broken off, repeat it."""
    from bot.operations.logs import configure

    configure("error")
    from bot.operations.migrate import to_postgres, to_sqlite

    settings = _load_settings(config, data).settings
    if direction == "sqlite-to-postgres":
        to_postgres(settings, dry_run=dry_run)
    else:
        to_sqlite(settings, dry_run=dry_run, while_running=while_running)


evaluation = typer.Typer(
    help="Measure how well the memory works, without a bot.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
command.add_typer(evaluation, name="eval")
AsJson = Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")]
ByMeaning = Annotated[
    str | None, typer.Option("--embedder", metavar="NAME", help="Search by meaning as well.")
]


@evaluation.command(short_help="Measure how well search finds what was said.")
def recall(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Conversations as JSON Lines, or .gz.")
    ],
    embedder: ByMeaning = None,
    database: Annotated[
        str | None,
        typer.Option("--database", metavar="URL", help="On this PostgreSQL server, not in files."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Measure how well search finds what was said, in conversations that come with questions."""
    from bot.evals.recall import report_recall
    from bot.operations.logs import configure

    configure("error")
    raise typer.Exit(report_recall(files, json, embedder, database))


@evaluation.command(short_help="Measure what is stored of labelled findings.")
def learning(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Labelled dialogues as JSON Lines.")
    ],
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="NAME", help="Let this model propose and review."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Measure what the checks store of findings that are labelled: what should be kept, and what
    dropped."""
    from bot.evals.learning import report_learning
    from bot.operations.logs import configure

    # What a model fails at is part of the result.
    configure("warning" if model else "error")
    raise typer.Exit(report_learning(files, json, model))


def _telegram(settings: "Settings") -> NoReturn:
    from bot.operations.logs import configure

    _make(settings.data_dir)
    configure(settings.log_level, settings.log_format)
    from bot.app import run_telegram
    from bot.operations.process import raise_file_limit, return_large_blocks

    raise_file_limit()
    return_large_blocks()
    raise typer.Exit(asyncio.run(run_telegram(settings)))


def _chat(settings: "Settings", user_id: int) -> NoReturn:
    from bot.operations.logs import configure
    from bot.terminal import is_interactive

    _make(settings.data_dir)
    person = is_interactive(sys.stdin, sys.stdout)
    # On the screen of a conversation log lines would get between the person and the bot.
    apart = settings.data_dir / "mordecai.log" if person else None
    configure(settings.log_level, settings.log_format, file=apart)
    if apart and settings.log_level == "debug":
        _say(f"The log is in {apart}.")
    from bot.app import run_chat

    try:
        code = asyncio.run(run_chat(settings, user_id))
    except KeyboardInterrupt:
        # For a person it is a way to leave like any other; a script was broken off.
        if not person:
            raise
        code = 0
    if person and code == 0:
        typer.echo(_GOODBYE if settings.memory_enabled else _GOODBYE_FOR_GOOD)
    raise typer.Exit(code)


def _make(data_dir: Path) -> None:
    from bot.errors import OperatorError
    from memory.stores.files import make_directory

    try:
        make_directory(data_dir)
    except OSError as error:
        raise OperatorError(
            f"data_dir = {data_dir}: can't create the directory: {error.strerror}. "
            "Name another one with --data or MORDECAI_DATA_DIR"
        ) from None


def _load_settings(config: Path | None, data: Path | None) -> "Loaded":
    from bot.settings import load, share_env_file

    loaded = load(config, {"data_dir": data.absolute()} if data else None)
    share_env_file()
    return loaded


def _version() -> str:
    try:
        return f"mordecai {version('mordecai-assistant')}"
    except PackageNotFoundError:
        return "mordecai (not installed)"


def _say(text: str) -> None:
    typer.echo(text, err=True)


def _prepare_streams() -> None:
    """A stream may be absent (closed by who started us), and no character may be too much for it.
    To a file or a pipe goes UTF-8, whatever the locale."""
    sys.stdin = sys.stdin or _nothing("r")
    sys.stdout = sys.stdout or _nothing("w")
    sys.stderr = sys.stderr or _nothing("w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")


def _nothing(mode: Literal["r", "w"]) -> TextIO:
    return Path(os.devnull).open(mode, encoding="utf-8")


def main() -> NoReturn:
    """Run the command and exit: 0 done, 2 a mistake that the operator can put right, 130 broken off
    by Ctrl-C. A person who leaves a chat with it has broken off nothing."""
    from bot.errors import OperatorError
    from memory.errors import NewerStore

    _prepare_streams()
    code: int | str | None = 0
    try:
        typer.main.get_command(command).main(prog_name="mordecai")
    except SystemExit as leaving:
        code = leaving.code
    except OperatorError as mistake:
        _say(str(mistake))
        code = _OPERATOR_MISTAKE
    except NewerStore as mistake:
        _say(f"{mistake}. {_MEMORY_NEWER}")
        code = _OPERATOR_MISTAKE
    except KeyboardInterrupt:
        code = 130
    _let_go_of_a_broken_pipe()
    sys.exit(code)


def _let_go_of_a_broken_pipe() -> None:
    """Python flushes standard output at exit and complains when nobody reads it any more."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
