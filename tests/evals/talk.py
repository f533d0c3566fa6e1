"""Long talks to play to a model: one that is made up here, and real ones from a data set.

The made-up one is the same every time: stretches about a handful of subjects that come back again
and again, in several languages and scripts, with messages that point back and a few things to
remember. All its replies are long, and about equally so: when one turn costs more than another, it
is the memory's doing and not the talk's."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

from bot.evals.recall import Dialogue, read_dialogues
from memory.conversation.tokens import estimate_tokens
from memory.records import Role

#: How long a made-up reply is, in tokens: three or four paragraphs of English.
_REPLY_TOKENS = 700
#: How many turns a stretch about one subject takes.
_STRETCH = (3, 4, 5, 6)
#: After so many stretches something is to be remembered; no multiple of the number of subjects.
_APART = 7


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a person says and what the model answers. What it `keeps` it writes down with its tool
    before it answers."""

    said: str
    reply: str
    keeps: str | None = None


def made_up(turns: int) -> list[Exchange]:
    """A talk of this many turns, always the same."""
    return list(islice(_endless(), turns))


def real(path: Path, turns: int) -> list[Exchange]:
    """At most this many turns of a data set as `mordecai eval recall` reads it: the longest
    conversation, and the next longest where it ends before that. Raises ValueError for a file
    without an answer in it, or one that is not a data set."""
    talks = sorted((list(_exchanges(c)) for c in read_dialogues(path)), key=len, reverse=True)
    exchanges = [exchange for talk in talks for exchange in talk][:turns]
    if not exchanges:
        raise ValueError(f"{path}: nobody is answered in it")
    return exchanges


def _exchanges(conversation: Dialogue) -> Iterator[Exchange]:
    """What the user said and what was answered; several messages of one side are one."""
    said: list[str] = []
    replies: list[str] = []
    for turn in conversation.turns:
        message = turn.messages[0]
        if message.role is Role.ASSISTANT:
            replies += [message.text] if said and message.text.strip() else []
            continue
        if said and replies:
            yield Exchange("\n".join(said), "\n\n".join(replies))
            said, replies = [], []
        said += [message.text] if message.text.strip() else []
    if said and replies:
        yield Exchange("\n".join(said), "\n\n".join(replies))


@dataclass(frozen=True, slots=True)
class _Subject:
    """What one talks about, in one language. `asks` and `back` (which point back) are messages,
    `tells` the sentences of replies, with places for `things`; `keep` is a message with something
    to remember, `kept` what the model makes of it."""

    things: Sequence[str]
    asks: Sequence[str]
    back: Sequence[str]
    tells: Sequence[str]
    keep: str
    kept: str


