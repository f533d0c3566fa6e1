"""The IAM policy in the documentation is exactly what the program needs: a story that uses all of
it is played on a fake AWS, and the operations that were called are held against the policy."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest

from bot.assistant.failures import UnusableModel
from bot.models.catalogue import ModelAccess, model_from_name
from tests.e2e.command import Ran, mordecai
from tests.fakes.aws import Completion, FakeAws, ToolCall
from tests.fakes.aws.bedrock_models import SONNET
from tests.fakes.aws.world import ENVIRONMENT

DOCUMENT = Path(__file__).parents[1] / "docs" / "aws.md"
#: What the policy calls the operations of Bedrock; all others have the operation's own name.
ACTIONS = {
    "Converse": "bedrock:InvokeModel",
    "ConverseStream": "bedrock:InvokeModelWithResponseStream",
}
MODEL = "bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0"
NAMED = re.compile(r"I'll call you (\w+)")


def statements() -> dict[str, dict[str, Any]]:
    """The statements of the documented policy by their names."""
    (policy,) = re.findall(r"```json\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    return {statement["Sid"]: statement for statement in json.loads(policy)["Statement"]}


def allowed(*names: str) -> set[str]:
    """The actions of these statements."""
    return {action for name in names for action in statements()[name]["Action"]}


def called(aws: FakeAws) -> set[str]:
    """The actions that the calls so far have needed."""
    refused = {call.operation for call in aws.calls if call.status not in (200, 201, 202, 404)}
    assert refused <= {"CreateEvent"}, "doctor may send what AWS can't store"
    return {ACTIONS.get(name, f"bedrock-agentcore:{name}") for name in aws.operations()}


def obedient(request: dict[str, Any]) -> Completion:
    """A model that takes the name it is given."""
    last = request["messages"][-1]["content"]
    named = [NAMED.search(block["text"]) for block in last if "text" in block]
    names = [found[1] for found in named if found]
    if names:
        return Completion(tools=(ToolCall("set_agent_name", {"name": names[-1]}),))
    return Completion("Noted.")


class Installation:
    """The command with a configuration and a directory of its own."""

    def __init__(self, aws: FakeAws, home: Path) -> None:
        self._home = home
        self._variables = {**ENVIRONMENT, "MORDECAI_AWS_ENDPOINT_URL": aws.url}
        keys = {"model": MODEL, "memory_backend": "agentcore", "aws_region": "us-east-1"}
        (home / "config.json").write_text(json.dumps(keys))

    async def run(self, *arguments: str, lines: tuple[str, ...] = (), **others: str) -> Ran:
        stdin = "".join(f"{line}\n" for line in lines).encode()
        variables = self._variables | others
        ran = await mordecai(*arguments, cwd=self._home, stdin=stdin, **variables)
        assert ran.code in (0, 1), ran.err
        return ran

    async def chat(self, *lines: str) -> Ran:
        return await self.run("chat", lines=lines)


@pytest.fixture
def aws() -> Iterator[FakeAws]:
    with FakeAws() as aws:
        aws.model.otherwise = obedient
        yield aws


async def test_the_policy_allows_what_the_whole_story_calls_and_nothing_else(
    aws: FakeAws, tmp_path: Path
):
    here = Installation(aws, tmp_path)
    for who in ("mordecai", "aws"):
        ran = await here.run("setup", "--write", MORDECAI_AGENTCORE_EXTRACTION=who)
        assert ran.code == 0
    at_setup = called(aws)
    aws.calls.clear()

    await here.run("doctor")
    listing = await here.chat(
        "I'll call you Jarvis", "I'll call you Friday", "I work at Acme Corp", "/new", "/memory"
    )
    found = re.search(r"[\[(](\w+)[\])]", listing.replies[-1])
    assert found, listing.out
    await here.chat(f"/forget {found[1]}", "/export", "/forget all", "1")

    assert called(aws) == allowed("Memory", "Model")
    always = {"bedrock-agentcore:GetMemory", "bedrock-agentcore:ListSessions"}
    assert at_setup == allowed("MemorySetup", "MemoryStrategies") | always


async def test_a_turn_calls_what_the_documentation_reckons_with(aws: FakeAws, tmp_path: Path):
    here = Installation(aws, tmp_path)
    await here.run("setup", "--write")
    aws.calls.clear()
    turns = 10
    await here.chat(*(f"tell me more about point {number}" for number in range(turns)))
    counted = Counter(aws.operations())
    reckoned = re.findall(r"^\| `(\w+)` \| ([\d.]+)", DOCUMENT.read_text("utf-8"), re.MULTILINE)
    assert len(reckoned) == 4
    for operation, times in reckoned:
        assert counted.pop(operation) <= turns * float(times), operation
    assert counted.pop("GetMemory") == 1, "only the start"
    assert counted.pop("ListActors") == 1, "once a day"
    assert not counted


def test_what_is_asked_about_models_is_allowed_apart(aws: FakeAws, monkeypatch: pytest.MonkeyPatch):
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    access = ModelAccess(aws_region="us-east-1", aws_endpoint_url=aws.url)
    for arn in (
        aws.models.add_profile("abc123", SONNET),
        aws.models.add_provisioned("abcdefghijkl", SONNET),
    ):
        model_from_name(f"bedrock:{arn}", access)
    assert {f"bedrock:{name}" for name in aws.operations()} == allowed("ModelBehindArn")
    aws.calls.clear()
    model = model_from_name(f"bedrock:{SONNET}", access)
    with pytest.raises(UnusableModel):
        asyncio.run(model_request(model, [ModelRequest.user_text_prompt("Hi")]))
    names = set(aws.operations()) - {"Converse", "ConverseStream"}
    assert {f"bedrock:{name}" for name in names} == allowed("ModelNames")


def test_nothing_is_allowed_twice_or_by_pattern():
    actions = [action for statement in statements().values() for action in statement["Action"]]
    assert len(set(actions)) == len(actions)
    assert not any("*" in action for action in actions)


def test_only_what_aws_cannot_narrow_down_is_allowed_on_everything():
    wide = {name for name, statement in statements().items() if "*" in statement["Resource"]}
    assert wide == {"MemorySetup", "ModelNames"}
