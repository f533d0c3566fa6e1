"""The AgentCore store passes the suite of every store, whatever `namespace` means to AWS, and
whether AWS extracts or we do."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from memory.stores.agentcore.store import AgentCoreStore, Timing
from tests.contracts.amending import AmendingContract
from tests.contracts.choices import ChoicesContract
from tests.contracts.long_term_memory import LongTermMemoryContract
from tests.contracts.moving import MovingContract
from tests.contracts.restoring import RestoringContract
from tests.fakes.aws import Knobs
from tests.fakes.aws.world import FAST, Machinery, machinery


class OnFakeAws(
    LongTermMemoryContract, AmendingContract, MovingContract, RestoringContract, ChoicesContract
):
    local = False
    knobs: ClassVar[Knobs]
    extracts: ClassVar[bool] = True
    timing: ClassVar[Timing] = FAST

    @pytest.fixture(scope="class")
    @classmethod
    def made(cls) -> Iterator[Machinery]:
        with machinery(cls.knobs) as made:
            yield made

    @pytest.fixture
    async def store(self, made: Machinery, tmp_path: Path) -> AsyncIterator[AgentCoreStore]:
        here = await made.world(tmp_path)
        async with await here.store(self.timing, extracts=self.extracts) as store:
            yield store


class TestNamespacesAreExact(OnFakeAws):
    """As AWS answers today, a few rows a page."""

    knobs = Knobs(namespaces="exact", page_rows=2)


class TestWeLearn(OnFakeAws):
    """As with agentcore_extraction = "mordecai", on an AWS that matches namespaces as it has done,
    and may still do for old accounts; and it still shows for minutes what it has been told to
    delete."""

    knobs = Knobs(namespaces="prefix", deletion_seconds=300)
    extracts = False
