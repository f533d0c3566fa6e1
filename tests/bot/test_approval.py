"""Letting somebody in from the command line, while the bot runs or not."""

from pathlib import Path

import pytest

from bot.approval import let_in
from bot.errors import OperatorError
from bot.settings import Settings
from bot.telegram import Access, AccessMode


async def test_the_operator_approves_whoever_has_the_code(tmp_path: Path) -> None:
    access = Access(AccessMode.PAIRING, path=tmp_path / "access.json")
    await access.pair(1001, access.pairing_code or "", "Anna")
    asked = await access.ask(7, "Boris")
    assert asked
    settings = Settings(data_dir=tmp_path)
    assert let_in(settings, asked[0].code) == "Boris (id 7) may use the bot now."
    assert await access.admits(7)
    with pytest.raises(OperatorError, match="too old"):
        let_in(settings, asked[0].code)


def test_where_nobody_can_be_approved_the_operator_hears_why(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="nobody has asked"):
        let_in(Settings(data_dir=tmp_path), "ABCD-EFGH")
    with pytest.raises(OperatorError, match="allowed_users"):
        let_in(Settings(data_dir=tmp_path, access="open"), "ABCD-EFGH")
    (tmp_path / "access.json").write_text("{}")
    with pytest.raises(OperatorError, match="owner"):
        let_in(Settings(data_dir=tmp_path), "ABCD-EFGH")
