"""Checks run side by side, and none of them can spoil another."""

import asyncio
from collections.abc import Sequence

from bot.operations.doctor.check import Check, CheckResult, Mark, examine, ok


async def found(*checks: Check) -> list[CheckResult]:
    return [finding async for finding in examine(checks)]


async def well() -> Sequence[CheckResult]:
    return [ok("well", "fine"), ok("well", "very fine")]


async def test_findings_come_in_the_order_of_the_checks_whoever_is_first():
    second_done = asyncio.Event()

    async def first() -> Sequence[CheckResult]:
        # Would hang if the checks were made one after the other.
        await second_done.wait()
        return [ok("first", "")]

    async def second() -> Sequence[CheckResult]:
        second_done.set()
        return [ok("second", "")]

    async with asyncio.timeout(10):
        findings = await found(Check("first", first), Check("second", second))
    assert [finding.subject for finding in findings] == ["first", "second"]


async def test_a_check_that_breaks_is_a_finding_and_the_others_go_on():
    async def breaks() -> Sequence[CheckResult]:
        raise KeyError("123456789:AAsecret")

    broken, *others = await found(Check("broken", breaks), Check("well", well))
    assert broken.mark is Mark.WRONG
    assert "KeyError" in broken.text
    assert "secret" not in broken.text
    assert others == await well()


async def test_a_check_that_hangs_is_given_up_and_the_others_go_on():
    async def hangs() -> Sequence[CheckResult]:
        await asyncio.Event().wait()
        return []

    async with asyncio.timeout(10):
        hung, *others = await found(Check("hung", hangs, 0.05), Check("well", well))
    assert hung == CheckResult("hung", Mark.WRONG, "no answer within 0.05 s: try again later")
    assert others == await well()


async def test_who_stops_listening_leaves_nothing_running():
    cancelled = asyncio.Event()

    async def hangs() -> Sequence[CheckResult]:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        return []

    findings = examine([Check("well", well), Check("hung", hangs)])
    assert (await anext(findings)).subject == "well"
    await findings.aclose()
    assert cancelled.is_set()
