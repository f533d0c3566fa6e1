"""The write gate lets sentences in and keeps secrets out."""

import pytest

from memory.errors import RefusedText
from memory.gate import MAX_RECORD_LENGTH, admit


@pytest.mark.parametrize("text", ["", "   ", "\x00\x00", "...!?", "🎉🎉"])
def test_what_says_nothing_is_refused(text: str):
    with pytest.raises(RefusedText):
        admit(text)


def test_a_document_is_refused_with_the_limit_named():
    with pytest.raises(RefusedText, match="at most 1000 characters"):
        admit("word " * MAX_RECORD_LENGTH)


def test_control_characters_and_newlines_become_spaces():
    assert admit("I live\n in\x00 Oslo\x1b") == "I live in Oslo"


@pytest.mark.parametrize(
    "secret",
    [
        "hunter2secret", "sk-proj-abcdefghijklmnop1234", "AKIAIOSFODNN7EXAMPLE",
        "ghp_abcdefghijklmnopqrstuvwxyz123456", "4111 1111 1111 1111", "4111111111111111",
        "123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bcd", "DE89 3704 0044 0532 0130 00",
    ],
)  # fmt: skip
def test_a_secret_is_masked_and_the_rest_of_the_sentence_stays(secret: str):
    kept = admit(f"My password is {secret}" if secret.startswith("hunter") else f"Mine is {secret}")
    assert secret not in kept
    assert "[hidden]" in kept


@pytest.mark.parametrize(
    "text",
    [
        "My phone has 128 GB", "I was born on 1990-03-15", "I like the band Token Ring",
        "My order number is 1234 5678 9012 3456",
    ],
)  # fmt: skip
def test_ordinary_numbers_and_words_stay(text: str):
    assert admit(text) == text


@pytest.mark.parametrize(
    "text", ["мой пароль: qwerty77", "mi contraseña es qwerty77", "mein Passwort ist qwerty77"]
)
def test_passwords_are_masked_in_other_languages(text: str):
    assert "qwerty77" not in admit(text)


@pytest.mark.parametrize(
    "text",
    [
        "my wifi password is hunter2.", "password: hunter2", "the PIN is “hunter2”, keep it",
        "Can you remember that my password is hunter2?",
    ],
)  # fmt: skip
def test_what_is_called_a_secret_is_masked_up_to_its_punctuation(text: str):
    kept = admit(text)
    assert "hunter2" not in kept
    assert kept == text.replace("hunter2", "[hidden]")
