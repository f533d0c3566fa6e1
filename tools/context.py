"""What a tool is given besides the model's arguments. The actor comes from here and only from
here: no tool has a parameter that says whose memory it touches."""

from dataclasses import dataclass

from memory.records import Actor
from memory.service import Memory


@dataclass(frozen=True, slots=True)
class ToolContext:
    """One turn's identity and memory. `said` is what the user wrote in this turn and `before` what
    they wrote in the turns still in the window, so that a tool can check that it acts on the
    user's words and not on a recalled or imagined text."""

    actor: Actor
    memory: Memory
    said: str
    before: str = ""


class ToolFailure(Exception):
    """The tool did not do it. The message goes back to the model, which may correct itself."""
