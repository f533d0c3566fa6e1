"""Messages that are nothing but a courtesy: a greeting, a good-bye, thanks; by language."""

from dataclasses import dataclass
from enum import StrEnum

from bot.offline.grammar.shapes import Shape

#: No courtesy is longer, in characters; it also bounds the matching.
_LONGEST = 100


class Courtesy(StrEnum):
    """A message that is nothing but a courtesy."""

    GREETING = "greeting"
    FAREWELL = "farewell"
    THANKS = "thanks"


def courtesy(text: str) -> tuple[Courtesy, str] | None:
    """The kind of courtesy, and the ISO 639-1 code of its language; None if the message says
    anything else."""
    said = text.strip().replace("’", "'")
    if len(said) > _LONGEST:
        return None
    for kind in Courtesy:
        for code, words in _BY_LANGUAGE.items():
            if words.of(kind).match(said):
                return kind, code
    return None


def is_courtesy(text: str) -> bool:
    return courtesy(text) is not None


@dataclass(frozen=True, slots=True)
class _Words:
    greeting: Shape
    farewell: Shape
    thanks: Shape

    def of(self, kind: Courtesy) -> Shape:
        by_kind = {
            Courtesy.GREETING: self.greeting,
            Courtesy.FAREWELL: self.farewell,
            Courtesy.THANKS: self.thanks,
        }
        return by_kind[kind]


#: Somebody addressed by name, at the end.
_NAME = r"(?-i:[A-ZÀ-ÖØ-ÞА-ЯЁ][a-zß-öø-ÿа-яё-]+)"


def _nothing_but(words: str, after: str = "", before: str = "") -> Shape:
    """One or several of these words; words of `before` may precede, words of `after` and a name may
    follow."""
    follow = "|".join(filter(None, (words, after, _NAME)))
    lead = rf"(?:(?:{before})\b\W+)*" if before else ""
    return Shape(rf"\W*{lead}(?:{words})\b(?:\W+(?:{follow})\b)*\W*$")


