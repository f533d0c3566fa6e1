"""A fake AWS over real sockets: AgentCore Memory and Bedrock, strict and breakable."""

from tests.fakes.aws.converse import Completion, ToolCall
from tests.fakes.aws.knobs import (
    Fault,
    Knobs,
    broken,
    denied,
    expired_credentials,
    hanging,
    inactive,
    throttled,
    wrong_clock,
    wrong_credentials,
)
from tests.fakes.aws.server import Call, FakeAws

__all__ = [
    "Call",
    "Completion",
    "FakeAws",
    "Fault",
    "Knobs",
    "ToolCall",
    "broken",
    "denied",
    "expired_credentials",
    "hanging",
    "inactive",
    "throttled",
    "wrong_clock",
    "wrong_credentials",
]
