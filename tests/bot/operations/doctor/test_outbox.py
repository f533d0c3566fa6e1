"""The outbox: what waits for AWS, and what AWS has refused."""

from datetime import UTC, datetime
from pathlib import Path

from bot.operations.doctor.check import CheckResult, Mark
from bot.operations.doctor.outbox import check_outbox, results_of
from memory.stores.agentcore.events.backlog import OutboxBacklog, Unfinished
from memory.stores.agentcore.events.outbox import Lane
from tests.fakes.files import look_at, outbox_in

LANE = Lane("u1", "s-1")
AT = datetime(2026, 11, 21, 12, tzinfo=UTC)


def found(waiting: Unfinished, refused: Unfinished, minutes: int = 0) -> list[CheckResult]:
    """What doctor says so many minutes later."""
    return list(results_of(OutboxBacklog(waiting, refused), AT.replace(minute=minutes)))


async def test_what_waits_and_what_was_refused_is_read_while_the_bot_runs(tmp_path: Path):
    outbox = await outbox_in(tmp_path / "outbox.sqlite")
    for turn_id in ("t-1", "t-2", "t-3"):
        await outbox.put(LANE, turn_id, [{}])
    event = await outbox.head(LANE, AT)
    assert event is not None
    await outbox.note_failure(event, "CreateEvent: AWS refuses", AT, final=True)
    refused, waiting = check_outbox(look_at(tmp_path / "outbox.sqlite"))
    await outbox.aclose()
    assert refused.mark is Mark.WRONG
    assert refused.text.startswith("AWS has refused 1 message since 2026-11-21 12:00 UTC")
    assert "CreateEvent: AWS refuses" in refused.text
    assert "mordecai maintain --retry" in refused.text
    assert waiting == CheckResult("outbox", Mark.OK, "2 messages to be sent to AWS")


def test_what_fails_for_longer_than_an_update_of_the_memory_takes_is_wrong():
    waiting = Unfinished(3, AT, "CreateEvent: the memory is not active")
    (early,) = found(waiting, Unfinished(), 2)
    assert early.mark is Mark.OK
    (late,) = found(waiting, Unfinished(), 9)
    assert late.mark is Mark.WRONG
    assert "3 messages since 2026-11-21 12:00 UTC (CreateEvent: the memory is not" in late.text


def test_without_a_readable_outbox_there_is_nothing_to_say(tmp_path: Path):
    assert check_outbox(look_at(tmp_path / "outbox.sqlite")) == []
    (tmp_path / "outbox.sqlite").write_bytes(b"no database at all" * 100)
    assert check_outbox(look_at(tmp_path / "outbox.sqlite")) == []
    assert [file.name for file in tmp_path.iterdir()] == ["outbox.sqlite"]


def test_an_erasure_that_aws_does_not_finish_is_wrong_and_says_what_is_missing():
    backlog = OutboxBacklog(erasures=Unfinished(2, AT, "DeleteEvent: not allowed"))
    _, erasures = results_of(backlog, AT)
    assert (erasures.subject, erasures.mark) == ("erasures", Mark.WRONG)
    assert "2 requests to erase since 2026-11-21 12:00 UTC (DeleteEvent: not" in erasures.text
    assert "docs/aws.md" in erasures.text
