"""English: likes and dislikes, and how the person wants to be answered."""

from bot.offline.grammar.shapes import liking, nothing
from bot.offline.languages.english.words import (
    ANSWER,
    ANSWERS,
    BE_OR_NOT,
    DO,
    FEELING,
    LANGUAGES,
    ORDER,
    PLEASE,
    POINTING,
    SUBJECT,
    WILL,
)

WISHES_FOR_ANSWERS = (
    liking(
        rf"(?:{ORDER}(?:keep|make|give|write|send|use)\s+(?:me\s+)?{ANSWERS}.*\b(?:short|brief|"
        rf"concise|long|detailed|to\s+the\s+point)"
        rf"|{ORDER}(?:keep|make|give|write|send|use)\s+(?:me\s+)?(?:short|brief|concise|long|"
        rf"longer|shorter|detailed)(?:er)?\s+{ANSWERS}"
        rf"|{ORDER}{ANSWER}.*\b(?:briefly|concisely|in\s+(?:short|one|two|few|a\s+few)\b.*|"
        rf"in\s+(?:more\s+)?detail)"
        rf"|{ORDER}be\s+(?:more\s+)?(?:brief|concise|short|terse|succinct|verbose)"
        rf"|(?:{WILL}(?:prefer|like|rather\s+have)|{SUBJECT}(?:prefer|like|want))\s+(?:\w+\s+){{0,2}}?"
        rf"(?:short|brief|concise|long)(?:er)?\s+{ANSWERS})",
        "answer_length",
        7,
    ),
    liking(
        rf"{ORDER}{ANSWER}\s+(?:to\s+me\s+|with\s+me\s+|me\s+)?(?:only\s+)?in\s+(?:\w+\s+)?{LANGUAGES}\b",
        "answer_language",
        8,
    ),
    liking(rf"{ORDER}us(?:e|ing)\s+(?:the\s+)?(?:metric|imperial|celsius|fahrenheit)", "units", 7),
    liking(rf"{ORDER}(?:us(?:e|ing)|send(?:ing)?|add(?:ing)?|put)\s+(?:\w+\s+)?emojis?\b", "emoji"),
    liking(
        rf"{ORDER}(?:be|sound|stay|write)\s+(?:(?:more|less|a\s+bit|very|always)\s+)*(?:formal|"
        rf"informal|casual|polite|friendly|direct|honest|blunt|professional|serious|funny)",
        "tone",
        7,
    ),
    liking(
        rf"{ORDER}(?:us(?:e|ing)|writ(?:e|ing)|format(?:ting)?|giv(?:e|ing))\s+(?:me\s+)?"
        rf"(?:(?:your|my|the|all)\s+)?(?:\w+\s+)?(?:bullet\s+points?|bullets|lists?|tables?|markdown|"
        rf"headings|plain\s+text|numbered)\b.*(?:\b(?:always|never|answers|replies|responses|"
        rf"from\s+now|please)\b.*)?$"
        rf"|{ORDER}{ANSWER}\s+(?:to\s+me\s+)?(?:in|with|as)\s+(?:a\s+)?(?:bullet\s+points|bullets|lists?|"
        rf"tables?|markdown|plain\s+text|numbered\s+lists?)",
        "formatting",
    ),
    liking(
        rf"{PLEASE}(?:always|never|don't\s+ever|stop)\s+(?!mind\b|been\b|seen\b|heard\b|let\b)"
        rf"(?!{PLEASE}(?:it|that|this)\b)\w+\s+\w+"
        rf"|{PLEASE}(?:don't|do\s+not|avoid)\s+(?:us(?:e|ing)|send|includ(?:e|ing)|add|ask(?:ing)?|"
        rf"apologi[sz](?:e|ing)|mention|start|end|repeat(?:ing)?|talk|writ(?:e|ing)|address)\s+"
        rf"(?!{POINTING})\w+"
    ),
    liking(
        rf"{ORDER}explain\s+(?:things|everything|concepts|stuff)\b"
        rf"|{ORDER}(?:address|speak\s+to|talk\s+to|treat)\s+me\s+(?:as|like|with|in|by)\b"
        rf"|{ORDER}(?:use|give\s+me)\s+(?:\w+\s+)?(?:simple|easy|plain)\s+(?:words|language|english)"
        rf"|{ORDER}(?:include|add|show|give)\s+(?:me\s+)?(?:code\s+)?(?:examples|sources|links)\s+in"
    ),
    liking(
        rf"{PLEASE}(?:don't|do\s+not|never|stop)\s+call(?:ing)?\s+me\s+(?!{POINTING}|at|on|in|before|"
        rf"after|when|back|again)\S+"
    ),
    liking(
        rf"{PLEASE}(?:(?:just|always|only)\s+)?call\s+me\s+(?!{POINTING}|back|at|on|later|"
        rf"tomorrow|when|if|an?\b|in\b|tonight|asap|again|maybe)\S+",
        "nickname",
        8,
    ),
    liking(
        r"(?:people|everyone|everybody|(?:all\s+)?my\s+friends)\s+calls?\s+me\s+\S+", "nickname", 7
    ),
    nothing(r"(?:please|kindly|don't|do\s+not|let|can|could|never\s+mind)\b"),
)

PREFERENCES = (
    nothing(rf"{DO}{FEELING}\s+{POINTING}"),
    liking(rf"{WILL}(?:rather|prefer\s+to)\s+be\s+called\s+\S+", "nickname", 8),
    nothing(rf"{WILL}(?!rather\b|prefer\b)"),
    liking(rf"{WILL}(?:rather|prefer)\s+(?!not\b|you\b|if\b|{POINTING})\S+\s+\S+"),
    liking(rf"{DO}(?:{FEELING})\s+\S+.*", elided=True),
    liking(
        rf"{BE_OR_NOT}(?:a\s+)?(?:(?:big|huge|great|massive|real|long-?time)\s+)*"
        rf"(?:fan\s+of|into|fond\s+of|keen\s+on|crazy\s+about|passionate\s+about|interested\s+in|"
        rf"obsessed\s+with|partial\s+to)\s+(?!{POINTING})\S+",
        elided=True,
    ),
    liking(
        r"my\s+(?:(?:all-?time|absolute|personal)\s+)*favou?rite\s+(?P<noun>\w+(?:\s+\w+)?)\s+"
        r"(?:is|are|was|isn't|aren't)\s+\S+",
        "favorite_{noun}",
    ),
    liking(r"my\s+(?:least\s+favou?rite|preferred|go-to)\s+(?:\w+\s+){1,3}(?:is|are)\s+\S+"),
    liking(r"my\s+(?:preference|favou?rite|favou?rites)\s+(?:is|are)\s+\S+"),
)
