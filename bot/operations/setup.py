"""`mordecai setup`: find or create the AgentCore memory, wait for it, and write its id down."""

import asyncio
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import typer
from rich.console import Console
from rich.text import Text

from bot.errors import OperatorError
from bot.operations.aws import aws_access, wanted_memory
from bot.settings import Loaded, Settings
from memory.errors import StoreUnavailable
from memory.stores.agentcore.calls.circuit import Circuits
from memory.stores.agentcore.calls.clients import (
    CONTROL_SERVICE,
    DATA_SERVICE,
    AwsCalls,
    open_client,
)
from memory.stores.agentcore.setup import (
    AgentCoreMemory,
    find_or_create,
    prepare,
    wait_for_data_plane,
)
from memory.stores.files import put_in_place

_MEMBER = re.compile(r'("memory_id"\s*:\s*)(?:null|"(?:[^"\\]|\\.)*")')
_INDENT = re.compile(r"\n([ \t]+)\"")


def set_up(loaded: Loaded, *, write: bool) -> None:
    """Prepare the memory and print its id to standard output; everything else goes to standard
    error.

    `write` puts the id into config.json; without it, the person at the terminal is asked. Raises
    OperatorError."""
    settings = loaded.settings
    with _progress() as progress:
        memory_id = asyncio.run(_ready_memory(settings, progress)).id
    typer.echo(memory_id)
    file = loaded.config_file or Path("config.json")
    if _memory_id_in(file) != memory_id and (write or (not settings.memory_id and _confirm(file))):
        write_memory_id(file, memory_id)
        _say(f"wrote memory_id into {file}")
    _say(_next_step(settings, written=memory_id in (_memory_id_in(file), settings.memory_id)))


async def _ready_memory(settings: Settings, progress: Callable[[str], None]) -> AgentCoreMemory:
    """The memory with the configured id or name, ACTIVE with its strategies, and used once."""
    access = aws_access(settings)
    with ThreadPoolExecutor(2, "aws") as pool:
        try:
            with closing(await open_client(CONTROL_SERVICE, access, pool, 2)) as client:
                control = AwsCalls(client, pool, Circuits("AgentCore"))
                memory = await _find_memory(settings, control, client.meta.region_name, progress)
            with closing(await open_client(DATA_SERVICE, access, pool, 2)) as client:
                data = AwsCalls(client, pool, Circuits("AgentCore Memory"), memory.id)
                await wait_for_data_plane(data, progress)
        except StoreUnavailable as failure:
            raise OperatorError(str(failure)) from failure
    return memory


async def _find_memory(
    settings: Settings, control: AwsCalls, region: str, progress: Callable[[str], None]
) -> AgentCoreMemory:
    wanted = wanted_memory(settings)
    progress(f"looking for the memory {settings.memory_id or f'called {wanted.name}'} in {region}")
    if settings.memory_id:
        return await prepare(control, settings.memory_id, progress, extracts=wanted.extracts)
    return await find_or_create(control, wanted, progress)


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Report progress: with a spinner on a terminal, in plain lines elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _say
        return
    with console.status("") as status:

        def show(text: str) -> None:
            console.print(Text(text), soft_wrap=True)
            status.update(Text(f"{text} … this may take a few minutes"))

        yield show


def _confirm(file: Path) -> bool:
    """Ask the person at the terminal whether to write it; False without a terminal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    return typer.confirm(f"Write it into {file} as memory_id?", default=True, err=True)


def _next_step(settings: Settings, *, written: bool) -> str:
    keep = "" if written else "put it into config.json as memory_id (--write does it), and "
    if settings.memory_backend != "agentcore":
        return f'next: {keep}set memory_backend to "agentcore": until then memories stay in files'
    return f"next: {keep}start with `mordecai run`; `mordecai doctor` checks everything else"


def _say(text: str) -> None:
    typer.echo(text, err=True)


def _memory_id_in(file: Path) -> object:
    """The memory_id in the file."""
    return json.loads(_read_text(file)).get("memory_id")


def _read_text(file: Path) -> str:
    # Not Path.read_text, which would change line endings.
    return file.read_bytes().decode("utf-8-sig") if file.exists() else "{}"


def write_memory_id(file: Path, memory_id: str) -> None:
    """Put the id into an existing or new config.json, atomically. Raises OperatorError."""
    try:
        _replace(file.resolve(), with_memory_id(_read_text(file), memory_id))
    except OSError as error:
        raise OperatorError(
            f"{file} can't be written: {error.strerror}. "
            f'Put "memory_id": "{memory_id}" into it yourself'
        ) from error


def with_memory_id(text: str, memory_id: str) -> str:
    """The text of a config.json with this memory_id; the other keys stay as they are. If the key
    exists, the layout stays too; else it is JSON with the file's own indent."""
    values = json.loads(text)
    wanted = {**values, "memory_id": memory_id}
    edited = _MEMBER.sub(rf'\g<1>"{memory_id}"', text, count=1)
    if json.loads(edited) == wanted:
        return edited
    indent = _INDENT.search(text)
    return json.dumps(wanted, indent=indent[1] if indent else 2, ensure_ascii=False) + "\n"


def _replace(file: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    new = Path(name)
    try:
        with open(handle, "w", encoding="utf-8", newline="") as stream:  # noqa: PTH123 - a handle, not a path
            stream.write(text)
        if file.exists():
            shutil.copymode(file, new)
        else:
            new.chmod(0o644)  # it has no secrets, and the bot may run as another user
        put_in_place(new, file)
    except OSError:
        new.unlink(missing_ok=True)
        raise
