"""The circuit stops asking a service that does not answer, says so once, and finds its way back."""

import pytest
from structlog.testing import capture_logs

from memory.errors import StoreUnavailable
from memory.stores.agentcore.calls.circuit import Circuit, Circuits


class Clock:
    """Time that passes when it is told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def circuit(clock: Clock) -> Circuit:
    return Circuit("AWS", failures=3, pause=30, clock=clock)


def is_open(circuit: Circuit) -> bool:
    try:
        circuit.check()
    except StoreUnavailable:
        return True
    return False


def fail(circuit: Circuit, times: int) -> None:
    for _ in range(times):
        circuit.note_failure("no answer")


def test_a_few_failures_change_nothing(circuit: Circuit) -> None:
    fail(circuit, 2)
    assert not is_open(circuit)


def test_a_success_between_failures_starts_the_count_again(circuit: Circuit) -> None:
    fail(circuit, 2)
    circuit.note_success()
    fail(circuit, 2)
    assert not is_open(circuit)


def test_repeated_failures_stop_the_asking_and_say_when_it_goes_on(circuit: Circuit) -> None:
    fail(circuit, 3)
    with pytest.raises(StoreUnavailable, match=r"AWS failed 3 times in a row.*in 30 s"):
        circuit.check()


def test_after_the_pause_one_call_is_let_through(circuit: Circuit, clock: Clock) -> None:
    fail(circuit, 3)
    clock.now = 31
    assert not is_open(circuit)
    assert is_open(circuit)


def test_a_probe_that_never_reports_does_not_close_the_door_for_ever(
    circuit: Circuit, clock: Clock
) -> None:
    fail(circuit, 3)
    clock.now = 31
    assert not is_open(circuit)
    clock.now = 62
    assert not is_open(circuit)


def test_a_success_opens_the_way_for_everybody(circuit: Circuit, clock: Clock) -> None:
    fail(circuit, 3)
    clock.now = 31
    circuit.check()
    circuit.note_success()
    assert not is_open(circuit)
    assert not is_open(circuit)


def test_an_outage_is_two_lines_in_the_log(circuit: Circuit, clock: Clock) -> None:
    with capture_logs() as logs:
        fail(circuit, 10)
        clock.now = 31
        circuit.check()
        fail(circuit, 1)
        clock.now = 62
        circuit.check()
        circuit.note_success()
        circuit.note_success()
    assert [entry["event"] for entry in logs] == ["service_paused", "service_resumed"]


def test_calls_that_hang_count_before_they_fail(circuit: Circuit, clock: Clock) -> None:
    with circuit.under_way(), circuit.under_way(), circuit.under_way():
        clock.now = 2.9
        assert not is_open(circuit)
        clock.now = 3.1
        assert is_open(circuit)


def test_after_an_answer_hanging_calls_no_longer_count(circuit: Circuit, clock: Clock) -> None:
    with circuit.under_way(), circuit.under_way(), circuit.under_way():
        clock.now = 3.1
        assert is_open(circuit)
        circuit.note_success()
        clock.now = 10
        assert not is_open(circuit)


def test_a_call_that_has_ended_does_not_hang(circuit: Circuit, clock: Clock) -> None:
    for _ in range(3):
        with circuit.under_way():
            pass
    clock.now = 10
    assert not is_open(circuit)


def test_each_operation_has_a_circuit_of_its_own(clock: Clock) -> None:
    circuits = Circuits("AWS", failures=3, pause=30, clock=clock)
    fail(circuits.of("Retrieve"), 3)
    circuits.of("Write").note_success()
    assert is_open(circuits.of("Retrieve"))
    assert not is_open(circuits.of("Write"))