_BY_LANGUAGE = {
    "en": _Words(
        greeting=_nothing_but(
            r"hi+|hello+|hey+|hiya|howdy|yo|greetings|good\s+(?:morning|afternoon|evening|day)|"
            r"morning|how\s+are\s+you(?:\s+\w+)?|how's\s+it\s+going|what's\s+up|"
            r"nice\s+to\s+meet\s+you|welcome\s+back",
            after=r"there|again|everyone|bot|assistant|my\s+friend",
        ),
        farewell=_nothing_but(
            r"good\s*night|nighty\s+night|(?:good\s*)?bye|farewell|"
            r"see\s+(?:you|ya)|cya|so\s+long|take\s+care|sleep\s+(?:well|tight)|sweet\s+dreams|"
            r"(?:talk|speak)\s+to\s+you|ttyl|until\s+(?:next\s+time|tomorrow)|catch\s+you\s+later|"
            r"have\s+a\s+(?:good|nice|great|lovely)\s+(?:day|night|evening|weekend|one|time)|"
            r"(?:i\s+(?:have|need)\s+to|i(?:'ve)?\s+(?:got\s+to|gotta)|gotta)\s+go|"
            r"that's\s+(?:all|it)\s+for\s+(?:now|today)",
            after=r"soon|later|tomorrow|then|now|around|again|next\s+(?:time|week)|everyone|bot|"
            r"assistant|my\s+friend|and|for\s+now|thanks|thank\s+you",
            before=r"ok|okay|well|alright|all\s+right|right|great|perfect|cool|thanks|thank\s+you|thx",
        ),
        thanks=Shape(
            r"(?:(?:ok|okay|great|perfect|cool|wow|nice|oh|many|a\s+lot)[\s,.!]+)*(?:thank\s+you|"
            r"thanks|thx|ty|much\s+appreciated|cheers|thank\s+u)\b(?:\W+(?:so|very|much|a|lot|again|"
            r"for|everything|that|the|help|your|you're|you|are|great|the\s+best|my|friend|"
            r"(?-i:[A-Z])\w+))*\W*$"
        ),
    ),
    "ru": _Words(
        greeting=_nothing_but(
            r"привет(?:ик|ствую)?|здравствуй(?:те)?|добр\w+\s+(?:день|утро|вечер)|как\s+дела|хай|"
            r"салют|здорово",
            after=r"снова|всем|опять",
        ),
        farewell=_nothing_but(
            r"пока|до\s+(?:свидания|встречи|завтра|скорого|связи)|"
            r"(?:спокойной|доброй)\s+ночи|всего\s+(?:доброго|хорошего|наилучшего)|"
            r"прощай(?:те)?|увидимся|бывай(?:те)?|счастливо|сладких\s+снов|"
            r"хорошего\s+(?:дня|вечера)|мне\s+пора",
            after=r"скоро|завтра|всем|и",
            before=r"ок|окей|ну|ладно|хорошо|отлично|всё|все|спасибо",
        ),
        thanks=Shape(
            r"(?:(?:ок|хорошо|отлично|супер|большое)[\s,.!]+)*(?:спасибо|благодарю|спс|мерси)\b"
            r"(?:\W+(?:большое|огромное|тебе|вам|за\s+\w+))*\W*$"
        ),
    ),
    "de": _Words(
        greeting=_nothing_but(
            r"hallo|moin|servus|grüß\s+(?:gott|dich)|guten?\s+(?:tag|morgen|abend)|"
            r"wie\s+geht's(?:\s+dir)?|wie\s+geht\s+es\s+dir",
            after=r"zusammen|wieder",
        ),
        farewell=_nothing_but(
            r"gute\s+nacht|tsch(?:ü|ue)(?:ss|ß)(?:i|chen)?|(?:auf\s+)?wiedersehen|"
            r"bis\s+(?:bald|später|morgen|dann|demnächst|zum\s+nächsten\s+mal)|mach'?s\s+gut|"
            r"schlaf\s+gut|ich\s+muss\s+(?:los|weg|gehen)|"
            r"(?:schönen|guten)\s+(?:tag|abend)\s+noch|schönes\s+wochenende",
            after=r"und|dann|danke",
            before=r"ok|okay|gut|also|na|super|alles\s+klar|danke|dann",
        ),
        thanks=_nothing_but(
            r"danke(?:schön)?|vielen\s+dank|besten\s+dank|herzlichen\s+dank|dankeschön",
            after=r"schön|sehr|dir|ihnen|für\s+(?:die|deine)\s+hilfe|für\s+alles",
            before=r"ok|okay|gut|super|prima|toll",
        ),
    ),
    "es": _Words(
        greeting=_nothing_but(
            r"hola|buenas(?:\s+(?:tardes|noches))?|buenos\s+días|qué\s+tal|cómo\s+estás",
            after=r"de\s+nuevo|a\s+todos",
        ),
        farewell=_nothing_but(
            r"adi[óo]s|chao|hasta\s+(?:luego|pronto|mañana|la\s+vista|otra)|nos\s+vemos|"
            r"que\s+descanses|duerme\s+bien|buenas\s+noches\W+(?:que\s+descanses|hasta\s+mañana)|"
            r"cuídate|me\s+tengo\s+que\s+ir|me\s+voy",
            after=r"y|pronto",
            before=r"ok|vale|bueno|bien|gracias",
        ),
        thanks=_nothing_but(
            r"(?:muchas\s+|mil\s+)?gracias", after=r"por\s+(?:todo|la\s+ayuda|tu\s+ayuda)|a\s+ti"
        ),
    ),
    "it": _Words(
        greeting=_nothing_but(
            r"ciao(?!\W+ciao)|salve|buon\s*giorno|buona\s*sera|come\s+stai|come\s+va",
            after=r"di\s+nuovo|a\s+tutti",
        ),
        farewell=_nothing_but(
            r"buona\s*notte|arrivederci|addio|ciao\W+ciao|a\s+(?:presto|domani|dopo|più\s+tardi)|"
            r"ci\s+(?:vediamo|sentiamo)|buona\s+(?:giornata|serata)|devo\s+andare|sogni\s+d'oro",
            after=r"e|presto|domani",
            before=r"ok|va\s+bene|bene|grazie|ciao",
        ),
        thanks=_nothing_but(
            r"grazie(?:\s+mille)?|ti\s+ringrazio|molte\s+grazie",
            after=r"tante|di\s+tutto|per\s+l'aiuto|a\s+te",
        ),
    ),
    "pt": _Words(
        greeting=_nothing_but(
            r"ol[áa]|oi+|bom\s+dia|boa\s+(?:tarde|noite)|tudo\s+bem|como\s+(?:vai|estás)",
            after=r"de\s+novo|a\s+todos",
        ),
        farewell=_nothing_but(
            r"tchau|adeus|at[ée]\s+(?:logo|amanhã|mais|breve|já|à\s+próxima)|"
            r"dorme\s+bem|durma\s+bem|boa\s+noite\W+(?:até\s+amanhã|durma\s+bem)|"
            r"tenho\s+(?:de|que)\s+ir|fica\s+bem",
            after=r"e|tarde|então",
            before=r"ok|bom|bem|então|obrigad[oa]",
        ),
        thanks=_nothing_but(
            r"(?:muito\s+)?obrigad[oa]|valeu", after=r"por\s+(?:tudo|ajudar)|pela\s+ajuda"
        ),
    ),
    "fr": _Words(
        greeting=_nothing_but(
            r"bonjour|bonsoir|salut|coucou|ça\s+va|comment\s+(?:ça\s+va|vas-tu)",
            after=r"à\s+tous|encore",
        ),
        farewell=_nothing_but(
            r"bonne\s+(?:nuit|journée|soirée)|au\s+revoir|adieu|"
            r"à\s+(?:bientôt|demain|plus(?:\s+tard)?|la\s+prochaine|tout\s+à\s+l'heure)|"
            r"dors\s+bien|je\s+dois\s+(?:y\s+aller|partir)",
            after=r"et",
            before=r"ok|d'accord|bon|bien|merci|allez|salut",
        ),
        thanks=_nothing_but(
            r"merci", after=r"beaucoup|bien|à\s+toi|pour\s+(?:tout|ton\s+aide|l'aide)"
        ),
    ),
    "zh": _Words(
        greeting=Shape(r"\W*(?:你好|您好|嗨|哈喽|早上好|晚上好|早安)\W*$"),
        farewell=Shape(r"\W*(?:(?:再见|拜拜|晚安|回头见|明天见|下次见|我走了)\W*)+$"),
        thanks=Shape(r"\W*(?:谢谢|多谢|非常感谢|感谢)(?:你|您|了)?\W*$"),
    ),
}  # fmt: skip
