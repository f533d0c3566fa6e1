"""English: which clauses say something lasting about the person, in the order they are tried."""

from memory.language.english.preferences import PREFERENCES, WISHES_FOR_ANSWERS
from memory.language.english.words import (
    ADVERBS,
    BE,
    BE_OR_NOT,
    DAY,
    DO,
    DOING,
    HABIT_ALONE,
    HAVE,
    JOB,
    KIN,
    NOT_HAD,
    NUMBER,
    PARTNER,
    PASSING,
    POINTING,
    SUBJECT,
    TRAIT,
    fact,
    liking,
    nothing,
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
        r"(?!broken|dead|gone|dirty|back|here|fine|ok|good|bad|great|not\s+working|in\s+the)\S+"
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

_LIFE = (
    nothing(r"(?:i|we)\s+(?:will|might|could|should|may|must|shall|'ll|almost|nearly)\b"),
    fact(
        rf"{SUBJECT}(?:used\s+to\s+work|(?:switched|changed)\s+jobs|left|quit)\b.*(?:,|\bbut|\band)\s+"
        r"(?:now\s+|then\s+)?(?:i'm\s+|i\s+am\s+)?(?:now\s+)?(?:at|with)\s+(?-i:[A-Z])",
        "employer",
        8,
        lasting=True,
    ),
    fact(
        rf"{SUBJECT}used\s+to\s+live\b.*(?:,|\bbut|\band)\s+(?:now\s+|then\s+)?"
        r"(?:(?:i|we)(?:'m|'re|\s+am|\s+are)\s+)?(?:now\s+)?in\s+(?-i:[A-Z])",
        "home",
        8,
        lasting=True,
    ),
    fact(rf"{SUBJECT}used\s+to\s+(?!it\b|that\b|this\b|think\b)\S+\s+\S+", None, 5, elided=True),
    fact(
        rf"{DO}work(?:ing)?\s+(?:at|for|with)\s+(?!home\b|night|the\s+moment|{POINTING}|me\b|"
        rf"an?\s+(?:bit|while)|hours|weekends|fun|\d)(?:\S+)|{HAVE}(?:worked|been\s+working)\s+"
        rf"(?:at|for)\s+(?!home|\d|hours|days|weeks|years|an?\s)\S+.*\b(?:for|since)\b|{SUBJECT}"
        rf"(?:(?:just|recently)\s+)*(?:joined|started\s+(?:working\s+)?(?:at|with)|"
        rf"(?:started|got|found|took)\s+(?:a\s+|my\s+)?(?:new\s+)?(?:job|position|role)\s+(?:at|"
        rf"with)|switched\s+jobs?\s+to|left\s+(?:my\s+(?:job|position)|(?-i:[A-Z])[\w&. ]+$)|"
        rf"quit\s+my\s+job|"
        rf"got\s+(?:fired|laid\s+off)|was\s+(?:fired|laid\s+off))",
        "employer",
        8,
        lasting=True,
        elided=True,
    ),
    fact(
        rf"{DO}work\s+as\s+\S+|{HAVE}(?:worked|been\s+working)\s+as\s+\S+|{SUBJECT}retired\b|{SUBJECT}got\s+"
        rf"promoted\b|{SUBJECT}became\s+an?\s+(?:\w+\s+){{0,2}}{JOB}",
        "job_title",
        8,
        lasting=True,
        elided=True,
    ),
    fact(
        rf"{DO}live\s+(?:(?:right|back|up|down|out)\s+)?(?:in|at|near|on|by|outside|close\s+to)\s+"
        rf"(?!{POINTING}|an?\s+(?:dream|lie)|fear|hope|the\s+moment|peace)\S+"
        rf"|{HAVE}(?:lived|been\s+living)\s+in\s+\S+.*\b(?:for|since|all\s+my)\b"
        rf"|{SUBJECT}(?:moved|relocated|emigrated|immigrated)\s+(?:back\s+|away\s+|over\s+|from\s+.+\s+)?"
        rf"(?:to|into)\s+(?!the\s+(?:next|other)|{POINTING})\S+",
        "home",
        8,
        lasting=True,
        elided=True,
    ),
    fact(
        rf"{DO}(?:stud(?:y|ied)\s+.*\bat|go\s+to\s+(?:school|college|university)\s+(?:at|in)|attend)"
        rf"\s+(?-i:[A-Z]|the\s+Univ|university)\S*",
        "school",
        7,
        elided=True,
    ),
    fact(
        rf"{SUBJECT}was\s+born\s+.*(?:{DAY}|\b(?:19|20)\d\d\b)",
        "birthday",
        8,
        lasting=True,
        elided=True,
    ),
    fact(
        rf"{SUBJECT}was\s+born\s+(?:and\s+raised\s+)?(?:in|near|at)\s+\S+",
        "birthplace",
        7,
        lasting=True,
        elided=True,
    ),
    fact(
        rf"{SUBJECT}(?:grew\s+up|was\s+(?:raised|adopted|diagnosed\s+with)|graduated|majored|"
        rf"dropped\s+out|survived|inherited|lost\s+my\s+(?:{KIN}|leg|arm|sight|hearing)|"
        rf"became\s+an?|speak|emigrated)\s+\S+|{SUBJECT}(?:worked|lived|studied|served)"
        rf"\s+(?:at|in|for|as|with)\s+\S+.*(?:\bfor\s+(?:\w+\s+){{1,3}}(?:years?|months)|"
        rf"\b(?:19|20)\d\d|when\s+i\s+was)",
        None,
        6,
        lasting=True,
        elided=True,
    ),
    fact(
        rf"{SUBJECT}(?:(?:just|recently|finally)\s+)*(?:bought|built|sold)\s+(?:an?|my|our)\s+(?:\w+\s+)?"
        rf"(?:house|flat|apartment|home|car|boat|farm|bike|motorcycle|motorbike|dog|cat|horse)\b|"
        rf"{SUBJECT}(?:got|adopted|rescued)\s+(?:an?|{NUMBER})\s+(?:\w+\s+)?(?:dogs?|cats?|pupp(?:y|ies)|"
        rf"kittens?|hamster|rabbits?|parrot|horse|pets?|bab(?:y|ies)|child|son|daughter)\b|{SUBJECT}had\s+"
        rf"an?\s+(?:baby|son|daughter|girl|boy|stroke|heart\s+attack|\w+\s+(?:surgery|transplant))\b|"
        rf"{SUBJECT}(?:founded|started|launched|co-founded)\s+(?:an?|my)\s+(?:own\s+)?(?:\w+\s+)?(?:company|"
        rf"business|startup|blog|podcast|band|ngo|charity|family|channel)\b|{SUBJECT}(?:quit|stopped|gave"
        rf"\s+up)\s+(?:smoking|drinking|alcohol|sugar|coffee|caffeine|meat)|{SUBJECT}won\s+(?:a|the)\s+"
        rf"(?:\w+\s+){{1,3}}(?:in|prize|medal|award|championship)",
        None,
        7,
        lasting=True,
        elided=True,
    ),
    fact(
        rf"(?!.*\bhere\b){HAVE}never\s+(?!seen\s+{POINTING}|heard|thought|felt|been\s+(?:so|this|that|happier)|"
        rf"known|understood|said|told|asked)\w+\s+\S+|(?!.*\bhere\b){HAVE}(?:been\s+)?(?:\w+ing|\w+ed|played|known|"
        rf"had|owned|run|taught|driven)\s+.*\b(?:since\s+(?:\d{{4}}|i\s+was|childhood|high\s+school|"
        rf"school|college)|for\s+(?:(?:over|about|almost|more\s+than|nearly)\s+)*(?:{NUMBER}|many|"
        rf"\w+ty)\s+(?:years|decades)|all\s+my\s+life)",
        None,
        6,
    ),
    fact(
        rf"{SUBJECT}can(?:'t|\s*not)?\s+(?:also\s+|only\s+|barely\s+)?(?:speak|play|swim|drive|cook|ride|"
        rf"dance|ski|sing|code|eat|drink|tolerate|digest|juggle|knit|program|read\s+(?:music|and))\b"
        rf"(?!\s+(?:{POINTING}|now|right|anything\s+(?:now|today)))",
        None,
        6,
        elided=True,
    ),
    liking(
        rf"{SUBJECT}(?:can't|cannot|can\s+not)\s+(?:stand|bear|live\s+without)\s+(?!{POINTING})\S+",
        elided=True,
    ),
    fact(
        rf"{SUBJECT}(?:(?:plan|intend|hope)\s+to|want\s+to|dream\s+of|aim\s+to)\s+(?:learn|become|becoming|"
        rf"move|moving|visit|run|get\s+(?:fit|better\s+at|into)|lose|quit|stop|start|buy|retire|"
        rf"travel|write\s+a\s+(?:book|novel)|study|open|build|save|have\s+(?:kids|children)|live)\b"
        rf"(?!\s+(?:{POINTING}|now|with|by|a\s+(?:pizza|coffee|beer)))",
        None,
        6,
    ),
    nothing(
        rf"(?:i've|i\s+have|i\s+don't\s+have|i\s+do\s+not\s+have|i\s+haven't|i've\s+got|i\s+got|"
        rf"we\s+have|we've|we've\s+got)\s+{ADVERBS}(?:got\s+)?{NOT_HAD}(?!.*{DAY})"
    ),
    fact(rf"{HAVE}(?:got\s+)?\S+.*{DAY}", None, 6, lasting=True),
    fact(r"(?:i|we)\s+(?:haven't|have\s+not)\s+got\s+\S+", None, 6, elided=True),
    fact(
        rf"{DO}get\s+up\s+(?:early|late|at\s+\S+|before|around)",
        None,
        6,
        elided=True,
    ),
    fact(rf"(?:i've\s+got|we've\s+got|{SUBJECT}have\s+got|{DO}have)\s+\S+", None, 6, elided=True),
    fact(
        rf"{DO}(?:eat|drink|speak|play|own|teach|drive|study|collect|volunteer|practi[sc]e|suffer\s+"
        rf"from|take\s+(?:\w+\s+)?(?:medication|insulin|lessons|classes)|wear\s+(?:glasses|"
        rf"contacts|hearing)|use\s+(?:a|an|an?\s+\w+)?|believe\s+in|identify\s+as|commute|go\s+to\s+"
        rf"(?:the\s+gym|church|bed|work)|belong\s+to|support|coach|sing\s+in|write\s+(?:\w+\s+)?"
        rf"(?:books|novels|poetry|code))\s+(?!{POINTING})\S+",
        None,
        6,
        elided=True,
    ),
    fact(rf"{DO}{HABIT_ALONE}$", None, 6, elided=True),
    nothing(rf"{DO}{PASSING}"),
    nothing(r".*\b(?:you|your|yours)\b|.*\b(?:here|there)$"),
    nothing(rf"{DO}[a-z-]+\s+(?:\w+\s+)?{POINTING}"),
    fact(rf"{DO}(?-i:[a-z][a-z-]+)\s+\S+", None, 5),
)

_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
)
_WHEN = (
    rf"(?:{DAY}|tomorrow|next\s+(?:week|month|year|spring|summer|autumn|fall|winter|\w+day|{_MONTH})|"
    rf"(?:in|on)\s+(?:{_MONTH}|\w+day))"
)
_ON_A_DAY = rf"(?=.*\b{_WHEN})(?:.{{1,30}}?,?\s)?(?:i|we)"
#: What is coming, on a day that is named.
_COMING = (
    fact(
        rf"{_ON_A_DAY}(?:\s+have|'ve(?:\s+got)?)\s+(?:an?|my|our|the)\s+(?:[\w'-]+\s+){{0,3}}?(?:appointment|"
        rf"interview|exam|surgery|operation|wedding|flight|check-?up|driving\s+test)\b",
        None,
        6,
        lasting=True,
    ),
    fact(
        rf"{_ON_A_DAY}(?:'m|'re|\s+am|\s+are)\s+(?:getting\s+married|moving|flying|travell?ing)\b|"
        rf"{_ON_A_DAY}\s+(?:fly|travel|get\s+married|start\s+(?:at|my))\s+\S+",
        None,
        6,
        lasting=True,
    ),
    fact(rf"{SUBJECT}never\s+(?:learn(?:ed|t)|got\s+the\s+hang\s+of)\s+\S+", None, 6, elided=True),
)

#: In the order in which they are tried.
RULES = (
    *_COMING,
    *WISHES_FOR_ANSWERS,
    *PREFERENCES,
    *_OWN_DATA,
    *_CIRCLE,
    *_BEING,
    *_LIFE,
)
