"""What a tool gets besides the model's arguments. The actor comes only from here: no tool has a
parameter that selects whose memory it touches."""

from dataclasses import dataclass

from memory.memory import Memory
from memory.records import Actor, Speaker


@dataclass(frozen=True, slots=True)
class ToolContext:
    """One turn's identity and memory. `said` is what the user wrote in this turn and `before` what
    they wrote in the turns still in the window, so that a tool can check that it acts on the
    user's words and not on a recalled or imagined text. In a `private` session no tool changes the
    memory, nor where the journal could not say whether it is one (`unsure`). `speaker` is who
    speaks in a group."""

    actor: Actor
    memory: Memory
    said: str
    before: str = ""
    private: bool = False
    unsure: bool = False
    speaker: Speaker | None = None


class ToolFailure(Exception):
    """The tool did nothing. The message goes back to the model, which may correct itself."""


def refuse_if_private(context: ToolContext, instead: str = "") -> None:
    """Raise ToolFailure in a private session; `instead` is what the user can do there."""
    if context.unsure:
        raise ToolFailure(
            "Nothing was changed, the memory does not answer right now. Tell the user to say it "
            "again later."
        )
    if context.private:
        what = instead or "To have it kept, they can end the private conversation with /private"
        raise ToolFailure(
            "This conversation is private: nothing of it is kept, so nothing was changed in the "
            f"memory. Tell the user so. {what}."
        )
