"""What the documents name is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted((ROOT / "docs").glob("*.md"))
PITFALLS = (ROOT / "docs" / "pitfalls.md").read_text(encoding="utf-8")


def named_tests(text: str) -> list[tuple[str, str]]:
    """The tests that a text names: file and function."""
    return re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", text)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_test_that_a_document_names_exists(document: Path):
    for file, name in named_tests(document.read_text(encoding="utf-8")):
        source = (ROOT / file).read_text(encoding="utf-8")
        assert re.search(rf"^(async )?def {name}\(", source, re.MULTILINE), f"{file}::{name}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_relative_link_of_a_document_leads_somewhere(document: Path):
    for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", document.read_text(encoding="utf-8")):
        assert (document.parent / link).exists(), link


def test_every_pitfall_is_held_by_tests():
    rows = [line for line in PITFALLS.splitlines() if re.match(r"\| \d+ \|", line)]
    assert [int(row.split("|")[1]) for row in rows] == list(range(1, len(rows) + 1))
    for row in rows:
        assert named_tests(row), row
