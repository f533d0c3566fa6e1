"""What of a reply is on the screen before it is delivered."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shown:
    """The ids of the bot's `messages` that show a reply so far, in order; each becomes one part of
    the reply. `lost`: a further message may have arrived whose id nobody knows."""

    messages: tuple[int, ...] = ()
    lost: bool = False


NOTHING_SHOWN = Shown()
