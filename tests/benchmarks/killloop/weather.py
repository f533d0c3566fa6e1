"""What goes wrong between the bot and Telegram, by chance."""

import random
from collections import Counter

from tests.fakes.botapi import Fault

#: Of 100 calls: told to wait, carried out and the answer lost, refused by a gateway, and lost.
_THROTTLED, _ANSWER_LOST, _GATEWAY, _LOST = 3, 2, 1, 1


class Weather:
    """Decides about each call; see BotApiServer.luck."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(f"{seed}/weather")
        self.bad = True
        self.faults: Counter[str] = Counter()

    def __call__(self, method: str) -> Fault | None:
        """What goes wrong with this call."""
        if not self.bad or not method.startswith(("send", "edit", "delete", "answer", "getU")):
            return None
        number = self._dice.uniform(0, 100)
        for share, name, fault in (
            (_THROTTLED, "throttled", Fault(method, retry_after=self._dice.randint(1, 2))),
            (_ANSWER_LOST, "answer lost", Fault(method, drop="after")),
            (_GATEWAY, "gateway", Fault(method, status=502, description="Bad Gateway")),
            (_LOST, "lost", Fault(method, drop="before")),
        ):
            if number < share:
                self.faults[name] += 1
                return fault
            number -= share
        return None
