"""The files that an evaluation reads."""

import gzip
import zlib
from pathlib import Path


def read_text(path: Path) -> str:
    """What a file holds, which may be gzipped. Raises ValueError."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            return file.read().decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: can't be read ({error})") from error
