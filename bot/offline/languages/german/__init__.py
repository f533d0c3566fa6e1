"""German, as one table: what people most often say of themselves, and how they ask for it."""

from bot.offline.grammar.shapes import Language, Phrases, Shape, fact, liking, nothing
from bot.offline.languages.german.questions import (
    AGENT_NAME_QUESTION,
    NAMING,
    NOT_NAMES,
    QUESTIONS,
    SLOTS,
)

_ADV = (
    r"(?:(?:auch|jetzt|inzwischen|derzeit|aktuell|eigentlich|wirklich|sehr|schon|noch|immer|oft|"
    r"gern(?:e)?|nur|"
    r"total|leider|übrigens|momentan|meistens|selbst|ganz|überhaupt|mittlerweile|"
    r"seit\s+\w+(?:\s+\w+)?)\s+)*"
)
_NOT = r"(?:(?:nicht|nie|kein\w*|nicht\s+mehr|nie\s+mehr)\s+)?"


def _i(verb: str) -> str:
    """ "ich wohne", and after an adverbial "wohne ich"."""
    turned = rf"(?:[\w.-]+\s+){{1,4}}?{verb}\s+(?:ich|wir)"
    return rf"(?:(?:ich|wir)\s+{_ADV}{verb}|{turned})\s+{_ADV}{_NOT}{_ADV}"


_MY = r"(?:mein|meine|unser|unsere)"
_KIN = (
    r"(?:(?:ältere|kleine|große|jüngere|beste|verstorbene)[rs]?\s+)?(?:frau|mann|freund(?:in)?|"
    r"partner(?:in)?|sohn|"
    r"söhne|tochter|töchter|kind(?:er)?|baby|bruder|brüder|schwester(?:n)?|mutter|vater|mama|"
    r"papa|eltern|oma|opa|"
    r"großmutter|großvater|onkel|tante|cousine?|neffe|nichte|hund|katze|kater|hamster|papagei|"
    r"pferd|haustier|"
    r"verlobte[r]?|chef(?:in)?|nachbar(?:in)?|mitbewohner(?:in)?|kolleg(?:e|in))"
)
_POINTING = r"(?:das|dies\w*|es|ihn|sie|dich|dir|deine?\w*|euch|so|wie|dass|was)\b"
_TRAIT = (
    r"(?:vegetarier(?:in)?|veganer(?:in)?|vegetarisch|vegan|linkshänder(?:in)?|rechtshänder(?:in)?|"
    r"diabetiker(?:in)?|verheiratet|geschieden|ledig|single|verwitwet|verlobt|schwanger|"
    r"\d{1,3}\s+jahre\s+alt|"
    r"laktoseintolerant|farbenblind|rentner(?:in)?|im\s+ruhestand|student(?:in)?|arbeitslos|"
    r"selbstständig)"
)
_START = (
    r"(?:ich|wir|mir|mich|mein|meine|unser|unsere|antworte|bitte|gib|(?:jetzt|und|"
    r"seit\s+\w+)\s+\w+\s+ich)"
)

