"""Which messages show a reply before it is delivered."""

import json
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Shown:
    """The ids of the bot's `messages` that show a reply so far, in order; each becomes one part of
    the reply. If it is not known whether a further one has arrived, `maybe` are the ids that it can
    have."""

    messages: tuple[int, ...] = ()
    maybe: tuple[int, ...] = ()

    def dump(self) -> str:
        return json.dumps([self.messages, self.maybe])

    @classmethod
    def load(cls, dumped: object) -> Self:
        """What was dumped, by an earlier version as a list or a single id; nothing if it is
        damaged."""
        try:
            kept = json.loads(dumped) if isinstance(dumped, str) else dumped
        except ValueError:
            return cls()
        match kept:
            case int():
                return cls((kept,))
            case [[*messages], [*maybe]]:
                return cls(_ids(messages), _ids(maybe))
            case list():
                return cls(_ids(kept))
            case _:
                return cls()


def _ids(kept: list[object]) -> tuple[int, ...]:
    return tuple(id_ for id_ in kept if isinstance(id_, int))


NOTHING_SHOWN = Shown()
