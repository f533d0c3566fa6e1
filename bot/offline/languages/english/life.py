"""English: what people tell of their lives, what they do, and what is coming."""

from bot.offline.grammar.shapes import fact, liking, nothing
from bot.offline.languages.english.words import (
    ADVERBS,
    DAY,
    DO,
    HABIT_ALONE,
    HAVE,
    JOB,
    KIN,
    NOT_HAD,
    NUMBER,
    PASSING,
    POINTING,
    SUBJECT,
)

LIFE = (
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
        rf"|(?:{SUBJECT}|{HAVE})(?:moved|relocated|emigrated|immigrated)\s+(?:back\s+|away\s+|over\s+|from\s+.+\s+)?"
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
COMING = (
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
