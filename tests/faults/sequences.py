"""Any sequence of what people do and what befalls AWS."""

import random
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from tests.faults.steps import (
    FAULTS,
    OPERATIONS,
    Asks,
    Ends,
    Extracts,
    Fails,
    Forgets,
    ForgetsAll,
    Passes,
    Recovers,
    Remembers,
    Repeats,
    Restarts,
    Says,
    SaysTwice,
    Step,
    Undoes,
)
from tests.faults.turmoil import PEOPLE

_WHO, _EITHER = range(len(PEOPLE)), (False, True)
#: From in between two calls to longer than AWS takes for anything but a job that is started again.
_SECONDS = (0.1, 2.0, 8.0, 30.0, 200.0, 700.0)
#: How often each step is taken, and what it may be like.
_STEPS: tuple[tuple[int, type[Any], tuple[Sequence[Any], ...]], ...] = (
    (5, Says, (_WHO, _EITHER)),
    (2, SaysTwice, (_WHO,)),
    (1, Repeats, (_WHO, range(10))),
    (2, Asks, (_WHO, range(10))),
    (1, Remembers, (_WHO,)),
    (3, Forgets, (_WHO, range(10))),
    (1, Undoes, (_WHO,)),
    (1, ForgetsAll, (_WHO,)),
    (1, Ends, (_WHO,)),
    (4, Passes, (_SECONDS,)),
    (1, Fails, (sorted(FAULTS), OPERATIONS)),
    (1, Recovers, ()),
    (2, Extracts, ((0.0, 5.0, 20.0, 200.0, 300.0), _EITHER)),
    (1, Restarts, (_EITHER,)),
)


def sequences(most: int) -> st.SearchStrategy[list[Step]]:
    """Sequences of up to so many steps, for properties."""
    kinds = [
        st.builds(kind, *map(st.sampled_from, choices))
        for often, kind, choices in _STEPS
        for _ in range(often)
    ]
    return st.lists(st.one_of(kinds), max_size=most)


def sequence(chance: random.Random, steps: int) -> list[Step]:
    """One of so many steps, at random."""
    drawn = chance.choices(_STEPS, [often for often, _, _ in _STEPS], k=steps)
    return [kind(*map(chance.choice, choices)) for _, kind, choices in drawn]
