"""Greetings, good-byes and thanks, and what is none of them."""

import pytest

from bot.offline.grammar.courtesies import Courtesy, courtesy

GREETINGS = {
    "en": ("Hello!", "hi there", "Good morning, how are you?", "Hey Jarvis", "good evening"),
    "ru": ("Привет!", "Доброе утро, как дела?"),
    "de": ("Hallo", "Guten Tag!", "Guten Abend, Max"),
    "es": ("¡Hola!", "buenos días"),
    "it": ("ciao", "Buongiorno!"),
    "pt": ("Olá!", "bom dia"),
    "fr": ("Bonjour", "salut !"),
    "zh": ("你好！",),
}
FAREWELLS = {
    "en": (
        "good night", "Good night, Jarvis!", "bye", "bye bye 👋", "Goodbye!", "see you",
        "See you tomorrow", "ok, thanks, bye", "see you later, have a nice day", "gotta go, bye",
        "take care", "Goodnight",
    ),
    "ru": ("пока", "Пока-пока!", "спокойной ночи", "До свидания", "ладно, до завтра"),
    "de": ("gute Nacht", "Tschüss!", "Auf Wiedersehen", "bis morgen", "ok, bis dann"),
    "es": ("adiós", "hasta luego", "vale, nos vemos"),
    "it": ("buonanotte", "arrivederci", "ciao ciao", "a domani"),
    "pt": ("tchau", "até amanhã"),
    "fr": ("bonne nuit", "au revoir", "merci, à bientôt"),
    "zh": ("再见", "晚安！"),
}  # fmt: skip
THANKS = {
    "en": ("thanks!", "Thank you so much", "ok, thanks a lot"),
    "ru": ("Спасибо большое!",),
    "de": ("danke", "Vielen Dank!", "danke schön"),
    "es": ("muchas gracias",),
    "it": ("grazie mille",),
    "pt": ("obrigada!",),
    "fr": ("merci beaucoup",),
    "zh": ("谢谢",),
}


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Courtesy.GREETING, GREETINGS),
        (Courtesy.FAREWELL, FAREWELLS),
        (Courtesy.THANKS, THANKS),
    ],
)
def test_courtesies_are_told_apart_with_their_language(
    kind: Courtesy, said: dict[str, tuple[str, ...]]
) -> None:
    for code, texts in said.items():
        assert {text: courtesy(text) for text in texts} == dict.fromkeys(texts, (kind, code))


@pytest.mark.parametrize(
    "text",
    [
        "Hello, I work at Acme",
        "Hello, I'm Anna",
        "thanks, but I work at Acme",
        "I said bye to my boss",
        "see you in court is my favourite film",
        "good night stories are what I like",
        "have a look",
        "пока не знаю",
        "gute Nachrichten",
        "danke, ich wohne in Berlin",
        "there",
        "Anna",
        "",
    ],
)
def test_what_says_more_is_no_courtesy(text: str) -> None:
    assert courtesy(text) is None


def test_a_long_row_of_them_is_read_at_once() -> None:
    for word in ("пока ", "bye ", "how are you there ", "ciao ", "danke "):
        row = (word * 30)[:90] + "1x!"
        assert courtesy(row) is None
    assert courtesy("hello " * 50_000) is None
