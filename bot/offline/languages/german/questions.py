"""German: how people ask what is remembered, and how they give the assistant a name."""

from bot.offline.grammar.shapes import QuestionRule, Shape
from memory.records import Kind

_EVER = r"(?:(?:alles|schon|noch|bisher|bereits|eigentlich|denn|so|jetzt)\s+)*"
_ME = r"(?:(?:ü|ue)ber\s+mich|von\s+mir)"
_TOLD = r"(?:erzählt|gesagt|verraten|berichtet)"
_STORED = r"(?:gemerkt|gespeichert|behalten|gelernt)"
_WANTS = r"(?:soll|sollte|muss|müsste|kann|könnte|darf)"

QUESTIONS = (
    QuestionRule(
        Shape(rf"(?:was|wo|wie|wann|wer|welche\w*|woher|wohin)\b.*\b{_WANTS}\s+ich\b"),
        refused=True,
    ),
    QuestionRule(
        Shape(
            r"was\s+(?:mag|liebe|bevorzuge)\s+ich(?:\s+(?:gern|alles|so|am\s+liebsten))*\W*$|"
            r"(?:was|welche)\s+sind\s+meine\s+vorlieben|welche\s+vorlieben\s+habe\s+ich"
        ),
        kinds=(Kind.PREFERENCE,),
    ),
    QuestionRule(
        Shape(
            r"(?:worüber|über\s+was|wovon)\s+haben\s+wir\s+(?:(?:zuletzt|gestern|letztes\s+mal|"
            r"das\s+letzte\s+mal|vorhin|früher)\s+)?(?:gesprochen|geredet)\W*$"
        ),
        kinds=(Kind.SUMMARY,),
    ),
    QuestionRule(
        Shape(
            rf"was\s+{_EVER}(?:weißt|weisst)\s+du\s+{_EVER}{_ME}\b.*|was\s+{_EVER}(?:weißt|weisst)\s+"
            rf"du\s*{_EVER}\W*$|was\s+hast\s+du\s+(?:dir\s+)?{_EVER}(?:{_ME}\s+)?{_STORED}\W*$|"
            rf"wer\s+bin\s+ich\W*$|kennst\s+du\s+mich\b.*|was\s+habe\s+ich\s+dir\s+{_EVER}"
            rf"(?:{_ME}\s+)?{_TOLD}\W*$|(?:erzähle?|sag)\s+mir,?\s+(?:alles,?\s+)?was\s+du\s+{_EVER}"
            rf"{_ME}\s+(?:weißt|weisst)\b.*"
        )
    ),
    QuestionRule(
        Shape(
            rf"was\s+(?:weißt|weisst)\s+du\s+{_EVER}(?:über|von)\s+(?P<topic>.+)|was\s+habe\s+ich\s+dir"
            rf"\s+{_EVER}(?:über|von)\s+(?P<topic1>.+?)\s+{_TOLD}\W*$|erinnerst\s+du\s+dich\s+"
            r"(?:noch\s+)?an\s+(?P<topic2>(?:mein|unser)\w*\s+.+)"
        ),
        wide=True,
    ),
    QuestionRule(
        Shape(
            r"wie\s+(?:heiße|heisse)\s+ich\b|wie\s+ich\s+(?:heiße|heisse)\b|(?:was|wie)\s+ist\s+mein\s+name\b|"
            r"(?:kennst|weißt)\s+du\s+(?:noch\s+)?(?:meinen\s+namen|wie\s+ich\s+heiße)\b"
        ),
        topic="Name heiße",
    ),
    QuestionRule(
        Shape(
            r"wann\s+(?:habe\s+ich|ist\s+mein|ich)\s+geburtstag\b|wann\s+(?:bin|wurde)\s+ich\s+geboren\b"
        ),
        topic="mein Geburtstag",
    ),
    QuestionRule(
        Shape(r"wo\s+(?:(?:wohne|lebe)\s+ich|ich\s+(?:wohne|lebe))\b"), topic="wohne lebe"
    ),
    QuestionRule(
        Shape(
            r"(?:wo|als\s+was|was|bei\s+wem|für\s+wen)\s+(?:arbeite\s+ich|ich\s+arbeite)\b|was\s+(?:bin\s+ich\s+von\s+"
            r"beruf|mache\s+ich\s+beruflich)\b|(?:was|wie)\s+ist\s+mein\s+(?:beruf|job)\b"
        ),
        topic="arbeite Beruf",
    ),
    QuestionRule(Shape(r"woher\s+komme\s+ich\b|wo\s+bin\s+ich\s+geboren\b"), topic="komme geboren"),
    QuestionRule(Shape(r"wie\s+alt\s+bin\s+ich\b"), topic="Jahre alt"),
    QuestionRule(
        Shape(
            r"(?:wogegen|worauf|gegen\s+was)\s+(?:bin|reagiere)\s+ich\s+allergisch\b|"
            r"(?:welche|habe\s+ich|was\s+für)\s+(?:\w+\s+)?allergien?\b|bin\s+ich\s+allergisch\b"
        ),
        topic="allergisch Allergie",
    ),
    QuestionRule(
        Shape(
            r"wie\s+(?:heißt|heissen|heißen)\s+(?:mein|unser)e?\s+(?P<topic>\w+)|"
            r"(?:mag|liebe|hasse|trinke|esse)\s+ich\s+(?:gern\s+)?(?P<topic1>\w+)\W*$|"
            r"habe\s+ich\s+(?:eine?n?\s+)?(?P<topic2>\w+)\W*$"
        ),
        focused=True,
    ),
    QuestionRule(
        Shape(
            r"(?:was|wer|wo|wann|wie|welche\w*)\s+(?:ist|sind|war|waren)\s+(?:mein|unser)e?\s+"
            r"(?P<topic>.+)|was\s+(?P<topic1>(?:studiere|spiele|spreche|lerne|esse|trinke|sammle)\s+"
            r"ich\b.*)|welche\s+(?P<topic2>\w+)\s+(?:spreche|habe|spiele)\s+ich\b"
        )
    ),
)

