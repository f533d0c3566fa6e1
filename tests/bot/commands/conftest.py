from collections.abc import AsyncIterator

import pytest

from tests.bot.commands.desk import Desk, open_desk


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with open_desk() as desk:
        yield desk
