"""English: which clauses say something lasting about the person, in the order they are tried."""

from bot.offline.grammar.shapes import fact, nothing
from bot.offline.languages.english.life import COMING, LIFE
from bot.offline.languages.english.preferences import PREFERENCES, WISHES_FOR_ANSWERS
from bot.offline.languages.english.words import (
    BE,
    BE_OR_NOT,
    DAY,
    DOING,
    HAVE,
    JOB,
    KIN,
    NUMBER,
    PARTNER,
    POINTING,
    SUBJECT,
    TRAIT,
)

_OWN_DATA = (
    fact(
        r"my\s+(?:(?:full|first|real|given)\s+)?name\s+is\s+(?!not\s+import|irrelevant|hard)\S+"
        r"|my\s+name's\s+\S+",
        "name",
        9,
    ),
    fact(r"my\s+(?:last\s+name|surname|family\s+name)\s+is\s+\S+", "surname", 8),
    fact(r"my\s+nickname\s+is\s+\S+", "nickname", 7),
    fact(
        r"my\s+(?:birthday|date\s+of\s+birth|birth\s*date|dob)(?:'s|\s+is|\s+falls)\s+"
        r"(?!soon|coming|today|tomorrow|over|next)\S+",
        "birthday",
        8,
        lasting=True,
    ),
    fact(r"my\s+(?:wedding\s+)?anniversary\s+is\s+\S+", "anniversary", 7),
    fact(r"my\s+age\s+is\s+\d+", "age", 7),
    fact(
        r"my\s+time\s*zone\s+is\s+\S+|" + BE + r"in\s+the\s+\S+(?:\s+\w+)?\s+time\s*zone",
        "timezone",
        7,
    ),
    fact(r"my\s+(?:native|first|mother)\s+(?:language|tongue)\s+is\s+\S+", "native_language", 7),
    fact(r"my\s+e-?mail(?:\s+address)?\s+is\s+\S+@\S+", "email", 7),
    fact(r"my\s+(?:phone|mobile|telephone|cell)(?:\s+number)?\s+is\s+\+?\d", "phone", 7),
    fact(
        r"my\s+(?:home\s+)?address\s+is\s+\S+|my\s+home\s+(?:town\s+)?is\s+(?:in|at)\s+\S+",
        "home",
        8,
    ),
    fact(r"my\s+home\s?town\s+is\s+\S+", "hometown", 6),
    fact(
        r"my\s+(?:job\s+title|occupation|profession|position|job)\s+is\s+(?:an?\b|as\b|\w*ing\b|"
        + JOB
        + ")",
        "job_title",
        8,
    ),
    fact(r"my\s+(?:employer|company|workplace)\s+is\s+(?:called\s+)?(?-i:[A-Z])\S*", "employer", 8),
    fact(r"my\s+(?:school|university|college)\s+is\s+(?:called\s+)?(?-i:[A-Z])\S*", "school", 7),
    fact(
        r"my\s+(height|weight|shoe\s+size|blood\s+type|religion|nationality|star\s+sign|zodiac\s+"
        r"sign|citizenship|pronouns|major|dream|goal|hobby|hobbies|pronoun|degree|faith|"
        r"dream\s+job|car|bike|diet|budget|mother\s+tongue|interests|passion)\s+(?:is|are)\s+"
        r"(?!broken|dead|gone|dirty|back|here|fine|ok|good|bad|great|not\s+working|in\s+the)\S+",
        None,
        5,
    ),
)

