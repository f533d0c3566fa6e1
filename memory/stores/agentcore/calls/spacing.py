"""How fast one operation of AWS is called by work that consists of many calls."""

import asyncio

#: The pause between calls after AWS has asked for fewer of them, and the longest, in seconds.
_FIRST, _LONGEST = 0.05, 1.0
#: Calls under way at once are throttled together: they slow down what follows only once in this
#: time.
_TOGETHER = 1.0
#: By how much the pauses shrink with each call that AWS takes, and from where on there are none.
_EASE, _NONE = 0.9, 0.02


class Spacing:
    """Spaces calls: at least `least` seconds apart, and more for a while after each throttle."""

    def __init__(self, least: float = 0.0) -> None:
        self._least = self._spacing = least
        self._next = self._slower_from = 0.0

    async def wait(self) -> None:
        """Return when the next call may be made; each caller gets a moment of its own."""
        now = asyncio.get_running_loop().time()
        at = max(now, self._next)
        self._next = at + self._spacing
        await asyncio.sleep(at - now)

    def note_throttle(self) -> None:
        """Slow down: AWS has asked for it."""
        now = asyncio.get_running_loop().time()
        if now >= self._slower_from:
            self._slower_from = now + _TOGETHER
            self._spacing = min(_LONGEST, max(2 * self._spacing, _FIRST))
        self._next = max(self._next, now + self._spacing)

    def note_answer(self) -> None:
        """Speed up a little: AWS has taken a call."""
        spacing = _EASE * self._spacing
        self._spacing = max(self._least, spacing if spacing > _NONE else 0.0)
