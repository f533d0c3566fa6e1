"""The figures that are read from the source, of a tree so small that one can count by hand."""

from pathlib import Path

import pytest

from tests.benchmarks.house import Row, Source
from tests.benchmarks.program import ROOT

FILES = {
    "bot/__init__.py": "",
    "bot/app.py": '''
from memory.ports import Port
from memory import words

Answer = int | str

class Wide:
    """A class."""

    def __init__(self, one: int, *, two: int, three: int) -> None:
        """Set up."""
        # Why it is so.
        self.all = (one, two, three)

def run() -> None:
    words.split()
''',
    "memory/__init__.py": "",
    "memory/ports.py": """
from typing import Protocol

class Port(Protocol):
    def open(self) -> None: ...
    async def close(self) -> None: ...

class Answer:
    pass
""",
    "memory/words.py": """
import memory.ports

def split() -> None: ...
def _run() -> None: ...
""",
    "tools/__init__.py": "",
    "README.md": "1. `bot/app.py` begins\n2. `memory/words.py` goes on\n",
}


@pytest.fixture
def source(tmp_path: Path) -> Source:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return Source(tmp_path)


@pytest.fixture
def rows(source: Source) -> dict[str, Row]:
    return {row.name: row for row in source.rows()}


def test_parameters_methods_and_modules_are_counted(rows: dict[str, Row]):
    assert rows["constructor parameters, p90 / most"].measured == "3 / 3"
    assert rows["methods of the largest port"].measured == "2 (Port)"
    assert rows["modules in the largest folder"].measured == "2 (memory)"
    assert rows["lines of Python / files"].measured.endswith(" / 6")


def test_a_name_has_two_meanings_if_two_modules_make_it_public(source: Source):
    assert source.doubles == {"Answer": ["bot/app.py", "memory/ports.py"]}


def test_a_module_with_one_importer_is_found_however_it_is_imported(source: Source):
    assert source.single == ["memory.words"]


def test_the_length_of_a_function_is_its_code(rows: dict[str, Row]):
    assert rows["lines of a function, median / p90 / p99"].measured == "1 / 2 / 2"


def test_the_spine_is_what_the_readme_lists(source: Source):
    assert [path.name for path in source.spine] == ["app.py", "words.py"]


def test_the_readme_lists_twelve_files_that_are_there():
    spine = Source(ROOT).spine
    assert len(spine) == 12
    assert all(path.is_file() for path in spine)
