"""Documents at the terminal are saved as files."""

from pathlib import Path


def save_document(folder: Path, name: str, content: bytes) -> Path:
    """Write a new file that only its owner can read. Raises OSError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    wanted = Path(Path(name.replace("\\", "/")).name or "file")
    for number in range(1, 10_000):
        mark = f"-{number}" if number > 1 else ""
        path = folder / f"{wanted.stem}{mark}{wanted.suffix}"
        try:
            path.touch(mode=0o600, exist_ok=False)
        except FileExistsError:
            continue
        path.write_bytes(content)
        return path
    raise FileExistsError(17, "too many files of this name", str(folder / wanted))
