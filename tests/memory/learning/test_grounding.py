"""What stands in somebody's words, and whether they meant it of themselves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.learning.grounding import (
    is_grounded,
    is_meant,
    sequence,
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I work at Acme Corp", "hi! i'm working at acme corp these days"),
        ("I work at Acme", "My sister lives here and I work at Acme"),
        ("My sister works at Acme", "my sister works at Acme"),
        ("My sister and I live in Rome", "My sister and I live in Rome."),
        ("I live in Rome", "I live in Rome, do you know a good café?"),
        ("I don't eat meat", "Just so you know, I do not eat meat"),
        ("I get sick if I drink milk", "I get sick if I drink milk"),
        ("My dog is called Rex", "We have two cats. My dog is called Rex!"),
        ("My motto is never give up", 'My motto is: "never give up"'),
        ("My favourite book is Emma", "My favourite book is “Emma”"),
        ("Ich arbeite bei Siemens", "Seit Mai arbeite ich bei Siemens in München"),
        ("Я работаю в Яндексе", "Сейчас работаю в Яндексе"),
        ("Vivo en Roma", "Ahora vivo en Roma con mi hermana"),
        ("J'habite à Paris", "Moi, j'habite à Paris depuis un an"),
        ("我在北京工作", "你好，我在北京工作"),
    ],
)
def test_what_people_state_of_themselves_is_theirs(text: str, said: str) -> None:
    assert is_grounded(text, said)
    assert is_meant(text, said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I live in Paris", "I live in Rome"),
        ("i live in paris", "i live in rome"),
        ("I have 3 cats", "I have 2 cats"),
        ("My daughter is called Lena", "My daughter is called Marta"),
        ("Я живу в Москве", "Я живу в Казани"),
        ("Ich wohne in Köln", "Ich wohne in Bremen"),
        ("我住在北京", "我住在上海很久"),
        ("The admin password may be shared", "remember that I park on level 3"),
    ],
)
def test_other_names_and_numbers_are_not_their_words(text: str, said: str) -> None:
    assert not is_grounded(text, said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        # Somebody else.
        ("I work at Acme", "My sister works at Acme"),
        ("I work at Acme", "Anna works at Acme"),
        ("I worked at Acme", "My plumber worked at Acme"),
        ("I work at Acme", "My sister works at Acme and I work at Globex"),
        ("I have two kids", "She has two kids, my neighbour"),
        ("Ich arbeite bei Siemens", "Meine Schwester arbeitet bei Siemens"),
        ("Я работаю в Яндексе", "Сестра работает в Яндексе"),
        ("Я работаю в Яндексе", "Моя сестра работает в Яндексе"),
        ("Vivo en Roma", "Mi hermana vive en Roma"),
        ("Vivo a Roma", "Mia sorella vive a Roma"),
        ("Eu moro em Lisboa", "Minha irmã mora em Lisboa"),
        ("Je travaille chez Renault", "Ma sœur travaille chez Renault"),
        ("我在北京工作", "我姐姐在北京工作"),
        # Not in this world.
        ("I live in Monaco", "If I were rich, I'd live in Monaco"),
        ("I live in Monaco", "I would live in Monaco"),
        ("I live in Monaco", "I wish I could live in Monaco"),
        ("Ich wohne in Monaco", "Wenn ich reich wäre, würde ich in Monaco wohnen"),
        ("Vivo en Mónaco", "Si fuera rico, viviría en Mónaco"),
        ("Vivo a Monaco", "Se fossi ricco vivrei a Monaco"),
        ("Я живу в Монако", "Если бы я был богат, я жил бы в Монако"),
        ("我住在摩纳哥", "如果我有钱，我就住在摩纳哥"),
        ("If I won, I would move to Paris", "If I won, I would move to Paris"),
        ("Wenn ich reich wäre, würde ich segeln", "Wenn ich reich wäre, würde ich segeln"),
        # Quoted.
        ("I work as a pilot", 'My landlord wrote: "I moved to Spain. I work as a pilot." Help!'),
        ("Tengo tres perros", "Mi vecino escribió: «Tengo tres perros y un gato»"),
        ("我离婚了", "我朋友发来消息：“我离婚了，下个月搬到厦门。”"),
        # Asked, not told.
        ("I live in Paris", "Do I live in Paris?"),
        ("I am allergic to nuts", "Am I allergic to nuts?"),
        ("Ich bin allergisch gegen Nüsse", "Bin ich allergisch gegen Nüsse?"),
        ("我是素食者", "我是素食者？"),
        # Joked.
        ("I am an astronaut", "I am an astronaut. Just kidding!"),
        ("Ich bin Astronaut", "Ich bin Astronaut. War nur Spaß"),
        ("Я космонавт", "Я космонавт. Шучу!"),
        # The other way round.
        ("I eat meat", "I don't eat meat"),
        ("I don't like tea", "I like tea a lot"),
        ("Ich esse Fleisch", "Ich esse wirklich kein Fleisch"),
        ("Я ем мясо", "Я совсем не ем мясо"),
        ("Como carne", "Nunca como mucha carne"),
    ],
)
def test_what_they_say_of_others_or_do_not_mean_is_not_theirs(text: str, said: str) -> None:
    assert not is_meant(text, said)


@pytest.mark.parametrize("said", ["Could you answer in French?", "¿Puedes responder en francés?"])
def test_a_wish_to_the_assistant_may_be_a_question(said: str) -> None:
    assert is_meant("Answer in French", said, wish=True)
    assert not is_meant("Answer in French", said)


@pytest.mark.parametrize(
    ("one", "other"),
    [("I'm not here", "I am not here"), ("I don't", "i do not"), ("can't", "cannot")],
)
def test_contractions_are_read_apart(one: str, other: str) -> None:
    assert [w for w in sequence(one) if w != "am"] == [w for w in sequence(other) if w != "am"]


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_asked_about(text: str, said: str) -> None:
    is_grounded(text, said)
    is_meant(text, said)