RULES = (
    liking(
        r"(?:bitte\s+)?(?:(?:immer|nur)\s+)?(?:antworte|schreib|sprich|"
        r"rede)e?\s+(?:mir\s+)?(?:bitte\s+)?(?:immer\s+)?"
        r"(?:ganz\s+)?(?:nur\s+)?auf\s+\w+",
        "answer_language",
        8,
    ),
    liking(
        r"(?:bitte\s+)?(?:(?:immer|nur)\s+)?(?:antworte|schreib|"
        r"fass\s+dich)e?\s+(?:mir\s+)?(?:bitte\s+)?(?:immer\s+)?"
        r"(?:ganz\s+|möglichst\s+|sehr\s+)?(?:kurz|knapp|ausführlich)",
        "answer_length",
        7,
    ),
    liking(r"(?:bitte\s+)?(?:nenn|duz|siez)e?\s+mich\s+\S+|(?:bitte\s+)?keine\s+emojis?", None, 7),
    liking(r"mein\s+lieblings(?P<noun>\w+)\s+(?:ist|sind|heißt)\s+\S+", "favorite_{noun}"),
    nothing(rf"{_i('(?:mag|liebe|hasse)')}{_POINTING}$"),
    liking(
        rf"{_i('(?:mag|liebe|hasse|bevorzuge|verabscheue|vertrage|ertrage)')}\S+|ich\s+(?:trinke|"
        rf"esse|höre|lese|schaue)\s+"
        rf"(?:am\s+liebsten|gern|lieber)\s+\S+|\S+(?:\s+\S+)?\s+(?:mag|liebe|hasse)\s+ich\b.*|"
        rf"mir\s+gef(?:ällt|allen)\s+\S+|"
        r"ich\s+kann\s+\S+(?:\s+\S+)?\s+nicht\s+(?:leiden|ausstehen|ab)|"
        r"ich\s+interessiere\s+mich\s+für\s+\S+"
    ),
    fact(r"(?:ich\s+heiße|mein\s+name\s+ist)\s+\S+", "name", 9),
    fact(
        r"(?:mein|ich\s+habe(?:\s+am)?)\s+(?:.*\s)?geburtstag\s*(?:ist\s+)?(?:am\s+)?.*\d|"
        r"ich\s+habe\s+am\s+\d.*"
        r"geburtstag|ich\s+(?:bin|wurde)\s+am\s+\d.*geboren",
        "birthday",
        8,
        lasting=True,
    ),
    fact(r"ich\s+(?:bin|wurde)\s+in\s+\S+.*geboren|ich\s+komme\s+aus\s+\S+", "origin", 7),
    fact(
        rf"ich\s+{_ADV}(?:bin|reagiere)\s+{_ADV}{_NOT}(?:allergisch|\w*allergiker)\b.*|"
        rf"ich\s+habe\s+(?:eine\s+)?\w*allergie\b.*|"
        r"ich\s+vertrage\s+(?:kein\w*|\w+\s+nicht)\b.*",
        None,
        9,
    ),
    fact(rf"{_MY}\s+{_KIN}\b(?!\s*$).*", None, 7),
    fact(
        r"mein\w*\s+(?:hobbys?|beruf|traum|ziel|muttersprache|blutgruppe|religion|auto|"
        r"schuhgröße)\s+"
        r"(?:ist|sind)\s+\S+",
        None,
        6,
    ),
    nothing(rf"{_MY}\b"),
    fact(
        rf"{_i('arbeite')}(?:bei|für|in|im|am)\s+(?!moment|zu\s)\S+|ich\s+habe\s+(?:bei|"
        rf"den\s+job)\s+.*"
        r"(?:angefangen|gekündigt|gewechselt)|ich\s+(?:bin|wechsel\w*)\s+(?:jetzt\s+)?(?:bei|"
        r"zu)\s+(?-i:[A-ZÄÖÜ])\w+.*",
        "employer",
        8,
        lasting=True,
    ),
    fact(
        rf"{_i('arbeite')}als\s+\S+|"
        rf"ich\s+bin\s+{_ADV}(?:von\s+beruf\s+)?(?:eine?\s+)?(?-i:[A-ZÄÖÜ])\w*(?:er|in|ist|ant|"
        rf"ent|arzt|"
        r"ärztin|mann|frau|or|eur|koch|wirt|pilot|e)\b(?!\s+(?:und|der|die)).*",
        "job_title",
        8,
    ),
    fact(
        rf"{_i('(?:wohne|lebe)')}(?:in|im|bei|auf|nahe|am)\s+(?!moment)\S+|(?:ich|wir)\s+(?:bin|"
        rf"sind|ziehe|ziehen)\s+"
        r"(?:.*\s)?(?:nach|in)\s+\S+.*(?:gezogen|umgezogen|um)$|ich\s+bin\s+nach\s+\S+\s+gezogen",
        "home",
        8,
        lasting=True,
    ),
    fact(rf"{_i('studiere')}\S+", "school", 7),
    fact(rf"ich\s+bin\s+{_ADV}{_NOT}{_TRAIT}\b.*", None, 7),
    fact(
        r"(?:.*\s)?(?:habe\s+ich|ich\s+habe)\s+(?:.*\s)?(?:termin|prüfung|hochzeit|operation|"
        r"vorstellungsgespräch)\b.*|"
        r"(?:.*\s)?(?:heirate|verreise|fliege)\s+ich\b.*\d{4}.*|(?:.*\s\d{4}\s+)(?:heirate|ziehe|"
        r"fliege|fahre)\s+ich\b.*|"
        r"ich\s+(?:heirate|ziehe|fliege)\b.*\d{4}.*",
        None,
        6,
        lasting=True,
    ),
    nothing(
        r"ich\s+habe\s+(?:\w+\s+)?(?:eine?\s+)?(?:frage|problem|idee|hunger|durst|lust|zeit|"
        r"kopfschmerzen|keine\s+ahnung|"
        r"angst\s+dass|recht|vergessen|gesehen|gehört|gelesen|gemacht|gedacht)\b"
    ),
    fact(
        rf"(?:ich|wir)\s+haben?\s+{_ADV}(?:eine?n?|zwei|drei|vier|fünf|kein\w*|\d+)\s+\S+", None, 6
    ),
    fact(
        rf"{_i('(?:spiele|spreche|lerne|esse|trinke|rauche|fahre|sammle|laufe|reite|male|singe|koche|nehme|trage|jogge)')}"
        rf"(?!{_POINTING}).*\S|\S+\s+(?:spiele|spreche|esse|trinke|rauche)\s+ich\b.*|"
        rf"ich\s+rauche(?:\s+nicht.*)?$|"
        r"ich\s+kann\s+(?:nicht\s+|kein\s+)?(?:gut\s+)?(?:schwimmen|kochen|auto\s+fahren|tanzen|"
        r"singen|\w+\s+spielen)\b.*",
        None,
        6,
    ),
)

