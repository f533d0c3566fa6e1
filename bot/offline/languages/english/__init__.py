"""English, as one table; its longest columns have files of their own."""

from bot.offline.grammar.shapes import Language, Phrases, Shape
from bot.offline.languages.english.naming import FROM_NOW, NAMING
from bot.offline.languages.english.questions import QUESTIONS, SLOTS
from bot.offline.languages.english.statements import RULES
from bot.offline.languages.english.words import KIN

# "and our two kids" goes on with a clause, "and our kids love it" is one.
_POSSESSED = (
    r"(?:my|our)\s+(?:(?:name|birthday|job|hobby)'s|(?:[\w'-]+\s+){1,4}?(?:is|isn't|are|aren't|was|were|has|"
    r"have|had|lives?|works?|stud(?:y|ies)|teaches|teach|plays?|speaks?|loves?|likes?|hates?|owns?|"
    r"goes|go|runs?|died|passed|moved|does|doesn't|do|don't|says?|said|thinks?|told|calls?|eats?|"
    r"drinks?|can|can't|will|makes?|made|gave|got|turns?|starts?|begins?|ends?|wants?|needs?|keeps?|"
    r"used\s+to|knows?|comes?|came|left|needs?|gets?))"
)
_WHO = (
    r"(?:i|i'm|i've|i'd|i'll|we|we're|we've|you|you're|your|he|she|he's|she's|they|it|it's|"
    r"that|this|there|people|everyone|please\s+\w|call\s+me|from\s+now|also|now|" + _POSSESSED + ")"
)
_ASKING = (
    r"(?:what|what's|where|where's|when|why|how|who|who's|which|can|could|do|does|did|is|are|am|"
    r"should|would|will|any|have|has|isn't|aren't|don't\s+you|right|ok|okay)"
)
_DETERMINED = r"(?:my|our|the|your|his|her|their|some|a|an)\s+"
_SAYS = (
    r"(?:says?|said|thinks?|thought|tells?|told|claims?|claimed|believes?|believed|wrote|writes|"
    r"keeps?\s+saying|insists?|suggests?|suggested|mentioned|asked|asks|swears?|jokes?|complains?)"
)


_NOT_NAMES = frozenset(
    "a an the at in on by to for from with after before when if once every each any some back "
    "later tomorrow today tonight soon again up out asap now then this that these those next "
    "last it as my your his her our their him them names something anything whatever what who "
    "how not no never because since until while around about right first instead maybe sometime "
    "sometimes someday anytime afterwards nice cool great funny weird strange beautiful pretty "
    "long short good bad lovely awesome stupid silly important too so very really quite kind "
    "hard easy difficult or and but noon midnight whenever wherever i you me we they crazy smart "
    "clever over down off via using here there all both just also still only already please "
    "twice".split()
)

_STOPWORDS = frozenset(
    "i i'm i've i'd i'll me my mine myself we our ours us you your yours he she it its they them "
    "their a an the this that these those and or but if so because as of at by for with about "
    "into to from in on off over under then once here there when where why how what which who "
    "whom is are am was were be been being have has had do does did doing don't can could should "
    "would will may might must not no nor only own same too very just now also again please "
    "really actually any some more most such than up down out like get got let go going want "
    "know think tell told say said it's that's what's years work live prefer love hate thing "
    "things yes ok okay hey hi hello thanks".split()
)

