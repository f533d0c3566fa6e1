"""The functions of `tools`, as a model sees and calls them."""

import structlog
from pydantic_ai import Agent
from pydantic_ai.messages import ToolReturnPart

from bot.assistant.toolbox import FUNCTIONS, toolbox
from memory.records import Actor
from tests.fakes.memories import open_memory
from tests.fakes.scripted_model import Scripted, call
from tests.fakes.tool_contexts import tool_context
from tools.context import ToolContext, ToolFailure

ANNA = Actor.person(1)


async def flaky(context: ToolContext, words: str, times: int = 1) -> str:
    """Do something.

    Args:
        words: what to say.
    """
    if words == "refuse":
        raise ToolFailure("I won't.")
    if words == "break":
        raise ZeroDivisionError("with secret words")
    return f"{context.actor.id} {words * times}"


async def result_of(arguments: str) -> tuple[str, str]:
    """What the model is told, and whether it was a success."""
    script = Scripted([[call("flaky", arguments)], ["done"]])
    agent = Agent(script.model, deps_type=ToolContext, tools=toolbox([flaky]))
    async with (
        open_memory() as memory,
        agent.run_stream_events("go", deps=tool_context(memory, ANNA, "go")) as events,
    ):
        assert [event async for event in events]
    (part,) = (p for p in script.requests[-1][0][-1].parts if isinstance(p, ToolReturnPart))
    return part.model_response_str(), part.outcome


def test_the_model_learns_names_descriptions_and_arguments_but_no_context() -> None:
    tools = {tool.name: tool.tool_def for tool in toolbox()}
    assert set(tools) == {
        "set_agent_name",
        "search_memory",
        "remember",
        "correct_memory",
        "forget_memory",
    }
    for definition in tools.values():
        assert definition.description
        properties = definition.parameters_json_schema["properties"]
        assert all(schema.get("description") for schema in properties.values())
        assert not {"context", "actor", "user_id"} & set(properties)
    assert len(FUNCTIONS) == len(tools)


async def test_the_actor_is_the_one_of_the_run() -> None:
    assert await result_of('{"words": "hey", "times": 2}') == ("u1 heyhey", "success")


async def test_an_actor_that_the_model_makes_up_is_refused() -> None:
    told, outcome = await result_of('{"words": "hey", "context": {"actor": "u2"}}')
    assert outcome == "retried"
    assert "u2 hey" not in told


async def test_a_tool_that_refuses_tells_the_model_why() -> None:
    told, outcome = await result_of('{"words": "refuse"}')
    assert outcome == "failed"
    assert "I won't." in told


async def test_a_tool_that_breaks_tells_the_log_everything_and_the_model_nothing() -> None:
    with structlog.testing.capture_logs() as logs:
        told, outcome = await result_of('{"words": "break"}')
    assert outcome == "failed"
    assert "crashed" in told
    assert "secret" not in told
    (line,) = (line for line in logs if line["event"] == "tool_crashed")
    assert (line["tool"], line["actor"]) == ("flaky", "u1")
