"""Two texts are one only if nothing that matters differs."""

import pytest

from memory.search.resemblance import same, telling
from memory.search.text import words


def alike(one: str, other: str) -> bool:
    """Whether two texts count as one."""
    return same(
        telling(one, lambda: words(one)),
        telling(other, lambda: words(other)),
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I have a dog", "I HAVE a dog!"),
        ("I have a dog", "So I have the dog"),
        ("I work at Acme", "I do work at Acme."),
        ("OK", "ok!"),
        ("x" * 500, "x" * 500),
    ],
)
def test_other_small_words_make_no_other_text(one: str, other: str) -> None:
    assert alike(one, other)
    assert alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I eat meat", "I never eat meat"),
        ("I have 5 dogs", "I have 6 dogs"),
        ("My dog is Rex", "My dog is Max"),
        (
            "My flight leaves on May 3 at nine from Oslo",
            "My flight leaves on May 4 at nine from Oslo",
        ),
        ("Ich esse Fleisch", "Ich esse kein Fleisch"),
        ("x" * 500, "x" * 501),
    ],
)
def test_a_changed_detail_makes_another_text(one: str, other: str) -> None:
    assert not alike(one, other)
    assert not alike(other, one)