ENGLISH = Language(
    code="en",
    words=frozenset(
        "i i'm i'd i'll i've my me the a an is are am was you your we our and or but not do "
        "don't of to in at for with what when where who how which please call use answer name "
        "hello hi hey thanks thank never always it this that have has can be from keep explain "
        "about yourself im dont".split()
    ),
    letters=Shape(r"(?!)"),
    spelling=(
        (Shape(r"\bim\b"), "I'm"),
        (Shape(r"\bive\b"), "I've"),
        (
            Shape(r"\b(do|did|does|ca|wo|is|are|was|have|has|had|would|could|should)nt\b"),
            r"\1n't",
        ),
        (Shape(r"\b(what|where|who|when|how|that)s\b"), r"\1's"),
        (Shape(r"\bi(?='(?:m|ve|d|ll)\b|\s|$|[,.!?])"), "I"),
    ),
    abbreviations=frozenset(
        {
            "mr",
            "mrs",
            "ms",
            "dr",
            "st",
            "e.g",
            "i.e",
            "a.m",
            "p.m",
            "vs",
            "etc",
            "no",
            "jr",
            "sr",
            "prof",
        }
    ),
    one_letter_words=frozenset({"I"}),
    boundary=Shape(
        rf"(?:\s*[,;—–]\s*(?:(?:and|but|so|because|although|though|while|plus|however|also)\s+)?"
        rf"|\s+-\s+|\s+(?:and|but|so|because|although|though|plus|however)\s+)"
        rf"(?=(?:(?:then|also|actually|sorry|now|today|yes|no)[,\s]+)*{_WHO}\b)"
    ),
    joining=Shape(r"\s*,?\s+(?:and|but)\s+(?:(?:also|now)\s+(?=\w))?"),
    joint_subject=Shape(r"(?:my|our)\s+[\w-]+(?:\s+[\w-]+)?$"),
    whole=Shape(
        r"\b(?:i|we)\s+(?:just\s+|recently\s+)?(?:used\s+to\s+(?:work|live)|(?:switched|changed)\s+jobs|left|quit)\b"
        r"[^.;?]{0,80}?(?:,|\bbut\b|\band\b)\s*(?:now\s+|then\s+)?(?:(?:i|we)(?:'m|'re|\s+am|\s+are)\s+)?"
        r"(?:now\s+)?(?:at|with|in)\s+(?-i:[A-Z])"
    ),
    continuation=Shape(
        rf"\s+(?:and|or|but|plus)\s+(?!{_WHO}\b|{_ASKING}\b|(?:please|don't|keep|call|use|never|always|let|"
        r"tell|remember|then|so)\b)(?-i:[a-z])"
    ),
    subject=Shape(r"(?P<subject>i|we)(?=\b)"),
    own=Shape(r"(?:i|we|my|our|i'\w+|we'\w+)\b"),
    contrast=Shape(r"\b(?:but|however)\b"),
    lead_in=Shape(
        r"(?:(?:hi|hello|hey|hiya|good\s+(?:morning|evening|afternoon))(?:\s+(?:there|(?-i:[A-Z])\w+))?\s*"
        r"(?:[,!.:–—-]\s*|\s+(?=i\b|i'm|my\b|please\b|what|do\b|can\b))"
        r"|(?:(?:oh|ok|okay|well|so|also|and|but|btw|by\s+the\s+way|fyi|actually|anyway|alright|great|cool|"
        r"nice|yes|yeah|yep|no|nope|sure|sorry|oops|wait|correction|thanks|thank\s+you|hmm+|um+|uh+|first|"
        r"second|finally|lastly|then|plus|though|just\s+so\s+you\s+know|to\s+be\s+honest|honestly|frankly|"
        r"as\s+i\s+(?:said|mentioned|told\s+you)(?:\s+before)?|i\s+was\s+wrong|my\s+mistake|i\s+misspoke|i\s+meant|"
        r"for\s+the\s+record|for\s+your\s+information|"
        r"from\s+now\s+on|in\s+(?:the\s+)?future|going\s+forward|you\s+see|quick\s+update|update|remember|"
        r"note|important|p\.?s\.?|in\s+fact|these\s+days|nowadays|unfortunately|luckily|fortunately|"
        r"if\s+possible|about\s+me|right\s+now|one\s+more\s+thing|now)\s*(?:[,:!.–—]|\s-)\s*)"
        r"|(?:oh|so|well|also|btw|by\s+the\s+way|fyi|actually|anyway|and|but|because|just\s+so\s+you\s+know|"
        r"from\s+now\s+on|unfortunately|luckily|then|yes|no)\s+(?!far\b|called\b)(?=\S)"
        r"|(?:please\s+)?(?:remember|don't\s+forget|do\s+not\s+forget|keep\s+in\s+mind|note|bear\s+in\s+mind|"
        r"make\s+a\s+note|you\s+should\s+know|i\s+want\s+you\s+to\s+(?:know|remember)|i\s+should\s+mention|"
        r"let\s+me\s+tell\s+you|did\s+you\s+know|you\s+know|i\s+(?:already\s+)?(?:told\s+you|said|"
        r"mentioned)(?:\s+before)?)(?:\s+that|\s*[,:])?\s+(?=(?:i|i'm|i've|my|we|our)\b))"
    ),
    trailer=Shape(
        r"[\s,;:–—-]+(?:by\s+the\s+way|btw|fyi|(?:it's\s+)?nice\s+to\s+meet\s+you|actually|thanks|thank\s+you|thx|though|you\s+know|"
        r"and|but|so|or|because|ok|okay)$"
    ),
    jest=Shape(
        r"\b(?:just|only)\s+(?:kidding|joking)\b|\bjk\b|\bi'm\s+(?:kidding|joking)\b|(?<!\S)/s\b"
    ),
    laughter=Shape(r"\b(?:lol|lmao|rofl|(?:ha){2,}h?|(?:he){2,})\b|[😂🤣😜]"),
    unreal=Shape(
        r"(?:even\s+)?(?:if|unless|whether|as\s+if|as\s+though|i\s+wish|wish|had\s+i|were\s+i|what\s+if|"
        r"in\s+(?:a|another|my\s+(?:dreams?|next|past|previous))\s+(?:dream|life|world)?|when(?:ever)?\s+i\s+"
        r"(?:was|were|am|grow)|once\s+i)\b"
    ),
    make_believe=Shape(
        r"(?:(?:please\s+|now\s+)?(?:imagine|pretend|suppose|assume|picture|role-?play|act\s+(?:as|like)))\b|"
        r"let's\s+(?:say|pretend|imagine|suppose|play|role-?play|assume)\b|in\s+(?:this|my|the)\s+"
        r"(?:story|game|novel|role-?play|dream)\b|once\s+upon\s+a\s+time"
    ),
    task=Shape(
        r"(?:(?:please|can\s+you|could\s+you|would\s+you|now)\s+)*(?:translate|rewrite|rephrase|proofread|"
        r"correct|fix|summari[sz]e|write|draft|paraphrase|check|edit|improve|analy[sz]e|read|continue|"
        r"complete|reply\s+to|respond\s+to|answer\s+this|what\s+does|spell|quote|repeat|say)\b(?:[^:]*:|[^:]*\b(?:this|following)\b[^:]*[?.]?$)"
    ),
    heading=Shape(
        r"\b(?:about\s+me|about\s+myself|my\s+\w+|facts?|i\s+(?:like|love|prefer|hate|am)|know|remember|"
        r"update|note|profile)\s*:$"
    ),
    report=Shape(
        rf"(?:(?!(?:i|we)\b)(?:{_DETERMINED})?(?:[\w-]+\s+){{1,3}}(?:also\s+|always\s+|just\s+|once\s+|has\s+|have\s+)*"
        rf"{_SAYS}\b|according\s+to\b|rumou?r\s+has\b|apparently\b|you\s+(?:think|said|say|told)\b)"
    ),
    report_after=Shape(
        r",\s*(?:he|she|they|(?:my\s+)?\w+)\s+(?:said|says|wrote|thinks?|claims?|told\s+me)[.!]?$"
    ),
    asking=Shape(
        rf"(?:\s*[,;–—]\s*|\s+-\s+)(?:(?:so|and|but)\s+)?(?={_ASKING}\b)|\s+(?:so|and|but)\s+"
        rf"(?={_ASKING}\b)"
    ),
    polite=Shape(
        r"(?:please\s+)?(?:could|can|would|will)\s+you\s+(?:please\s+)?(?:(?:always|only|just|from\s+now\s+on)\s+)*"
        r"(?:answer|reply|respond|speak|talk|write|keep\s+(?:your|the|all)\s+(?:answers|replies|responses|"
        r"messages)|be\s+(?:more|less)|call\s+me)\b"
    ),
    off_record=Shape(
        r"(?:please\s+)?(?:(?:don't|do\s+not|never)\s+(?:remember|save|store|keep|note|memori[sz]e|record|"
        r"write\s+down)\s+(?:this|that|it|the\s+following|what|anything)\b|i\s+don't\s+want\s+you\s+to\s+(?:remember|"
        r"keep|save|store)\b|(?:this\s+is\s+)?off\s+the\s+record\b|forget\s+(?:that|what|about|i|my)\b)"
    ),
    fleeting=Shape(
        r"\b(?:today|tonight|tomorrow|yesterday|right\s+now|at\s+the\s+moment|this\s+(?:morning|afternoon|"
        r"evening|week|weekend|month|time|one)|next\s+(?:week|weekend)|last\s+night|in\s+a\s+(?:minute|"
        r"moment|second|while|bit)|(?:minutes|hours|days)\s+ago|for\s+now|just\s+now|in\s+\w+\s+"
        r"(?:minutes|hours)|again|as\s+well\s+as\s+you)\b"
    ),
    negation=Shape(
        r"\b(?:not|never|no\s+longer|don't|didn't|can't|cannot|isn't|aren't|any\s?more|quit|left|"
        r"used\s+to|fired|laid\s+off)\b"
    ),
    besides=Shape(r"^(?:[\w']+\s+){0,2}also\b|\b(?:also|too|as\s+well)$"),
    generic=frozenset(
        "job jobs position role employer company home house diet work more longer any recently "
        "just yesterday last week month year finally today".split()
    ),
    rules=RULES,
    request=Shape(
        r"(?:(?:could|can|would|will)\s+you\b|please|always|never|don't|do\s+not|only|call|give|tell|show|send|answer|reply|respond|use|keep|"
        r"be|explain|speak|talk|address|treat|write|make|stop|avoid)\b"
    ),
    persons=(
        (Shape(r"\bI am\b"), "you are"),
        (Shape(r"\bI was\b"), "you were"),
        (Shape(r"\bI wasn't\b"), "you weren't"),
        (Shape(r"\bam I\b"), "are you"),
        (Shape(r"\bwas I\b"), "were you"),
        (Shape(r"\bI'm\b"), "you're"),
        (Shape(r"\bI(?=(?:'(?:ve|d|ll))?\b)"), "you"),
        (Shape(r"\bmyself\b"), "yourself"),
        (Shape(r"\bmine\b"), "yours"),
        (Shape(r"\bmy\b"), "your"),
        (Shape(r"\bme\b"), "you"),
        (Shape(r"\bwe(?=(?:'(?:ve|d|ll|re))?\b)"), "you"),
        (Shape(r"\bourselves\b"), "yourselves"),
        (Shape(r"\bours\b"), "yours"),
        (Shape(r"\bour\b"), "your"),
        (Shape(r"\b(?-i:us)\b"), "you"),
    ),
    addressed=(
        (Shape(r"\byou(?:'re|\s+are)\b"), "I'm"),
        (Shape(r"\byou\s+were\b"), "I was"),
        (Shape(r"\bare\s+you\b"), "am I"),
        (Shape(r"\byou(?='(?:ve|d|ll)\b)"), "I"),
        (
            Shape(
                r"(?:^|(?<=\bif\s)|(?<=\bthat\s)|(?<=\bwhen\s)|(?<=\bhow\s)|(?<=\bwhat\s)|(?<=\bbecause\s)|"
                r"(?<=\bwhile\s)|(?<=\bwhether\s)|(?<=\buntil\s)|(?<=\bdo\s)|(?<=\bcan\s)|(?<=\bdid\s))you(?=\s+\w)"
            ),
            "I",
        ),
        (Shape(r"\byourself\b"), "myself"),
        (Shape(r"\byours\b"), "mine"),
        (Shape(r"\byour\b"), "my"),
        (Shape(r"\byou\b"), "me"),
    ),
    naming=NAMING,
    not_names=_NOT_NAMES,
    after_name=Shape(
        rf"\s+(?:{FROM_NOW}|now|if|when|because|since|as|and|but|so|instead|okay|ok|please|right|then|"
        r"for\s+short|today|alright|unless|until|in|at|for|while|or|is|to|on|the|by|with)\b"
    ),
    no_name=Shape(r"\w+ly$"),
    questions=QUESTIONS,
    slots=SLOTS,
    others=Shape(rf"\b(?!(?:wife|husband|partner|girlfriend|boyfriend|fianc|spouse)){KIN}\b"),
    relatives=Shape(rf"(?:my|our)\s+{KIN}(?:'s?)?\b"),
    courtesy=Shape(
        r"(?:(?:please|so|and|but|now|ok|okay|well|hey|hi|hello|remind\s+me(?!\s+(?:of|about)\b)|by\s+the\s+way)\b[\s,:]*"
        r"|(?:can|could|would|will)\s+you\s+(?:please\s+)?(?:(?:tell|remind)\s+me\s+)?(?=what|where|when|who|"
        r"which|how|if|everything|tell|show|list|describe)|(?:tell|remind)\s+me[\s,:]+(?=what|where|when|who|"
        r"which|how)|i'd\s+like\s+to\s+know\s+|(?:do\s+you\s+have\s+)?any\s+idea\s+(?=what|where|when|who|which|how)|do\s+you\s+(?:happen\s+to\s+)?(?:still\s+)?(?:know|remember|"
        r"recall)[\s,]+(?=what's|when's|where's))+"
    ),
    question_noise=frozenset(
        "i i'm my our me we us am is are was were do did does have had has what's the a an you "
        "your to of for in on at that it whether if what where when who whom which how about "
        "please again ever yet so far many much like any kind kinds sort sorts type or than "
        "over and tell told know remember recall now last time said say mentioned called".split()
    ),
    numeral_before=Shape(
        r"(?:\b(?:type|phase|class|level|part|chapter|war|grade|stage|volume|act|tier)|(?<!^)"
        r"(?<![.!?,]\s)\b(?-i:[A-Z][a-zé]+))\s$"
    ),
    numeral_after=Shape(
        r"'s\b|\s+(?:of|is|and|or|in|on|at|by|the|with|who|diabet\w+|street|avenue|(?-i:[A-Z])\w+)\b"
    ),
    agent_name_question=Shape(
        r"(?:do\s+you\s+(?:still\s+)?(?:know|remember|recall)\s+)?(?:(?:what(?:'s|\s+is|\s+was)|tell\s+me)\s+)?"
        r"your\s+(?:own\s+)?name(?:\s+(?:again|now|is|please))?\W*$|who\s+are\s+you\b|what\s+(?:do|should|can|"
        r"did|shall)\s+i\s+call\s+you\b|do\s+you\s+have\s+a\s+name\b|what\s+are\s+you\s+called\b|"
        r"(?:do\s+you\s+remember\s+)?what\s+(?:i|did\s+i)\s+(?:named?|called?)\s+you\b|how\s+(?:do|should)\s+i\s+"
        r"(?:call|address)\s+you\b|what\s+name\s+did\s+i\s+give\s+you\b"
    ),
    keep_request=Shape(
        r"(?:please\s+|(?P<asked>(?:can|could|would|will)\s+you\s+))*(?:remember|don't\s+forget|do\s+not\s+forget|"
        r"keep\s+in\s+mind|make\s+a\s+note)(?:\s+this)?(?:\s+that\s+|\s*:\s*|\s+(?=(?:i|i'm|i've|my|we|our|the)"
        r"\b))(?P<what>[^?]+)(?(asked)\??)$"
    ),
    chatter=Shape(
        r"(?:(?:ok(?:ay)?|yes|no|yeah|yep|nope|sure|cool|great|nice|wow|hmm+|lol|perfect|good|fine|right|"
        r"got\s+it|i\s+see|never\s*mind|cancel|k|ha|new)[\s,.!?]*)+$"
    ),
    stopwords=_STOPWORDS,
    phrases=Phrases(
        said="{who} said: {quotes}.",
        asked="{who} asked: {quotes}.",
        you_said="You said: {quotes}.",
        you_asked="You asked: {quotes}.",
    ),
)
