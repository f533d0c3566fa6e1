"""The notebook in the real conversation: it keeps what it is told, and answers with quotes."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.memory import MemoryOptions
from memory.records import Actor, Kind
from tests.fakes.bots import Bot, open_bot, place_of
from tests.fakes.temporary_store import TemporaryStore

ANNA, BORIS = Actor.person(1), Actor.person(2)


@pytest.fixture
async def bot(tmp_path: Path) -> AsyncIterator[Bot]:
    async with open_bot(TemporaryStore(), tmp_path) as bot:
        yield bot


async def _told(bot: Bot, *lines: str) -> list[str]:
    """The replies to these lines, said in one session that ends."""
    replies = [await bot.hears(ANNA, line) for line in lines]
    ending = await bot.memory.talk.end(ANNA, place_of(ANNA), "new")
    assert ending is not None
    await ending.wait(5)
    return replies


async def test_it_says_once_what_it_is(bot: Bot):
    first, second = await _told(bot, "my cat is Pickle", "she sleeps all day")
    assert "without a language model" in first
    assert second == "Kept."
    assert "language model" not in await bot.hears(ANNA, "we moved to the attic yesterday")


async def test_a_question_is_answered_with_a_quote_and_its_date(bot: Bot):
    await _told(bot, "locker is in the basement", "my sister Joana lands at 7:15 on friday")
    assert await bot.hears(ANNA, "when does my sister land?") == (
        "“my sister Joana lands at 7:15 on friday” · today"
    )


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("emma's bday is on the 4th of may", "when's emma's bday"),
        ("il compleanno di emma è il 4 maggio", "quand'è il compleanno di emma"),
    ],
)
async def test_a_question_needs_no_mark(bot: Bot, told: str, asked: str):
    await _told(bot, told)
    assert f"“{told}”" in await bot.hears(ANNA, asked)


async def test_what_was_said_in_this_very_conversation_counts(bot: Bot):
    await bot.hears(ANNA, "the plumber comes on tuesday at 8")
    assert "tuesday at 8" in await bot.hears(ANNA, "when does the plumber come?")


@pytest.mark.parametrize(
    ("told", "asked", "right", "wrong"),
    [
        (
            ("my sister lands at 7:15 at gatwick", "ugh no wait that was the old one, its 6:40"),
            "when does my sister land?",
            "6:40",
            "7:15",
        ),
        (
            ("im a nurse on ward 6B, 9A after easter", "not on 6B anymore, on 9A as of today"),
            "which ward am i on?",
            "9A as of",
            "nurse",
        ),
        (
            ("Der Zahnarzt ist am 4. Mai", "Der Zahnarzt ist jetzt am 9. Mai"),
            "wann ist der Zahnarzt?",
            "9. Mai",
            "4. Mai",
        ),
        (
            ("пью лозартан 50 утром", "лозартан мне теперь назначили 100"),
            "какую дозу лозартана я пью?",
            "100",
            "50",
        ),
        (
            ("el taller de Bruna abre el lunes", "la tienda de Berta cambió, ahora abre el jueves"),
            "cuándo abre el taller de Bruna?",
            "lunes",
            "jueves",
        ),
        (("老王欠我一顿火锅", "老汪欠我200块"), "老王欠我什么？", "火锅", "200"),
        (
            ("die Maut war mit 18 angegeben", "tja, am Automaten sind es jetzt 21"),
            "wie hoch ist die Maut?",
            "21",
            "18",
        ),
        (
            ("we paint the fence in cobalt", "the council does not allow cobalt, so slate"),
            "in which paint is the fence?",
            "slate",
            "in cobalt",
        ),
        (
            ("el portero es Benito", "Benito se fue", "en su lugar está Nuria"),
            "¿quién trabaja de portero?",
            "Nuria",
            "es Benito",
        ),
        (
            ("dentist moved to the 9th", "dentist wants 480 for a crown"),
            "when is the dentist?",
            "9th",
            "480",
        ),
        (
            ("tom's physio is on the 3rd at noon", "Ann's physio is on the 8th at noon, ask Tom"),
            "when is ann's physio?",
            "8th",
            "3rd",
        ),
    ],
)
async def test_what_was_corrected_is_not_answered(
    bot: Bot, told: tuple[str, ...], asked: str, right: str, wrong: str
):
    await _told(bot, *told)
    answer = await bot.hears(ANNA, asked)
    assert right in answer
    assert wrong not in answer


@pytest.mark.parametrize(
    ("told", "asked", "right", "wrong"),
    [
        (
            ("My name is Anna and I live in Graz.", "that's wrong, I live in Vienna"),
            ("what's my name?", "where do I live?"),
            ("Anna", "Vienna"),
            "“actually",
        ),
        (
            ("My name is Anna and I live in Graz.", "actually my name is Anne"),
            ("what's my name?", "what do you know about me?"),
            ("Anne", "Anne"),
            "Anna",
        ),
        (("你好,我叫小明,住在成都。", "不对,我住在北京"), ("我住在哪里?",), ("北京",), "成都"),
        (
            ("Ich heiße Anna und wohne in Graz.", "das stimmt nicht, ich wohne in Wien"),
            ("wo wohne ich?", "was weißt du über mich?"),
            ("Wien", "Wien"),
            "Graz",
        ),
    ],
)
async def test_the_last_name_and_home_that_somebody_stated_count(
    bot: Bot, told: tuple[str, ...], asked: tuple[str, ...], right: tuple[str, ...], wrong: str
):
    await _told(bot, *told)
    for question, needle in zip(asked, right, strict=True):
        answer = await bot.hears(ANNA, question)
        assert needle in answer
        assert wrong not in answer


async def test_a_correction_is_shown_with_what_it_corrects_but_for_the_wrong_number(bot: Bot):
    await _told(bot, "I have a dentist appointment tomorrow at 5:40", "no wait, it's at 6:40")
    answer = await bot.hears(ANNA, "when is my dentist appointment?")
    assert answer.startswith(
        "“I have a dentist appointment tomorrow at …” · today\n“no wait, it's at 6:40” · today"
    )


@pytest.mark.parametrize(
    ("told", "asked", "right"),
    [
        (
            ("My dog is called Fido", "I must not eat gluten", "Actually, my dog is called Fuffi"),
            "what must I not eat?",
            "gluten",
        ),
        (
            ("Soy alérgica al gluten", "Perdón, mi perro se llama Fuffi"),
            "¿a qué soy alérgica?",
            "gluten",
        ),
        (
            ("Sono allergica al glutine", "Anzi, anche al lattosio"),
            "a cosa sono allergica?",
            "glutine",
        ),
        (("I live in Rome", "no, I don't like pizza"), "where do I live?", "Rome"),
        (
            ("I take 5 mg of warfarin", "My aunt's birthday is May 3", "sorry, I meant 10 mg"),
            "how much warfarin do I take?",
            "10 mg",
        ),
    ],
)
async def test_a_correction_of_something_else_leaves_the_line_before_it_alone(
    bot: Bot, told: tuple[str, ...], asked: str, right: str
):
    await _told(bot, *told)
    assert right in await bot.hears(ANNA, asked)


@pytest.mark.parametrize(
    ("forwarded", "quoted"),
    [
        ("> Eve:\n> The party is on Friday at 8", "Eve: “The party is on Friday at 8” · today"),
        (
            "> Eve:\n> > The party\n> > > is on Friday\n>\n> at 8\nI look forward to it",
            "Eve: “The party is on Friday at 8” · today",
        ),
        ("> The party is on Friday at 8", "“The party is on Friday at 8” · today"),
        (
            "> [a photo]\nlook at us\n> Eve Adams:\n> The party is on Friday at 8",
            "Eve Adams: “The party is on Friday at 8” · today",
        ),
    ],
)
async def test_what_somebody_else_wrote_is_quoted_as_theirs(bot: Bot, forwarded: str, quoted: str):
    await _told(bot, forwarded)
    assert quoted in (await bot.hears(ANNA, "when is the party?")).split("\n")


async def test_a_changed_message_is_quoted_as_it_reads_now(bot: Bot):
    await bot.hears(ANNA, "My dog is called Rex")
    [turn] = await bot.memory.talk.recent(ANNA, place_of(ANNA))
    assert await bot.memory.talk.reword(ANNA, place_of(ANNA), turn.id, "My dog is called Max")
    assert "Max" in await bot.hears(ANNA, "what is my dog called?")
    assert "Rex" not in await bot.hears(ANNA, "what do you know about me?")


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("I am a baker", "what do you know about me?"),
        ("I'm pregnant", "what do you know about me?"),
        ("Ich bin Vegetarier", "was weißt du über mich?"),
        ("Я вегетарианец", "что ты знаешь обо мне?"),
    ],
)
async def test_one_word_about_oneself_is_enough_for_an_overview(bot: Bot, said: str, asked: str):
    await _told(bot, said)
    assert said in await bot.hears(ANNA, asked)


async def test_an_overview_shows_what_a_correction_without_a_subject_corrects(bot: Bot):
    await _told(bot, "my dog is called Rex", "no sorry, his name is Max")
    overview = await bot.hears(ANNA, "what do you know about me?")
    assert "my dog is called …" in overview
    assert "his name is Max" in overview
    assert "Rex" not in overview


@pytest.mark.parametrize(
    ("told", "asked", "source", "year"),
    [
        ("my cat is Pickle", "what is my cat called?", "where do you know that from?", " 20"),
        ("meine Katze heißt Pickle", "wie heißt meine Katze?", "Woher weißt du das?", ". "),
        ("мою кошку зовут Муся", "как зовут мою кошку?", "откуда ты это знаешь?", " 20"),
    ],
)
async def test_where_it_knows_that_from_is_told_with_the_day(
    bot: Bot, told: str, asked: str, source: str, year: str
):
    await _told(bot, told)
    await bot.hears(ANNA, asked)
    answer = await bot.hears(ANNA, source)
    assert f"“{told}” · " in answer
    assert year in answer.split("· ")[1]


@pytest.mark.parametrize(
    ("said", "now", "asked", "later"),
    [
        (
            "The dentist is at 5:40 tomorrow\nno wait, 6:40\nwhat time is the dentist?",
            "no wait, 6:40",
            "what time is the dentist?",
            "no wait, 6:40",
        ),
        (
            "Where do I live?\nI live in Basel now\nWhere do I live?",
            "I live in Basel now",
            "where do I live?",
            "I live in Basel now",
        ),
        ("By the way, I hate onions. What do I hate?", "onions.”", "what do I hate?", "onions"),
        ("The plumber comes on Friday at 8, ok?", "Kept.", "when does the plumber come?", "at 8"),
        ("My sister Lea lives in Bern, right?", "Kept.", "where does my sister live?", "Bern"),
        ("Der Klempner kommt am Freitag, ja?", "Notiert.", "wann kommt der Klempner?", "Freitag"),
        ("Мы переехали в Казань. Где мой паспорт?", "Записано.", "куда мы переехали?", "Казань"),
        (
            "could you please note that Tom owes me 20 euros?",
            "Kept: “Tom owes me 20 euros”",
            "how much does Tom owe me?",
            "20 euros",
        ),
    ],
)
async def test_what_a_message_tells_beside_a_question_is_kept_and_used(
    bot: Bot, said: str, now: str, asked: str, later: str
):
    (reply,) = await _told(bot, said)
    assert now in reply
    assert later in await bot.hears(ANNA, asked)


async def test_all_that_was_said_of_somebody_is_told_when_asked_for(bot: Bot):
    told = ("My sister Meera is a nurse", "Her birthday is on 3 March", "Meera got a dog called Bo")
    await _told(bot, *told, "I had soup today", "who is Meera?")
    assert await bot.hears(ANNA, "what do you know about Meera?") == "\n".join(
        f"“{line}” · today" for line in told
    )


async def test_of_much_about_one_thing_the_last_is_shown_and_how_much_more_there_is(bot: Bot):
    for number in range(4101, 4116):
        await bot.hears(ANNA, f"invoice {number} of Brandt is paid")
    answer = await bot.hears(ANNA, "what do you know about Brandt?")
    assert "4115" in answer
    assert "… +3" in answer


async def test_what_is_said_to_the_assistant_tells_nothing_of_the_person(bot: Bot):
    await _told(bot, "call yourself Otto", "which car do I drive?", "I drive a blue Volvo")
    known = await bot.hears(ANNA, "what do you know about me?")
    assert "Volvo" in known
    assert "call yourself" not in known
    assert "which car" not in await bot.hears(ANNA, "where do I live?")


async def test_a_line_that_goes_on_with_it_is_shown_with_the_one_before(bot: Bot):
    await _told(bot, "we got a hamster", "its called Kevin")
    answer = await bot.hears(ANNA, "have we got a hamster?")
    assert "we got a hamster" in answer
    assert "Kevin" in answer


async def test_if_no_word_is_shared_the_line_whose_words_look_alike_is_the_closest(bot: Bot):
    await _told(bot, "we rented a Kühlraumanlage for the fair", "lunch was great", "it rained")
    reply = await bot.hears(ANNA, "which Tiefkühlraum was it?")
    assert reply.startswith("I have nothing on exactly that")
    assert "Kühlraumanlage" in reply
    assert "“" not in await bot.hears(ANNA, "which orchestra was it?")


@pytest.mark.parametrize(
    ("told", "asked", "right"),
    [
        (
            ("so i'm Pia, vet nurse from Leeds", "Omar works in York, at the mill"),
            "where do i live?",
            "Leeds",
        ),
        (
            ("soy Pía, cirujana en Soria", "a Omar le cambiaron el trabajo otra vez"),
            "¿en qué trabajo tengo experiencia?",
            "Soria",
        ),
        (("the boiler broke", "paid 310 to get it going"), "how much did the boiler cost?", "310"),
        (("я Пётр", "бюджет 950 короче", "пиши мне по-простому"), "как мне отвечать?", "простому"),
        (
            ("dammi risposte secche", "ti scrivo dopo"),
            "come ti devi esprimere con me?",
            "secche",
        ),
        (
            ("the alarm code is 4711, tell nobody", "the alarm went off twice"),
            "what about the alarm?",
            "twice",
        ),
    ],
)
async def test_a_question_by_kind_is_answered_with_a_line_of_that_kind(
    bot: Bot, told: tuple[str, ...], asked: str, right: str
):
    await _told(bot, *told)
    assert right in await bot.hears(ANNA, asked)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("what's my brother's name?", "I have nothing on that."),
        ("wie heißt mein Bruder?", "Dazu habe ich nichts."),
        ("как зовут моего брата?", "Об этом у меня ничего нет."),
    ],
)
async def test_what_was_never_said_is_not_answered_with_something_else(
    bot: Bot, asked: str, answer: str
):
    await _told(bot, "my sister is called Joana", "her new bf is called Marek")
    assert await bot.hears(ANNA, asked) == answer


async def test_other_peoples_words_do_not_answer_what_is_asked_of_oneself(bot: Bot):
    await _told(bot, "ollie wrote these\n> I live in Cardiff with a goat", "i play bass")
    assert "Cardiff" not in await bot.hears(ANNA, "where do I live?")


async def test_a_secret_does_not_come_back(bot: Bot):
    (told,) = await _told(bot, "my password is hunter2")
    assert "without the secret" in told
    assert "hunter2" not in await bot.hears(ANNA, "what is my password?")


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("i used to smoke but i quit 3 years ago", "Kept."),
        ("ich habe gestern den Keller aufgeräumt", "Notiert."),
        ("вчера мы купили новый диван", "Записано."),
        ("ayer compramos un sofá nuevo para la casa", "Anotado."),
        ("ontem a gente comprou um sofá novo", "Anotado."),
        ("hier nous avons acheté un nouveau canapé", "C'est noté."),
        ("ieri abbiamo comprato un divano nuovo", "Annotato."),
        ("昨天我们买了新沙发", "记下了。"),
        ("कल हमने नया सोफ़ा लिया", "लिख लिया।"),
        ("kal humne naya sofa liya hai", "Likh liya."),
        ("hi", "Hello!"),
        ("danke", "Gern geschehen."),
        ("🙂", "I'm here."),
        ("ok", "I'm here."),
        ("don't remember this", "All right, I won't keep that."),
    ],
)
async def test_each_message_is_answered_in_its_own_language(bot: Bot, said: str, reply: str):
    assert (await bot.hears(ANNA, said)).startswith(reply)


async def test_a_name_is_given_by_the_tool_and_told_when_asked(bot: Bot):
    assert (await bot.hears(ANNA, "call yourself Otto")).startswith("From now on I'm Otto.")
    assert (await bot.memory.choices.read(ANNA)).agent_name == "Otto"
    assert await bot.hears(ANNA, "what is your name?") == "You call me Otto."


@pytest.mark.parametrize(
    "said",
    ["I'll call you later today", "I'll call you Friday at noon", "call me Anna", "you are nice"],
)
async def test_not_everything_that_calls_is_a_name(bot: Bot, said: str):
    await bot.hears(ANNA, said)
    assert (await bot.memory.choices.read(ANNA)).agent_name is None


@pytest.mark.parametrize(
    "said",
    [
        "forget what I said about Julia",
        "vergiss, was ich über Julia gesagt habe",
        "забудь про Julia",
    ],
)
async def test_what_is_to_be_forgotten_is_shown_with_buttons(bot: Bot, said: str):
    await _told(bot, "Julia is a lawyer from the gym")
    assert "Kept." not in await bot.hears(ANNA, said)
    assert "lawyer" in await bot.hears(ANNA, "who is Julia?"), "nothing is deleted unasked"


async def test_who_wants_everything_forgotten_hears_how(bot: Bot):
    await _told(bot, "my cat is Pickle")
    assert "/forget all" in await bot.hears(ANNA, "forget everything")


async def test_remember_that_is_kept_at_once(bot: Bot):
    reply = await bot.hears(ANNA, "remember that I park in section B7")
    assert reply.startswith("Kept: “I park in section B7”")
    (fact,) = await bot.memory.known.records(ANNA)
    assert fact.text == "I park in section B7"


@pytest.mark.parametrize(
    ("told", "shown", "hidden"),
    [
        (
            ("i'm Pia from Leeds, i work at Harlow's mill", "i quit the mill, so now i'm at Nero"),
            ("i'm Pia from Leeds, …", "now i'm at Nero"),
            "Harlow",
        ),
        (
            ("my sister Joana lands on friday at 7:15", "no wait, it's 6:40"),
            ("my sister Joana lands on friday at …", "no wait, it's 6:40"),
            "7:15",
        ),
        (
            ("my brother Tom plays the oboe", "my brother Tom does not play the oboe"),
            ("does not play",),
            "Tom plays",
        ),
        (("I live in Oslo and I like rain", "I live in Bern"), ("Bern", "I like rain"), "Oslo"),
    ],
)
async def test_an_overview_shows_what_still_holds_of_a_line_and_its_correction(
    bot: Bot, told: tuple[str, ...], shown: tuple[str, ...], hidden: str
):
    await _told(bot, *told)
    known = await bot.hears(ANNA, "what do you know about me?")
    for text in shown:
        assert text in known
    assert hidden not in known


async def test_an_overview_tells_a_fact_whose_message_is_gone(tmp_path: Path):
    store = TemporaryStore()
    async with open_bot(store, tmp_path) as bot:
        await _told(bot, "remember that I am vegan")
        messages = await store.records(ANNA, kinds=(Kind.MESSAGE,))
        await store.delete(ANNA, [record.id for record in messages])
        assert "I am vegan" in await bot.hears(ANNA, "what do you know about me?")


@pytest.mark.parametrize(
    ("told", "denied", "asked"),
    [
        ("i am vegan", "btw i'm not vegan anymore", "what do you know about me?"),
        ("ich bin vegan", "ich bin übrigens nicht mehr vegan", "was weißt du über mich?"),
    ],
)
async def test_a_fact_denied_in_a_later_session_has_ended(
    bot: Bot, told: str, denied: str, asked: str
):
    await _told(bot, told)
    assert len(await bot.memory.known.records(ANNA, (Kind.FACT,))) == 1
    await _told(bot, denied)
    assert await bot.memory.known.records(ANNA, (Kind.FACT,)) == []
    known = await bot.hears(ANNA, asked)
    assert denied in known
    assert f"“{told}”" not in known


async def test_an_overview_quotes_what_holds_and_tells_no_joke_and_no_secret(bot: Bot):
    await _told(
        bot,
        "hello there",
        "my sister Joana works on ferries in Lisbon",
        "if it was up to me id move to berlin",
        "wifi password is Kestrel-Pond-88",
        "please keep your answers short",
        "what's for dinner?",
    )
    known = await bot.hears(ANNA, "what do you know about me?")
    assert "Joana works on ferries" in known
    assert "keep your answers short" in known
    for untold in ("berlin", "Kestrel", "dinner", "hello"):
        assert untold not in known


async def test_nobody_is_answered_with_anybody_elses_lines(bot: Bot):
    await _told(bot, "my sister Joana lands at 7:15")
    assert await bot.hears(BORIS, "when does my sister land?") != ""
    assert "7:15" not in await bot.hears(BORIS, "when does my sister land?")


async def test_without_a_long_term_memory_nothing_is_promised(tmp_path: Path):
    options = MemoryOptions(memory_enabled=False)
    async with open_bot(TemporaryStore(), tmp_path, options) as bot:
        assert "switched off" in await bot.hears(ANNA, "the plumber comes on tuesday")
        assert "tuesday" in await bot.hears(ANNA, "when does the plumber come?")


async def test_an_address_is_in_no_language(bot: Bot):
    assert "without a language model" in await bot.hears(ANNA, "https://example.com/article")