SLOTS = (
    (Shape(r"\b(?:name|heiße|heisse)\b"), ("name", "nickname")),
    (Shape(r"\bgeburtstag\b"), ("birthday",)),
    (Shape(r"\b(?:wohne|lebe|wohnort|adresse)\b"), ("home",)),
    (Shape(r"\b(?:arbeite|arbeit|beruf|job|firma)\b"), ("employer", "job_title")),
    (Shape(r"\b(?:geboren|herkunft)\b"), ("origin",)),
    (Shape(r"\blieblings(?P<noun>\w+)"), ("favorite_{noun}",)),
    (Shape(r"\b(?:studiere|studium|uni)\b"), ("school",)),
)

AGENT_NAME_QUESTION = Shape(
    r"wie\s+(?:heißt|heisst)\s+du\b|(?:wie|was)\s+ist\s+dein\s+name\b|wer\s+bist\s+du\b|hast\s+du\s+"
    r"einen\s+namen\b|wie\s+(?:nenne|soll\s+ich)\s+(?:ich\s+)?dich(?:\s+nennen)?\b|wie\s+habe\s+ich\s+"
    r"dich\s+genannt\b"
)

_NAME = r"\s+(?P<name>\S.*)"
NAMING = (
    Shape(
        r"ich\s+(?:(?:werde|will|möchte|würde)\s+dich\s+(?:(?:jetzt|ab\s+jetzt|gern)\s+)*"
        r"(?P<name>\S+(?:\s+(?-i:[A-ZÄÖÜ])\S*)?)\s+nennen\b.*)"
    ),
    Shape(
        r"(?:ab\s+(?:jetzt|heute)\s+)?(?:ich\s+nenne|nenne\s+ich)\s+dich(?:\s+(?:jetzt|ab\s+jetzt))?"
        + _NAME
    ),
    Shape(
        r"(?:ab\s+(?:jetzt|heute)\s+)?(?:du\s+(?:heißt|heisst)|(?:heißt|heisst)\s+du)(?:\s+(?:jetzt|ab\s+jetzt))?\s+(?P<name>(?-i:[A-ZÄÖÜ]).*)"
    ),
    Shape(r"dein\s+(?:neuer\s+)?name\s+(?:ist|sei|lautet)(?:\s+(?:jetzt|ab\s+jetzt))?" + _NAME),
)
NOT_NAMES = frozenset(
    "nicht nur auch schon so wie was morgen später heute wieder an bei gleich der die das ein eine "
    "mein meine schön toll komisch egal du dich unbekannt".split()
)
