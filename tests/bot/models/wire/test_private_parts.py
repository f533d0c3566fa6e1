"""The private parts of pydantic-ai that streams here stand on.

It has no public way to change what a stream says (`TolerantStream`) or is taken to have used
(`FreeStream`). A release that changes these parts fails here; then adapt those two, and move the
range in pyproject.toml with the lock."""

import inspect
import re
import tomllib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.models.function import FunctionStreamedResponse

ROOT = Path(__file__).parents[4]


class Stream(StreamedResponse):
    """Whatever a stream must have of its own."""

    model_name = provider_name = provider_url = timestamp = None  # type: ignore[assignment]

    async def _get_event_iterator(self) -> Any:
        yield


def test_what_is_installed_is_what_was_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (wanted,) = (one for one in project["dependencies"] if one.startswith("pydantic-ai-slim"))
    bounds = re.fullmatch(r"[^>]+>=(\d+)\.(\d+),<(\d+)\.(\d+)", wanted)
    assert bounds, wanted
    least, below = tuple(map(int, bounds.group(1, 2))), tuple(map(int, bounds.group(3, 4)))
    installed = tuple(map(int, version("pydantic-ai-slim").split(".")[:2]))
    assert least <= installed < below
    assert below[1] == least[1] + 1


def test_a_stream_has_one_method_to_make_its_events() -> None:
    assert "_get_event_iterator" in StreamedResponse.__abstractmethods__


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("get_parts", set()),
        ("handle_part", {"vendor_part_id", "part"}),
        ("handle_text_delta", {"vendor_part_id", "content"}),
        (
            "handle_tool_call_delta_events",
            {"vendor_part_id", "tool_name", "args", "tool_call_id"},
        ),
        (
            "handle_thinking_delta",
            {"vendor_part_id", "content", "signature", "provider_name"},
        ),
    ],
)
def test_a_stream_keeps_its_parts_in_a_manager(method: str, arguments: set[str]) -> None:
    manager = Stream(ModelRequestParameters())._parts_manager
    taken: Callable[..., object] = getattr(manager, method)
    assert arguments <= inspect.signature(taken).parameters.keys()


def test_a_stream_of_a_function_is_made_of_its_pieces() -> None:
    taken = inspect.signature(FunctionStreamedResponse).parameters
    assert list(taken)[:3] == ["model_request_parameters", "_model_name", "_iter"]