_CIRCLE = (
    fact(
        rf"(?:my|our)\s+{PARTNER}(?:'s\s+name\s+is|\s+is\s+(?:called|named))\s+\S+",
        "partner",
        8,
        elided=True,
    ),
    fact(
        rf"(?:my|our)\s+{KIN}(?:'s?)?\s+(?:(?:name|names|birthday|anniversary|wedding|favou?rite"
        rf"\s+\w+|age|job|breed)\s+(?:is|are)|(?-i:[A-Z])[\w-]+\s+(?:is|has|was|lives|works|"
        rf"studies|loves|likes|hates|goes))\s+(?!tired|sick|ill|angry|here|back|busy|late|away)"
        rf"\S+",
        None,
        7,
    ),
    fact(
        rf"(?:my|our)\s+{KIN}\s+(?:is|are)\s+(?:also\s+|really\s+|very\s+)*(?:called|named|an?\s+"
        rf"(?!bit|little|mess|pain|joke|lot)|\d+|{NUMBER}\b|from\b|married|divorced|vegan|"
        rf"vegetarian|{TRAIT}|born|in\s+(?:her|his|their)\s+\w+ties)",
        None,
        7,
    ),
    fact(
        rf"(?:my|our)\s+{KIN}(?:,?\s+(?-i:[A-Z])[\w-]+,?)?\s+(?:(?:also|really|both|still|now)\s+)*"
        rf"(?:has|have|lives?|works?|studies|study|teaches|plays?|speaks?|loves?|likes?|hates?|"
        rf"owns?|goes\s+to|runs?|was\s+born|were\s+born|died|passed\s+away|moved\s+to|"
        rf"used\s+to|"
        rf"doesn't\s+(?:like|eat|drink|speak|live|work))\s+"
        rf"(?!(?:a\s+)?(?:headache|cold|fever|question|meeting)|it\b|to\b|that\b|{POINTING})\S+",
        None,
        6,
        lasting=True,
    ),
    fact(
        rf"(?:my|our)\s+{KIN}(?:,?\s+(?-i:[A-Z])[\w-]+,?)?\s+(?:died|passed\s+away)\b",
        None,
        8,
        lasting=True,
    ),
    fact(
        r"my\s+(?:boss|manager|colleague|therapist|doctor|neighbou?r|teacher)(?:'s\s+name\s+is|\s+"
        r"is\s+(?:called|named))\s+\S+"
        r"|my\s+(?:boss|manager|colleague|therapist|doctor|neighbou?r|teacher|coach|trainer)\s+is\s+"
        r"(?-i:[A-Z])[\w'-]+(?:\s+(?-i:[A-Z])[\w'-]+)*$",
        None,
        5,
    ),
    fact(
        rf"(?:my|our)\s+(?:\S+\s+){{1,4}}(?:is|are|starts|begins|ends|arrives|leaves|"
        rf"graduates|turns)\s+(?:\S+\s+)?(?:on\s+)?(?:the\s+)?{DAY}",
        None,
        6,
    ),
    fact(r"my\s+(?:\w+\s+)?\w+\s+is\s+an?\s+(?:\w+\s+)?(?-i:[A-Z])[\w-]+", None, 5),
    nothing(r"(?:my|our)\b(?!\s+[\w-]+(?:\s+[\w-]+)?\s+and\s+i\b)"),
)

