"""Contexts of tools, as the conversation makes them of what was said."""

from memory.memory import Memory, utc_now
from memory.records import Actor, Place, Role, Speaker, Turn, Utterance
from tools.context import ToolContext


def tool_context(
    memory: Memory,
    actor: Actor,
    said: str = "",
    *before: str,
    speaker: Speaker | None = None,
    private: bool = False,
    unsure: bool = False,
) -> ToolContext:
    """A turn in which `said` is being answered, after turns in which these things were said."""
    turns = tuple(
        Turn(
            f"t{number}",
            "s1",
            (Utterance(Role.USER, text, utc_now(), speaker),),
            place=Place("telegram", 1),
        )
        for number, text in enumerate((*before, said))
    )
    return ToolContext(actor, memory, turns, private, unsure)
