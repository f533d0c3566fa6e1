"""What the composition root loads."""

import asyncio
import sys
from asyncio.subprocess import PIPE
from pathlib import Path


async def test_nothing_of_the_notebook_is_loaded_where_a_model_is_set(tmp_path: Path):
    settings = {"model": "openai:small", "model_base_url": "http://127.0.0.1:1/v1"}
    loaded = await _loaded(tmp_path, settings)
    assert "openai" in loaded
    assert not [name for name in loaded if name.startswith("bot.offline")]


async def test_no_vendor_s_library_is_loaded_where_no_model_is_set(tmp_path: Path):
    loaded = await _loaded(tmp_path, {})
    assert "bot.offline.notebook" in loaded
    assert not {"openai", "boto3", "fastembed", "numpy"} & loaded


async def _loaded(data: Path, settings: dict[str, str]) -> set[str]:
    """The modules that a bot with these settings has imported."""
    program = (
        "import asyncio, sys\n"
        "from bot.app import _parts\n"
        "from bot.settings import Settings\n"
        "from memory.background.wall import WallClock\n"
        "async def start():\n"
        f"    async with _parts(Settings(data_dir={str(data)!r}, **{settings!r}), WallClock()):\n"
        "        print(*sys.modules)\n"
        "asyncio.run(start())"
    )
    ran = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdout=PIPE)
    printed, _ = await ran.communicate()
    assert ran.returncode == 0
    return set(printed.decode().split())
