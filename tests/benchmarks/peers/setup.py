"""Make the environments of the compared stores: `python -m tests.benchmarks.peers.setup`.

Each is a virtual environment of its own with the dependency groups of pyproject.toml that are
named in ENVIRONMENTS. They are needed for this benchmark and for nothing else."""

import argparse
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.benchmarks.peers.environments import DEFAULT, ENVIRONMENTS, MODEL, MODEL_GROUP, python_of

_ROOT = Path(__file__).parents[3]


def requirements(pyproject: Path, group: str) -> list[str]:
    """The requirements of a dependency group, included groups resolved. Raises KeyError."""
    groups = tomllib.loads(pyproject.read_text(encoding="utf-8"))["dependency-groups"]

    def resolved(name: str) -> list[str]:
        return [
            line
            for entry in groups[name]
            for line in ([entry] if isinstance(entry, str) else resolved(entry["include-group"]))
        ]

    return resolved(group)


def make(directory: Path, name: str, interpreter: str, pyproject: Path) -> None:
    """Make one environment, or bring it up to date. Raises subprocess.CalledProcessError."""
    environment = directory / name
    if not environment.exists():
        subprocess.run([interpreter, "-m", "venv", environment], check=True)
    wanted = requirements(pyproject, ENVIRONMENTS[name])
    _pip(python_of(environment), "install", *wanted)


def make_model(directory: Path, pyproject: Path) -> None:
    """Put the model's files into a directory. Their packages are data: what they would install
    besides (a whole PyTorch) is left out, and none of their code is run."""
    wanted = requirements(pyproject, MODEL_GROUP)
    _pip(
        sys.executable, "install", "--no-deps", "--upgrade", "--target", directory / MODEL, *wanted
    )


def _pip(python: Path | str, *arguments: Path | str) -> None:
    quiet = ("--quiet", "--disable-pip-version-check")
    subprocess.run([python, "-m", "pip", *arguments, *quiet], check=True)


def main() -> None:
    """The command of this module."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.peers.setup")
    parser.add_argument("--into", type=Path, default=DEFAULT, help="where the environments go")
    parser.add_argument("--only", help=f"some of: {','.join([MODEL, *ENVIRONMENTS])}")
    parser.add_argument(
        "--python",
        default=sys.executable,
        help="the interpreter of the environments; LangGraph's SqliteStore needs one whose sqlite3 "
        "loads extensions (Debian's does, pyenv's does not)",
    )
    parser.add_argument("--pyproject", type=Path, default=_ROOT / "pyproject.toml")
    options = parser.parse_args()
    chosen = options.only.split(",") if options.only else [MODEL, *ENVIRONMENTS]
    options.into.mkdir(parents=True, exist_ok=True)
    for name in chosen:
        print(f"{options.into / name} ...", flush=True)
        if name == MODEL:
            make_model(options.into, options.pyproject)
        else:
            make(options.into, name, options.python, options.pyproject)


if __name__ == "__main__":
    main()
