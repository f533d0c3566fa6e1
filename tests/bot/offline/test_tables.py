"""What people most often say of themselves, in the languages that have a small table."""

from datetime import UTC, datetime

import pytest

from bot.offline.extractor import RuleExtractor
from bot.offline.grammar.statements import noteworthy
from bot.offline.languages.tables import language_code
from memory.ports import Reading
from memory.records import Role, Turn, Utterance

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("Ich heiße Jana", "name"),
        ("Ich wohne seit Mai in Bremen", "home"),
        ("Ich arbeite bei Siemens", "employer"),
        ("Ich arbeite als Lehrerin", "job_title"),
        ("Meine Schwester heißt Lena", None),
        ("Ich mag keinen Käse", None),
        ("I live in Oslo too", None),
        ("Ich arbeite auch bei Globex", None),
        ("También trabajo en Globex", None),
        ("Abito anche a Parma", None),
        ("Também trabalho na Globex", None),
        ("J'habite aussi à Lyon", None),
        ("Я также работаю в Яндексе", None),
        ("我也住在上海", None),
        ("Ich bin allergisch gegen Nüsse", None),
        ("Ich habe am 5. März Geburtstag", "birthday"),
        ("Me llamo Lucía", "name"),
        ("Vivo en Sevilla", "home"),
        ("Trabajo en Telefónica", "employer"),
        ("Trabajo como enfermera", "job_title"),
        ("Mi hermana se llama Ana", None),
        ("Me gusta el cine", None),
        ("Odio el ruido", None),
        ("Soy alérgica a las nueces", None),
        ("Mi cumpleaños es el 5 de marzo", "birthday"),
        ("Mi chiamo Giulia", "name"),
        ("Abito a Parma", "home"),
        ("Lavoro alla Fiat", "employer"),
        ("Lavoro come cuoco", "job_title"),
        ("Mia sorella si chiama Anna", None),
        ("Mi piace il mare", None),
        ("Odio il traffico", None),
        ("Sono allergico alle noci", None),
        ("Il mio compleanno è il 5 marzo", "birthday"),
        ("Meu nome é Rui", "name"),
        ("Eu moro em Lisboa", "home"),
        ("Trabalho na Petrobras", "employer"),
        ("Trabalho como professora", "job_title"),
        ("Minha irmã se chama Ana", None),
        ("Gosto de fado", None),
        ("Odeio barulho", None),
        ("Sou alérgica a amendoim", None),
        ("Meu aniversário é 5 de março", "birthday"),
        ("Je m'appelle Chloé", "name"),
        ("J'habite à Lyon", "home"),
        ("Je travaille chez Renault", "employer"),
        ("Je travaille comme infirmière", "job_title"),
        ("Ma sœur s'appelle Anne", None),
        ("J'aime le vin", None),
        ("Je déteste le bruit", None),
        ("Je suis allergique aux noix", None),
        ("Mon anniversaire est le 5 mars", "birthday"),
        ("我叫李明", "name"),
        ("我住在成都", "home"),
        ("我在腾讯工作", "employer"),
        ("我妹妹叫小雨", None),
        ("我喜欢爬山", None),
        ("我讨厌香菜", None),
        ("我对花生过敏", None),
        ("我的生日是三月五号", "birthday"),
    ],
)
def test_a_statement_is_kept_in_its_own_words(text: str, slot: str | None) -> None:
    (finding,) = noteworthy(text + "。" if text[0] > "\u3040" else text + ".")
    assert (finding.text, finding.slot) == (text, slot)


@pytest.mark.parametrize(
    "text",
    [
        "Wenn ich reich wäre, würde ich in Monaco wohnen.",
        "Bin ich Vegetarier?",
        "Ich habe eine Frage.",
        "Mein Nachbar sagt, ich wohne zu laut.",
        "Guten Morgen!",
        "Wie spät ist es?",
        "Si fuera rico, viviría en Mónaco.",
        "¿Soy alérgico al polen?",
        "Tengo una pregunta.",
        "Tengo hambre.",
        "Se fossi ricco, vivrei a Monaco.",
        "Ho una domanda.",
        "Sono stanco.",
        "Buongiorno!",
        "Se eu fosse rico, moraria em Mônaco.",
        "Tenho uma pergunta.",
        "Bom dia!",
        "Si j'étais riche, j'habiterais à Monaco.",
        "J'ai une question.",
        "Je suis fatigué.",
        "Bonjour !",
        "如果我有钱，我就住在摩纳哥。",
        "我是不是素食者？",
        "我有个问题。",
        "你好！",
        "Soy astronauta, jajaja.",
        "Ich bin Astronaut, haha.",
        "我是秦始皇，哈哈。",
    ],
)
def test_what_says_nothing_lasting_is_not_kept(text: str) -> None:
    assert noteworthy(text) == ()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("I live in Rome", "en"),
        ("Я живу в Риме", "ru"),
        ("Ich wohne in Rom", "de"),
        ("Vivo en Roma y soy maestra", "es"),
        ("Mi piace il mare", "it"),
        ("Eu moro em Roma", "pt"),
        ("J'habite à Rome", "fr"),
        ("我住在罗马", "zh"),
        ("ローマに住んでいます", None),
    ],
)
def test_a_language_is_told_by_its_small_words(text: str, code: str | None) -> None:
    assert language_code(text) == code


async def test_topics_are_what_was_talked_about_most() -> None:
    said = (
        "My dog Rex eats the sofa. What can I do about the sofa?",
        "> Boris:\n> Elephants, elephants, elephants!",
        "My password is Elephant7. Rex again: the sofa is gone.",
    )
    turns = [Turn(f"t{n}", "s", (Utterance(Role.USER, text, AT),)) for n, text in enumerate(said)]
    extraction = await RuleExtractor().extract(Reading(tuple(turns)))
    assert set(extraction.topics) == {"the sofa", "Rex"}
