"""The Russian table: naming, questions and saying back; its statements are in the labelled set."""

import pytest

from bot.offline.grammar.naming import asks_agent_name, naming
from bot.offline.grammar.questions import asks_to_remember, memory_question, second_person


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Я буду звать тебя Джарвис", "Джарвис"),
        ("буду звать тебя Джарвис, хорошо?", "Джарвис"),
        ("Тебя зовут Макс", "Макс"),
        ("Давай я буду звать тебя «Пятница»", "Пятница"),
        ("твоё имя теперь Ада", "Ада"),
        ("Меня зовут Анна", None),
        ("Зови меня Аней", None),
        ("Я завтра тебе позвоню", None),
        ("Как тебя зовут?", None),
    ],
)
def test_a_name_for_the_assistant_is_told_from_the_speakers(text: str, name: str | None) -> None:
    assert naming(text) == name


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("Что ты знаешь обо мне?", None),
        ("Привет, что ты помнишь обо мне?", None),
        ("Что ты обо мне знаешь?", None),
        ("Какая у меня аллергия?", "аллергия"),
        ("Где я работаю?", "работаю"),
        ("Когда у меня день рождения?", "день рождения"),
        ("что я говорил о работе?", "работе"),
        ("Ты помнишь, где я живу?", "живу"),
        ("Что ты знаешь о Рексе?", "Рексе"),
        ("Расскажи о моей семье", "семье"),
        ("Напомни, как зовут мою жену", "жену"),
    ],
)
def test_a_question_to_memory_is_understood(text: str, topic: str | None) -> None:
    question = memory_question(text)
    assert question is not None
    assert question.topic == topic


def test_other_questions_are_left_alone() -> None:
    for text in ("Какая погода?", "Что мне приготовить?"):
        assert memory_question(text) is None
    assert asks_agent_name("Как тебя зовут?")


@pytest.mark.parametrize(
    ("said", "back"),
    [
        ("Я работаю в Яндексе", "Вы работаете в Яндексе"),
        ("Мой день рождения 15 марта", "Ваш день рождения 15 марта"),
        ("Меня зовут Анна", "Вас зовут Анна"),
        ("Я не люблю оливки", "Вы не любите оливки"),
        ("Живу в Москве", "Живёте в Москве"),
        ("Я родилась в Туле", "Вы родились в Туле"),
        ("Я переехал в Берлин", "Вы переехали в Берлин"),
        ("Обожаю острую еду", "Обожаете острую еду"),
        ("Мою жену зовут Лена", "Вашу жену зовут Лена"),
        ("Отвечай коротко", "Отвечай коротко"),
    ],
)
def test_a_sentence_is_said_back_politely(said: str, back: str) -> None:
    assert second_person(said) == back


def test_requests_to_remember_are_known() -> None:
    assert asks_to_remember("Запомни, что у меня аллергия") == "У меня аллергия"
