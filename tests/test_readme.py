"""The README and the code say the same."""

import re
from pathlib import Path

import pytest

from bot.texts import ENGLISH

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ENGLISH.commands)
def test_every_command_is_in_the_readme(command: str):
    assert re.search(rf"`/{command}\b", README), f"/{command} is not described"


@pytest.mark.parametrize("target", ["run", "test"])
def test_the_two_commands_of_the_readme_exist(target: str):
    assert f"make {target}" in README
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


def test_every_relative_link_leads_somewhere():
    for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", README):
        assert (ROOT / link).exists(), link
