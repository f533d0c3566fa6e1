"""The offline engine's own sentences, one table per language."""

from dataclasses import dataclass

from bot.offline.grammar.courtesies import Courtesy
from bot.offline.grammar.shapes import Shape


@dataclass(frozen=True, slots=True)
class EngineTexts:
    """The engine's own sentences; `{…}` are placeholders."""

    header: str
    elsewhere: str
    just_told: str
    calls_me: str
    noted: str
    liked: str
    quoted: str
    later: tuple[str, str]
    kept: str
    #: None: the tool's own sentence is said as it is.
    named: str | None
    own_name: str
    unnamed: str
    nothing_known: str
    not_known: str
    no_memory: str
    name_not_kept: str
    not_kept: str
    passing: str
    off_record: str
    #: Where nothing is kept at all: after a statement, a name, a question.
    heard_only: str
    no_names_here: str
    nothing_kept_here: str
    #: In a private conversation, after a statement, a name or a wish to remember.
    private: str
    okay: str
    nudge: str
    about_self: str
    forgetting: str
    otherwise: str
    asks_about_self: Shape
    wants_forgotten: Shape

    @property
    def openings(self) -> tuple[str, ...]:
        """The beginnings of its replies, which tell them from a person's words."""
        return (
            self.header,
            self.elsewhere,
            self.just_told,
            self.noted.split("{")[0],
            self.liked.split("{")[0],
            self.nothing_known,
            self.not_known,
            self.passing,
            self.off_record,
            self.nothing_kept_here,
            self.private,
        )


ENGLISH = EngineTexts(
    header="Here's what I know about you:",
    elsewhere="From our conversations:",
    just_told="In this conversation you told me:",
    calls_me="You call me {name}",
    noted="Noted: {said}.",
    liked="Got it: {said}.",
    quoted="“{said}”",
    later=(
        "I'll remember it when we finish this conversation.",
        "I'll remember them when we finish this conversation.",
    ),
    kept="I've remembered it: {said}.",
    named=None,
    own_name="My name is {name}.",
    unnamed="You haven't given me a name yet. Say “I'll call you …” to give me one.",
    nothing_known=(
        "I don't know anything about you yet. Tell me about yourself, and I'll remember it."
    ),
    not_known="I don't know that yet. Tell me, and I'll remember it.",
    no_memory="I can't look into my memory right now. Please ask me again in a little while.",
    name_not_kept="I couldn't store that name. Please try another one, or again later.",
    not_kept="I couldn't store that right now. Please tell me again later.",
    off_record="All right, I won't keep that.",
    heard_only=(
        "Long-term memory is switched off here: I won't remember it after this conversation."
    ),
    no_names_here=(
        "Sorry, I can't keep a name: long-term memory is switched off here, so I'd forget it."
    ),
    nothing_kept_here=(
        "Nothing is kept here: long-term memory is switched off, so I only know this conversation."
    ),
    private="This conversation is private: I keep nothing of it. /private ends it.",
    okay="Okay.",
    nudge="I'm here. Tell me something about yourself, or ask me what I know about you.",
    passing="I see. I keep lasting facts and preferences, so I won't store that.",
    about_self=(
        "I'm an assistant that remembers what you tell me. I run without a language model, so I "
        "understand plain statements about you and questions about what I know. See /help."
    ),
    forgetting=(
        "Use /memory to see what I keep, /forget with its id to remove it, and /forget all to "
        "remove everything."
    ),
    otherwise=(
        "I run without a language model, so I can't answer that. Tell me facts and preferences "
        "(“I work at …”, “I prefer …”), or name me (“I'll call you …”). Then ask “What do you "
        "know about me?” or see /help."
    ),
    asks_about_self=Shape(
        r"\b(?:help|what (?:can|do) you do|who are you|what are you|how do(?:es)? (?:you|this) "
        r"work|are you (?:an? )?(?:ai|bot|robot|human|real|person|machine|llm|gpt|chatgpt)|"
        r"how (?:can|do) i use)\b"
    ),
    wants_forgotten=Shape(r"\s*(?:please )?(?:forget|delete|erase)\b"),
)