_BEING = (
    nothing(
        BE + r"(?:glad|happy|sure|certain|sorry|afraid\s+(?:i|that|so|not)|"
        r"going\s+to\s+(?:be|the|bed|sleep|work|have|go|get|do|try|need)\b)"
    ),
    fact(
        rf"{BE_OR_NOT}(?:an?\s+)?(?:strict\s+|mostly\s+)?(?:vegan|vegetarian|pescatarian|carnivore|"
        rf"pescetarian|flexitarian)\b|{HAVE}been\s+(?:an?\s+)?(?:vegan|vegetarian|pescatarian)\b|"
        rf"{SUBJECT}(?:became|turned|went)\s+(?:an?\s+)?(?:vegan|vegetarian)\b",
        "diet",
        8,
        lasting=True,
        elided=True,
    ),
    fact(
        rf"{BE_OR_NOT}(?:happily\s+|recently\s+)?(?:married|divorced|single|engaged|widowed|"
        rf"separated|a\s+widower|a\s+widow)\b(?!\s+(?:to|by)\s+(?:the|it))|{HAVE}been\s+(?:married|"
        rf"divorced)\b|{SUBJECT}got\s+(?:married|divorced|engaged)\b|"
        rf"{SUBJECT}(?:divorced|separated)\b|{SUBJECT}married\s+\S+",
        "marital_status",
        8,
        lasting=True,
        elided=True,
    ),
    fact(
        rf"{BE}(?:about\s+|almost\s+|only\s+)?\d{{1,3}}(?:\s+years?\s+old|\s*yo|\s+now)?$"
        rf"|{SUBJECT}turned\s+\d{{1,3}}\b|{BE}(?:about\s+|almost\s+)?\d{{1,3}}\s+years?\s+old\b"
        rf"|{BE}\w+(?:ty|teen)(?:-\w+)?(?:\s+years\s+old)$",
        "age",
        7,
        lasting=True,
        elided=True,
    ),
    fact(
        rf"{BE}\d+(?:[.,]\d+)?\s*(?:cm|m|meters?|metres?|feet|ft|foot|'\d*)\b(?:.*\btall)?",
        "height",
        5,
        elided=True,
    ),
    fact(rf"{SUBJECT}weigh\s+\d|{BE}\d+\s*(?:kg|kilos|pounds|lbs)\b", "weight", 5, elided=True),
    fact(
        rf"{BE_OR_NOT}(?:originally\s+)?from\s+(?!now|here|there|work|the\s+(?:office|shop|gym))\S+|{SUBJECT}come"
        rf"\s+from\s+(?-i:[A-Z])\S+",
        "origin",
        7,
        elided=True,
    ),
    fact(
        rf"{BE}(?:based|living|located|settled)\s+(?:in|near|at)\s+(?!a\s+(?:dream|lie))\S+",
        "home",
        8,
        elided=True,
    ),
    fact(rf"{BE_OR_NOT}(?:employed|working)\s+(?:at|for|with)\s+\S+", "employer", 8, elided=True),
    fact(
        rf"{BE_OR_NOT}(?:working\s+as\s+|employed\s+as\s+)?(?:an?|the)\s+(?:[\w-]+\s+){{0,4}}?"
        rf"{JOB}|{BE}(?:retired|unemployed|self-employed|working\s+as\s+an?\s+\w+)",
        "job_title",
        8,
        elided=True,
    ),
    fact(
        rf"{BE_OR_NOT}(?:very\s+|quite\s+|a\s+bit\s+|severely\s+|slightly\s+)?(?:[\w-]+\s+)?{TRAIT}",
        None,
        8,
        elided=True,
    ),
    fact(rf"{BE}{DOING}\s*\S*", None, 6, elided=True),
    fact(rf"{BE}\w+ing\b.*{DAY}", None, 6),
    nothing(
        rf"{BE_OR_NOT}an?\s+(?:bit|little|mess|idiot|fool|wreck|moron|genius|dummy|potato|joke|"
        rf"failure|loser|lot|tad|few|disaster|liar|robot|ghost|zombie|god|"
        rf"(?:\w+\s+)?(?:late|tired|busy|confused|lost|sad|curious|worried))\b"
    ),
    fact(
        rf"{BE_OR_NOT}(?:(?:more\s+of\s+)?an?|the\s+(?:mother|father|oldest|youngest|eldest))\s+[\w-]+",
        None,
        6,
        elided=True,
    ),
    nothing(
        rf"{BE}(?:sorry|ok|okay|fine|done|good|great|back|here|ready|bored|sad|sick|ill|mad|busy|"
        rf"free|new|lost|late|early|out|off|in|on|at|up|down|home|alone|right|wrong|curious|all|"
        rf"so|too|very|not|glad|happy|sure|stuck|well|better|tired|hungry|thirsty|cold|hot)\b"
    ),
    fact(
        r"(?:i'm|i\s+am|it's|this\s+is)\s+(?-i:[A-Z][\w'-]+(?:\s+[A-Z][\w'-]+){0,2})(?:(?:,|\s+from)\s+\S.*)?$",
        "name",
        9,
    ),
    nothing(BE),
)

#: In the order in which they are tried.
RULES = (
    *COMING,
    *WISHES_FOR_ANSWERS,
    *PREFERENCES,
    *_OWN_DATA,
    *_CIRCLE,
    *_BEING,
    *LIFE,
)
