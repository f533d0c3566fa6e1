"""The stay counts what people see, and everybody is answered once."""

from tests.benchmarks.stay import Size, stay, table


async def test_a_short_stay_with_faults_and_a_restart_leaves_nobody_waiting() -> None:
    result = await stay(Size(people=4, minutes=1.0, speed=20, restarts=1))
    assert result.messages > 0
    assert result.answered_once == result.messages
    assert (result.answered_twice, result.unanswered, result.out_of_order) == (0, 0, 0)
    assert result.restarts == 1
    assert table(result).row_count == len(result.as_json())