RUSSIAN = EngineTexts(
    header="Вот что я о вас знаю:",
    elsewhere="Из наших разговоров:",
    just_told="В этом разговоре вы рассказали:",
    calls_me="Вы зовёте меня {name}",
    noted="Понятно: {said}.",
    liked="Учту: {said}.",
    quoted="«{said}»",
    later=("Я запомню это, когда мы закончим разговор.",) * 2,
    kept="Я запомнил: {said}.",
    named="Теперь меня зовут {name}. Я буду помнить это во всех наших разговорах.",
    own_name="Меня зовут {name}.",
    unnamed="Вы пока не дали мне имени. Скажите «Я буду звать тебя …», и оно появится.",
    nothing_known="Я пока ничего о вас не знаю. Расскажите о себе, и я запомню.",
    not_known="Этого я пока не знаю. Расскажите, и я запомню.",
    no_memory="Сейчас я не могу заглянуть в память. Спросите меня чуть позже.",
    name_not_kept="Это имя сохранить не удалось. Попробуйте другое или повторите позже.",
    not_kept="Сейчас сохранить это не удалось. Повторите позже.",
    off_record="Хорошо, этого я не сохраню.",
    heard_only="После разговора я этого не вспомню: долговременная память здесь выключена.",
    no_names_here="Простите, имя сохранить нельзя: долговременная память здесь выключена.",
    nothing_kept_here=(
        "Здесь ничего не хранится: долговременная память выключена, я знаю только этот разговор."
    ),
    private="Этот разговор приватный: я ничего из него не сохраняю. /private закончит его.",
    okay="Хорошо.",
    nudge="Я здесь. Расскажите о себе или спросите, что я о вас знаю.",
    passing="Понимаю. Я храню то, что верно надолго, поэтому это не запомню.",
    about_self=(
        "Я помощник, который помнит то, что вы рассказали. Я работаю без языковой модели, поэтому "
        "понимаю простые фразы о вас и вопросы о том, что я знаю. Подробнее: /help."
    ),
    forgetting=(
        "Команда /memory покажет, что я храню, /forget и id удалит запись, а /forget all "
        "удалит всё."
    ),
    otherwise=(
        "Я работаю без языковой модели и не могу на это ответить. Расскажите о себе («Я работаю "
        "в …», «Я люблю …») или дайте мне имя («Я буду звать тебя …»). Потом спросите «Что ты "
        "знаешь обо мне?» или посмотрите /help."
    ),
    asks_about_self=Shape(
        r"\b(?:помощь|помоги(?:те)?|что ты (?:умеешь|можешь)|кто ты|ты (?:бот|робот|человек)|"
        r"как ты работаешь)\b"
    ),
    wants_forgotten=Shape(r"\s*(?:пожалуйста,? )?(?:забудь|удали|сотри)"),
)