GERMAN = Language(
    code="de",
    words=frozenset(
        "ich mich mir mein meine meinen meiner wir uns und oder aber nicht kein keine ist sind bin "
        "habe hat der die das den dem ein eine einen auf mit für von zu zum zur bei seit wie wer "
        "wo "
        "wann warum du dich dir dein deine bitte danke hallo auch noch schon jetzt als nach mag "
        "wohne arbeite heiße".split()
    ),
    rules=RULES,
    phrases=Phrases(
        said="{who}: {quotes}.",
        asked="{who} hat gefragt: {quotes}.",
        you_said="Du hast erzählt: {quotes}.",
        you_asked="Du hast gefragt: {quotes}.",
    ),
    # Ordinals too: "am 20. Juni".
    abbreviations=frozenset(["z.b", "d.h", "usw", "bzw", "dr", "st", "nr", "ca"])
    | frozenset(map(str, range(1, 32))),
    boundary=Shape(
        rf"(?:\s*[,;–—]\s*(?:(?:und|aber|denn|also|doch)\s+)?|\s+(?:und|aber)\s+)(?={_START}\b|"
        r"\S+\s+(?:mag|liebe|hasse|esse|trinke)\s+ich\b)"
    ),
    joint_subject=Shape(rf"{_MY}\s+\w+(?:\s+\w+)?$"),
    joining=Shape(r"\s+(?:und|aber)\s+"),
    subject=Shape(r"(?P<subject>ich|wir)(?=\s)"),
    own=Shape(r"(?:ich|wir|mir|mich|mein\w*|unser\w*)\b"),
    lead_in=Shape(
        r"(?:(?:hallo|hi|hey|moin|servus|guten\s+(?:tag|morgen|abend)|ja|nein|ok|okay|gut|super|"
        r"danke|also|übrigens|"
        r"ach|naja|na\s+ja|und|aber|nun|doch|stimmt|tut\s+mir\s+leid|sorry|quatsch|"
        r"doch\s+nicht)\s*(?:[,!.:–-]\s*|\s+"
        r"(?=(?:ich|wir|mein\w*|mir|bitte|am|im)\b))|(?:bitte\s+)?(?:merk\s+dir|vergiss\s+nicht|"
        r"denk\s+dran)(?:\s+bitte)?"
        r"[,:]?\s+(?:dass\s+)?)"
    ),
    trailer=Shape(r"[\s,;:–—-]+(?:übrigens|danke|und|aber|oder|bitte)$"),
    jest=Shape(r"\b(?:nur\s+spaß|war\s+(?:nur\s+)?(?:ein\s+)?(?:scherz|witz|spaß)|"
        r"kleiner\s+scherz)\b"),
    laughter=Shape(r"\b(?:lol|haha\w*|hihi\w*)\b|[😂🤣😜]"),
    unreal=Shape(r"(?:wenn|falls|angenommen)\b|.*\b(?:würde|wäre|hätte|könnte)\b"),
    make_believe=Shape(r"(?:stell\s+dir\s+vor|tu\s+so|nehmen\s+wir\s+an)\b"),
    task=Shape(r"(?:bitte\s+)?(?:übersetze?|korrigiere?|schreibe?|verbessere?|fasse?)\b[^:]*:"),
    report=Shape(
        r"(?!(?:ich|wir)\b)(?:(?:mein|meine|der|die|ein|eine)\s+)?(?:[\w-]+\s+){1,2}(?:sagt|"
        r"sagte|meint|meinte|schrieb|"
        r"schreibt|erzählt|erzählte|behauptet|glaubt|denkt)\b"
    ),
    contrast=Shape(r"\baber\b"),
    asking=Shape(r"\s*[,;–—]\s*(?=(?:was|wo|wann|wie|wer|warum|kannst|kennst|hast|soll|ist)\b)"),
    polite=Shape(r"(?:bitte\s+)?(?:kannst|könntest|würdest)\s+du\b.*\b(?:antworten|schreiben)\b"),
    off_record=Shape(r"(?:bitte\s+)?(?:merk\s+dir\s+das\s+nicht|vergiss\s+das|"
        r"nicht\s+speichern)\b"),
    fleeting=Shape(r"\b(?:heute|morgen|gestern|gerade|gleich|diese\s+woche|heute\s+abend)\b"),
    negation=Shape(r"\b(?:nicht|nie|niemals|kein\w*|gekündigt|früher)\b"),
    besides=Shape(r"^(?:\w+\s+){0,3}(?:auch|nebenbei|außerdem|zusätzlich)\b"),
    generic=frozenset("job arbeit wohnung haus mehr".split()),
    relatives=Shape(rf"{_MY}\s+{_KIN}\b"),
    request=Shape(r"(?:bitte|antworte|schreib|nenn)\w*\b"),
    naming=NAMING,
    not_names=NOT_NAMES,
    after_name=Shape(r"\s+(?:und|aber|ab|weil|denn|bitte|ok|okay|jetzt|wenn|nennen)\b"),
    questions=QUESTIONS,
    slots=SLOTS,
    others=Shape(rf"\b{_KIN}\b"),
    courtesy=Shape(
        r"(?:(?:bitte|und|aber|also|ok|okay|hallo|hey|sag\s+mal|sag\s+mir|kannst\s+du\s+mir\s+sagen|"
        r"weißt\s+du(?:\s+noch)?|erinner\s+mich(?:\s+daran)?)[,\s:]+)+(?=\w)"
    ),
    question_noise=frozenset(
        "ich mich mir mein meine meinen meiner du dir dein ist sind war was wer wo wann wie welche "
        "habe hat der die das den dem ein eine einen in an auf über von noch mal denn "
        "gern ja".split()
    ),
    agent_name_question=AGENT_NAME_QUESTION,
    keep_request=Shape(
        r"(?:bitte\s+)?(?:merk(?:e)?\s+dir|vergiss\s+nicht|denk\s+(?:dran|daran))(?:\s+bitte)?"
        r"(?:\s*:\s*|,?\s+dass\s+|,\s*)(?P<what>(?<=dass\s)(?P<subject>ich|wir|(?:mein|unser)e?\s+\w+)"
        r"\s+(?P<rest>[^?,]+)\s+(?P<verb>\w+)\W*$|[^?]+$)"
    ),
    chatter=Shape(
        r"(?:(?:ok(?:ay)?|ja|nein|gut|super|toll|klar|genau|aha|hm+|prima|schön|alles\s+klar|na\s+gut|"
        r"verstehe|stimmt|cool|egal|abbrechen)[\s,.!?]*)+$"
    ),
)  # fmt: skip