_GARDEN = _Subject(
    things=("roses", "tomatoes", "compost", "raised beds", "lavender", "slugs", "apple tree",
            "rain barrel", "mulch", "peppers", "hedge", "seedlings"),
    asks=("What should I do about the {0} this month?",
          "My neighbour swears by {0}. Is it worth the work on clay soil?",
          "How do I get the {0} through a dry July without watering every day?",
          "I have two hours on Saturday: the {0} or the {1}, which first?"),
    back=("And what did you say about the {0} earlier?", "Continue, please.",
          "Do the same plan for the {0}, as before."),
    tells=("Start with the {0}: look at them early in the day, before the sun is on the leaves.",
           "On clay the {0} want less water than one thinks, but deeper and not as often.",
           "Leave the {1} for later; nothing is lost if they wait for two more weeks.",
           "If the {0} look tired, check the roots first and the leaves second.",
           "A handful of grit under the {0} does more than a bag of fertiliser on top of them.",
           "Write down when you cut the {1}, so that next year you know what the frost did."),
    keep="Please remember that I am allergic to wasp stings.",
    kept="I am allergic to wasp stings",
)  # fmt: skip
_RUNNING = _Subject(
    things=("long run", "intervals", "new shoes", "left knee", "breakfast", "hill repeats",
            "rest day", "pacing", "gels", "taper", "stretching", "heart rate"),
    asks=("I ran 18 km yesterday. What does that mean for the {0}?",
          "How would you fit the {0} into a week with three late shifts?",
          "Be honest: is the {0} what holds me back, or the {1}?",
          "Give me the next ten days, with the {0} in it."),
    back=("What did you just say about the {0}?", "Go on.", "Same as last week for the {0}?"),
    tells=("The {0} comes first this week, because everything else stands on it.",
           "Keep the {1} easy enough that you could talk in whole sentences all the way.",
           "If the {0} hurts for longer than a day, take the next day off and swim instead.",
           "Count backwards from race day: three weeks before it the {0} is at its longest.",
           "Nobody gets faster on the day of the {1}; one gets faster on the night after it.",
           "Put the {0} on the morning when you have slept, not on the one that looks tidy."),
    keep="Remember that my marathon is on 18 April.", kept="My marathon is on 18 April",
)  # fmt: skip
_KITCHEN = _Subject(
    things=("Arbeitsplatte", "Spüle", "Rückwand", "Steckdosen", "Beleuchtung", "Kühlschrank",
            "Fliesen", "Dunstabzug", "Schubladen", "Wasseranschluss", "Farbe", "Ecklösung"),
    asks=("Was würdest du bei der Planung mit dem Punkt {0} machen?",
          "Der Tischler fragt nach {0} und {1}. Was antworte ich ihm?",
          "Wie viel sollte ich für {0} einplanen, wenn alles zusammen 9.000 Euro kosten darf?",
          "Kann ich {0} selbst machen, oder rächt sich das?"),
    back=("Was hast du vorhin zum Punkt {0} gesagt?", "Weiter, bitte.", "Mach es wie zuvor."),
    tells=("Beim Punkt {0} zählt zuerst das Maß an der engsten Stelle, nicht das im Plan.",
           "Lass dir zu {0} zwei Angebote geben und frag jedes Mal, was nicht enthalten ist.",
           "Wenn {1} erst später kommt, muss die Leitung trotzdem jetzt in die Wand.",
           "An {0} zu sparen merkt man jeden Tag, an {1} dagegen eigentlich nie.",
           "Mach vor dem Zusägen von {0} ein Foto mit dem Zollstock im Bild.",
           "Für {0} rechne ich mit einem halben Tag, mit einem Helfer etwas weniger."),
    keep="Merk dir bitte, dass ich Linkshänder bin.", kept="ich Linkshänder bin",
)  # fmt: skip
_JOURNEY = _Subject(
    things=("Тбилиси", "Казбеги", "дорога в Сванетию", "хинкали", "аренда машины", "серные бани",
            "Кахетия", "ночной поезд", "погода в мае", "страховка", "Батуми", "рынок"),
    asks=("Что посоветуешь: {0} или {1}, если у нас всего восемь дней?",
          "Сколько времени заложить на пункт «{0}» с маленьким ребёнком?",
          "Подруга говорит, что {0} — это скучно. Она права?",
          "Как бы ты встроил пункт «{0}» в третий день?"),
    back=("Что ты говорил про пункт «{0}»?", "Продолжай.", "Сделай как раньше, только короче."),
    tells=("Пункт «{0}» лучше ставить на утро: днём там много людей и негде стоять.",
           "Если выбирать между «{0}» и «{1}», я бы начал с первого и не торопился.",
           "На «{0}» уйдёт примерно полдня, а с ребёнком — считайте целый день.",
           "Запасной вариант на случай дождя — «{1}», это близко и под крышей.",
           "Билеты на «{0}» берите заранее, за неделю цена заметно растёт.",
           "После пункта «{0}» ничего не планируйте: вечером захочется просто посидеть."),
    keep="Запомни, что моя дочь не ест рыбу.", kept="моя дочь не ест рыбу",
)  # fmt: skip
_GUITAR = _Subject(
    things=("cejilla", "arpegios", "afinación", "cambio de acordes", "ritmo", "púa", "oído",
            "postura", "cuerdas nuevas", "canción de mi abuela", "metrónomo", "escalas"),
    asks=("¿Cómo practico {0} si solo tengo veinte minutos al día?",
          "Me duele la mano con {0}. ¿Lo dejo y paso a {1}?",
          "¿Qué viene antes, {0} o {1}?",
          "Hazme un plan de dos semanas en torno a {0}."),
    back=("¿Qué dijiste sobre {0}?", "Continúa.", "Hazlo como antes, pero con {0}."),
    tells=("Con {0} conviene ir despacio: la velocidad llega sola y los vicios también.",
           "Dedica cinco minutos a {0} y luego cambia a {1}, aunque tengas ganas de seguir.",
           "Si {0} suena sucio, toca la mitad de fuerte y escucha cuerda por cuerda.",
           "Graba un minuto de {0} cada domingo; es el único espejo que no miente.",
           "Deja {1} para el final de la sesión, cuando las manos ya estén calientes.",
           "Con {0} la muñeca va recta y el codo suelto, y si duele se para."),
    keep="Recuerda que toco con la mano izquierda.", kept="toco con la mano izquierda",
)  # fmt: skip
_TEA = _Subject(
    things=("龙井", "普洱", "水温", "盖碗", "紫砂壶", "出汤时间", "白茶", "存放", "茶点", "岩茶",
            "洗茶", "公道杯"),
    asks=("{0}应该怎么选，才不会买贵了？",
          "我晚上喝茶睡不着，{0}和{1}哪个更合适？",
          "朋友周末来家里，{0}要准备到什么程度？",
          "请把{0}的步骤按顺序讲一遍。"),
    back=("你刚才说{0}怎么弄来着？", "继续。", "跟之前一样，换成{0}。"),
    tells=("说到{0}，先闻后看，最后才尝，不要一上来就问价钱。",
           "{0}不必讲究排场，水好、心静、时间准，就已经赢了一大半。",
           "如果{0}还拿不准，就少放一点，多冲几次，慢慢找到自己的口味。",
           "{1}可以留到最后，因为它味道重，会盖过前面的香气。",
           "记住{0}的时候别贪多，一次只改一个条件，才知道是哪里不一样。",
           "天气潮的时候，{0}要离地离墙，隔几天打开看一看。"),
    keep="请记住我不喝咖啡。", kept="我不喝咖啡",
)  # fmt: skip
_SUBJECTS = (_GARDEN, _JOURNEY, _RUNNING, _TEA, _KITCHEN, _GUITAR)


def _endless() -> Iterator[Exchange]:
    chance = random.Random(1)
    for stretch, subject in enumerate(cycle(_SUBJECTS)):
        # Each subject has something to remember, once, and far from the others'.
        if stretch % _APART == 0 and stretch < _APART * len(_SUBJECTS):
            yield Exchange(subject.keep, _reply(subject, chance), keeps=subject.kept)
        for number in range(chance.choice(_STRETCH)):
            messages = subject.back if number % 3 == 2 else subject.asks
            said = chance.choice(messages).format(*chance.sample(subject.things, 2))
            yield Exchange(said, _reply(subject, chance))


def _reply(subject: _Subject, chance: random.Random) -> str:
    """A long answer in paragraphs of four sentences, as models write."""
    sentences: list[str] = []
    while estimate_tokens(" ".join(sentences)) < _REPLY_TOKENS:
        things = chance.sample(subject.things, 2)
        sentences.append(chance.choice(subject.tells).format(*things))
    paragraphs = (" ".join(sentences[i : i + 4]) for i in range(0, len(sentences), 4))
    return "\n\n".join(paragraphs)
