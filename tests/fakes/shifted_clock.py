"""A program whose wall clock is wrong."""

import subprocess
from pathlib import Path

_SOURCE = Path(__file__).with_name("shifted_clock.c")


def shifted_clock(folder: Path, seconds: int) -> dict[str, str]:
    """The environment of a program whose clock is so far ahead. Needs a C compiler and Linux."""
    library = folder / "shifted_clock.so"
    if not library.exists():
        command = ("cc", "-shared", "-fPIC", "-O1", "-o", library, _SOURCE, "-ldl")
        subprocess.run(command, check=True, capture_output=True)
    return {"LD_PRELOAD": str(library), "CLOCK_SHIFT": str(seconds)}
