"""Nouns go with their numbers."""

from typing import Any

import pytest

from bot.texts import ENGLISH, texts_in
from bot.texts.plurals import (
    FORMS,
    east_slavic,
    none_is_one,
    none_is_one_many_other,
    one_many_other,
    one_other,
)


@pytest.mark.parametrize(
    ("rule", "forms"),
    [
        (one_other, {"one": [1], "other": [0, 2, 11, 21, 1_000_000]}),
        (none_is_one, {"one": [0, 1], "other": [2, 21, 1_000_000]}),
        (one_many_other, {"one": [1], "many": [1_000_000, 3_000_000], "other": [0, 2, 1_000_001]}),
        (none_is_one_many_other, {"one": [0, 1], "many": [1_000_000], "other": [2, 10, 21]}),
        (
            east_slavic,
            {"one": [1, 21, 101], "few": [2, 4, 22, 104], "many": [0, 5, 11, 12, 14, 20, 111, 112]},
        ),
    ],
    ids=["en", "hi", "es", "pt", "ru"],
)
def test_numbers_have_the_forms_of_cldr(rule: Any, forms: dict[str, list[int]]) -> None:
    assert {form: [n for n in numbers if rule(n) == form] for form, numbers in forms.items()} == (
        forms
    )
    assert set(forms) == FORMS[rule]


def test_a_noun_goes_with_its_number() -> None:
    russian = texts_in("ru").limit_minute
    assert "1 секунду" in russian.format(1)
    assert "3 секунды" in russian.format(3)
    assert "11 секунд " in russian.format(11)
    assert "1 second " in ENGLISH.limit_minute.format(1)
    assert "1 Sekunde " in texts_in("de").limit_minute.format(1)