GERMAN = EngineTexts(
    header="Das weiß ich über dich:",
    elsewhere="Aus unseren Gesprächen:",
    just_told="In diesem Gespräch hast du mir erzählt:",
    calls_me="Du nennst mich {name}",
    noted="Verstanden: {said}.",
    liked="Alles klar: {said}.",
    quoted="„{said}“",
    later=("Ich merke es mir, wenn wir dieses Gespräch beenden.",) * 2,
    kept="Ich habe es mir gemerkt: {said}.",
    named="Ab jetzt heiße ich {name}. Das gilt in allen unseren Gesprächen.",
    own_name="Ich heiße {name}.",
    unnamed="Du hast mir noch keinen Namen gegeben. Sag „Ich nenne dich …“, und ich habe einen.",
    nothing_known="Ich weiß noch nichts über dich. Erzähl mir von dir, und ich merke es mir.",
    not_known="Das weiß ich noch nicht. Erzähl es mir, und ich merke es mir.",
    no_memory="Ich komme gerade nicht an mein Gedächtnis. Frag mich bitte gleich noch einmal.",
    name_not_kept="Diesen Namen konnte ich nicht speichern. Nimm einen anderen oder sag es später.",
    not_kept="Das konnte ich gerade nicht speichern. Sag es mir bitte später noch einmal.",
    off_record="In Ordnung, das behalte ich nicht.",
    heard_only=(
        "Das Langzeitgedächtnis ist hier ausgeschaltet: Nach diesem Gespräch vergesse ich es."
    ),
    no_names_here=(
        "Einen Namen kann ich leider nicht behalten: Das Langzeitgedächtnis ist hier ausgeschaltet."
    ),
    nothing_kept_here=(
        "Hier wird nichts gespeichert: Das Langzeitgedächtnis ist ausgeschaltet, ich kenne nur "
        "dieses Gespräch."
    ),
    private="Dieses Gespräch ist privat: Ich behalte nichts davon. /private beendet es.",
    okay="Gut.",
    nudge="Ich bin da. Erzähl mir etwas von dir, oder frag mich, was ich über dich weiß.",
    passing="Verstehe. Ich behalte, was auf Dauer gilt, deshalb speichere ich das nicht.",
    about_self=(
        "Ich bin ein Assistent, der sich merkt, was du erzählst. Ich laufe ohne Sprachmodell und "
        "verstehe deshalb einfache Sätze über dich und Fragen nach dem, was ich weiß. Mehr: /help."
    ),
    forgetting=(
        "/memory zeigt, was ich behalte, /forget mit der Kennung löscht einen Eintrag und "
        "/forget all alles."
    ),
    otherwise=(
        "Ich laufe ohne Sprachmodell und kann darauf nicht antworten. Erzähl von dir („Ich arbeite "
        "bei …“, „Ich mag …“) oder gib mir einen Namen („Ich nenne dich …“). Dann frag „Was weißt "
        "du über mich?“ oder sieh in /help nach."
    ),
    asks_about_self=Shape(
        r"\b(?:hilfe|hilf mir|was kannst du|wer bist du|was bist du|wie funktionierst du|"
        r"bist du (?:ein(?:e)? )?(?:ki|bot|roboter|mensch|maschine|echt))\b"
    ),
    wants_forgotten=Shape(r"\s*(?:bitte )?(?:vergiss|lösche?|entferne)\b"),
)

BY_CODE = {"en": ENGLISH, "ru": RUSSIAN, "de": GERMAN}

#: What is answered to a greeting, a good-bye and thanks, in the language of each. Where questions
#: are not understood, nothing invites one.
COURTESIES: dict[str, dict[Courtesy, str]] = {
    code: dict(zip(Courtesy, answers, strict=True))
    for code, answers in {
        "en": (
            "Hello! Tell me something about yourself, or ask me what I know about you.",
            "Take care, and see you soon!",
            "You're welcome!",
        ),
        "ru": (
            "Здравствуйте! Расскажите о себе или спросите, что я о вас знаю.",
            "Всего доброго, до встречи!",
            "Пожалуйста!",
        ),
        "de": (
            "Hallo! Erzähl mir etwas von dir, oder frag mich, was ich über dich weiß.",
            "Mach’s gut, bis bald!",
            "Gern geschehen!",
        ),
        "es": (
            "¡Hola! Cuéntame algo de ti; /memory muestra lo que guardo.",
            "¡Cuídate, hasta pronto!",
            "¡De nada!",
        ),
        "it": (
            "Ciao! Raccontami qualcosa di te; /memory mostra quello che ricordo.",
            "Stammi bene, a presto!",
            "Prego!",
        ),
        "pt": (
            "Olá! Conte algo sobre você; /memory mostra o que guardo.",
            "Tudo de bom, até logo!",
            "De nada!",
        ),
        "fr": (
            "Bonjour ! Parle-moi de toi ; /memory montre ce que je retiens.",
            "Prends soin de toi, à bientôt !",
            "De rien !",
        ),
        "zh": (
            "你好！说说你自己吧；用 /memory 可以看到我记住了什么。",
            "再见，下次聊！",
            "不客气！",
        ),
    }.items()
}
