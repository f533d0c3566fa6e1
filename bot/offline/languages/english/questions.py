"""English: how people ask what is remembered."""

from bot.offline.grammar.shapes import QuestionRule, Shape
from bot.offline.languages.english.words import KIN
from memory.records import Kind

_ME = r"(?:me|us|my\s+life|myself)"
_REMEMBER = r"(?:know|remember|recall|have\s+(?:stored|saved|noted|learned|on\s+file)|learn(?:ed)?)"
_LIKE_VERB = r"(?:like|love|prefer|enjoy|hate|dislike)"
_STATE_VERB = (
    r"(?:live|work|study|come\s+from|drive|speak|play|eat|drink|own|have|teach|smoke|collect|"
    r"go\s+to\s+(?:school|university|college|work))"
)
_TALK = r"(?:talk(?:ed)?|sp(?:eak|oke|oken)|chat(?:ted)?|discuss(?:ed)?)"
_EARLIER = (
    r"(?:so\s+far|before|earlier|recently|previously|yesterday|(?:the\s+)?last\s+(?:time|\w+)|"
    r"in\s+(?:our|the)\s+(?:last|previous)\s+\w+)"
)
_BE = r"(?:'s|'re|\s+is|\s+was|\s+are|\s+were)"
_WH = r"(?:what|when|who|where|which|how)"
# Words of statements that like something not.
_AVERSE = "not don't never can't cannot hate dislike detest loathe avoid allergic"

_NOT_ABOUT_MEMORY = QuestionRule(
    Shape(
        r"(?:what|where|how|when|who|which)\b.*\b(?:do|should|can|could|would|must|will|may|might)"
        r"\s+i\s+(?:need|have\s+to|want|look|get|find|start|go\b(?!\s+to\s+(?:school|univ|coll|wor))"
        r"|do\s+(?!for|as)|use|put|say|make|know|install|\w+\s+you)"
        r"|(?:what|where|how|when|who|which)\b.*\b(?:should|can|could|would|must|may|might)\s+i\b"
        r"|(?:what|who|where)(?:'s|\s+is|\s+are)\s+my\s+(?:next|best|options?|chances?|problem|"
        r"mistake|fault|ip)\b|(?:am|was)\s+i\s+(?:right|wrong|late|too|making|doing|being|the\s+only)"
    ),
    refused=True,
)

_ALL_OF_A_KIND = (
    QuestionRule(
        Shape(
            r"what\s+(?:do\s+i\s+(?:(?:really|absolutely)\s+)*(?:hate|dislike|not\s+like|detest|avoid)|"
            r"don't\s+i\s+like|are\s+my\s+dislikes)\W*$"
        ),
        only=_AVERSE,
    ),
    QuestionRule(
        Shape(
            rf"what\s+(?:are|were)\s+my\s+(?:\w+\s+)?preferences|what\s+(?:else\s+)?do\s+i\s+"
            rf"{_LIKE_VERB}(?:\s+and\s+{_LIKE_VERB})?(?:\s+to\s+do|\s+doing)?\W*$|what\s+are\s+my\s+likes\b|(?:list|show)\s+"
            rf"(?:me\s+)?(?:all\s+)?my\s+preferences|what\s+(?:preferences|likes)\b.*\byou\s+{_REMEMBER}"
            rf"|what\s+do\s+you\s+{_REMEMBER}\s+(?:about|of)\s+my\s+preferences"
            r"|how\s+(?:should|do|will)\s+you\s+(?:answer|reply|talk|speak|respond|write)\b"
        ),
        kinds=(Kind.PREFERENCE,),
    ),
    QuestionRule(
        Shape(
            rf"(?:list|show|what)\s+(?:me\s+)?(?:are\s+)?(?:all\s+)?(?:the\s+|my\s+)?facts\b.*(?:\babout"
            rf"\s+{_ME}|\byou\s+{_REMEMBER}).*"
        ),
        kinds=(Kind.FACT,),
    ),
    QuestionRule(
        Shape(
            rf"what\s+(?:did|have|were)\s+we\s+(?:{_TALK}|talking)(?:\s+about)?(?:\s+{_EARLIER})*\W*$"
            rf"|(?:do\s+you\s+(?:still\s+)?(?:remember|recall|know)\s+)(?:what\s+we\s+{_TALK}(?:\s+about)?|"
            rf"our\s+(?:last|previous|earlier)\s+(?:conversation|chat|talk))(?:\s+{_EARLIER})*\W*$"
            r"|what\s+was\s+our\s+last\s+(?:conversation|chat|talk)\s+about\W*$"
        ),
        kinds=(Kind.SUMMARY,),
    ),
    QuestionRule(
        Shape(
            rf"what\s+(?:else\s+|all\s+|things\s+|exactly\s+|information\s+)*(?:do|did|can|have|is\s+it)\s+"
            rf"you\s+(?:(?:already|actually|still|really|currently|even|now)\s+)*{_REMEMBER}\W*$"
            rf"|what\s+(?:\w+\s+){{0,2}}(?:do|did|can|have)\s+you\s+(?:\w+\s+)?(?:{_REMEMBER}|know|"
            rf"remember|learned|stored|saved|have)\s+(?:\w+\s+)?(?:about|of|on)\s+{_ME}\b"
            rf"|(?:tell|show|give)\s+{_ME}\s+(?:everything|all|what|anything|whatever)?\s*(?:that\s+)?"
            rf"(?:you\s+{_REMEMBER}(?:\s+(?:about|of)\s+{_ME})?|about\s+(?:me|myself))\W*$"
            rf"|who\s+am\s+i\W*$|.*\bwho\s+i\s+am\W*$|do\s+you\s+(?:still\s+)?(?:remember|know|recall)\s+me\b"
            rf"|do\s+you\s+(?:know|remember|recall)\s+(?:anything|something)\s+(?:about|of)\s+{_ME}\b"
            rf"|what\s+(?:have|did)\s+i\s+(?:told|tell|say|said|share|shared)\s*(?:to\s+|with\s+)?(?:you)?"
            rf"(?:\s+(?:until\s+now|about\s+(?:me|myself)|{_EARLIER}))*\W*$"
            rf"|what(?:'s|\s+is)\s+in\s+your\s+memory|(?:list|show)\s+(?:me\s+)?(?:all\s+)?(?:my|your)\s+"
            r"memor(?:y|ies)|(?:list|show|tell)\s+(?:me\s+)?(?:everything|it\s+all|all)\W*$|summari[sz]e\s+"
            r"what\s+you\s+know\s+about\s+me|describe\s+me\b|do\s+you\s+have\s+(?:any|a)\s+memor(?:y|ies)\s+of\s+me"
        )
    ),
)

_ALL_ON_A_TOPIC = (
    QuestionRule(
        Shape(
            r"(?:what|anything|everything|tell\s+me\s+what|have|did)\b.*\b(?:i\s+(?:ever\s+)?(?:tell|told|"
            r"say|said|mention(?:ed)?|shared?|talk(?:ed)?)|we\s+(?:ever\s+)?(?:talk(?:ed)?|sa(?:y|id)|discuss(?:ed)?|"
            r"sp(?:eak|oken?)))\b\s*(?:to\s+|with\s+)?(?:you\s+|me\s+)?(?:\w+\s+)?(?:about|on|of|regarding)\s+"
            rf"(?P<topic>.+?)(?:\s+{_EARLIER})*\W*$"
            rf"|(?:what|which)\s+.*\byou\s+(?:\w+\s+)?{_REMEMBER}\s+(?:\w+\s+)?(?:about|of|from|on)\s+"
            r"(?:my\s+|our\s+)?(?P<topic2>.+)"
            rf"|(?:tell\s+me\s+)?(?:what|everything|all|anything)\s+you\s+{_REMEMBER}\s+(?:about|of)\s+"
            r"(?P<topic3>.+)"
            r"|(?:did|have)\s+i\s+(?:ever\s+)?(?:tell|told|mention(?:ed)?)\s+(?:to\s+)?(?:you\s+)?(?:that\s+)?"
            r"(?P<topic4>.+)"
            rf"|do\s+you\s+(?:still\s+)?{_REMEMBER}\s+(?:anything|something)\s+(?:about|of)\s+(?P<topic5>.+)"
            r"|what\s+can\s+you\s+tell\s+me\s+about\s+(?P<topic7>(?:my|our)\s+.+)"
            r"|tell\s+me\s+(?:more\s+|something\s+)?about\s+(?P<topic6>(?:my|our)\s+.+)"
        ),
        wide=True,
    ),
    QuestionRule(
        Shape(r"do\s+i\s+have\s+(?:any\s+)?(?:health|medical)\s+\w+\W*$"),
        topic="health illness allergic",
        wide=True,
    ),
)

_ON_SOMEBODY = (
    QuestionRule(
        Shape(
            rf"{_WH}{_BE}\s+(?:my|our)\s+(?P<topic>[\w-]+(?:\s+[\w-]+)?)'s?\s+(?P<detail>\S.*)"
            rf"|{_WH}{_BE}\s+(?:my|our)\s+(?P<topic2>{KIN})\s+(?P<detail2>called|named|from|born|working|doing)\b"
            rf"|{_WH}\s+(?:my|our)\s+(?P<topic3>{KIN})\s+(?:is|are|was|were)\s+(?P<detail3>\w+)\W*$"
            rf"|{_WH}\s+(?:my|our)\s+(?P<topic4>[\w-]+(?:\s+[\w-]+)?)'s?\s+(?P<detail4>\S.*?)"
            r"\s+(?:is|are|was|were)\W*$"
            rf"|how\s+(?P<detail5>old|tall|big){_BE}\s+(?:(?:my|our)\s+(?P<topic5>\S.*)|"
            r"(?P<topic6>(?-i:[A-Z])\w+)\W*$)"
            r"|(?:do\s+you\s+(?:still\s+)?(?:know|remember|recall)|remind\s+me\s+(?:of|about))\s+(?:my|our)\s+"
            r"(?P<topic10>[\w-]+(?:\s+[\w-]+)?)'s?\s+(?P<detail10>\S.*)"
            rf"|{_WH}(?:\s+\w+)?\s+(?:does|do|did)\s+(?:(?:my|our)\s+(?P<topic7>{KIN})|"
            r"(?P<topic8>(?-i:[A-Z])\w+))\s+(?P<detail7>(?:live|work|study|do|like|love|hate|eat|play|speak|drive|"
            r"come)\b.*)"
            rf"|what{_BE}\s+the\s+(?P<detail11>names?|age|birthday|job)\s+of\s+(?:my|our)\s+(?P<topic11>\S.*)"
            r"|do\s+you\s+(?:still\s+)?remember\s+(?P<topic12>(?-i:[A-Z])\w+)\W*$"
            r"|who(?:'s|\s+is|\s+are)\s+(?P<topic9>(?-i:[A-Z])\w+)\W*$"
        ),
        focused=True,
    ),
)

_ON_ONESELF = (
    QuestionRule(Shape(rf"{_WH}\s+(?:do|is)\s+i\s+do(?:\s+(?:for|as)\b.*)?\W*$"), topic="job"),
    QuestionRule(
        Shape(
            r"(?:what|which)\s+(?:kinds?\s+of\s+|sorts?\s+of\s+)?(?P<topic>(?:\w+\s+)+?)(?:do\s+i\s+(?:(?:not|never)\s+"
            rf"{_LIKE_VERB}|hate|dislike|avoid|not\s+eat|not\s+drink)|don't\s+i\s+{_LIKE_VERB})\W*$"
        ),
        topic="{topic} dislike hate",
        only=_AVERSE,
    ),
    QuestionRule(
        Shape(
            r"(?:what|when|who|where|which|how)\s+(?:my|our)\s+(?P<topic>\S.*?)\s+(?:is|are|was|were)\W*$"
            r"|(?:where|what|which|who|how)\s+(?P<topic1>(?:\w+\s+){0,2}?)i\s+(?P<topic2>"
            rf"(?:{_LIKE_VERB}|{_STATE_VERB})(?:\s+(?:at|in|for))?)\W*$"
        )
    ),
    QuestionRule(
        Shape(r"how\s+old\s+(?:i\s+am|am\s+i)\b|what(?:'s|\s+is)\s+my\s+age\b"), topic="age"
    ),
    QuestionRule(
        Shape(r"where\s+(?:am\s+i|do\s+i\s+come|i\s+(?:am|come))\s+from\b"),
        topic="origin from born",
    ),
    QuestionRule(Shape(r"where\s+was\s+i\s+born\b"), topic="birthplace born"),
    QuestionRule(Shape(r"(?:when|in\s+what\s+year)\s+was\s+i\s+(?P<topic>born)\b")),
    QuestionRule(Shape(r"where\s+do\s+i\s+(?P<topic>live|work|study)\b")),
    QuestionRule(
        Shape(
            r"do\s+i\s+(?:not\s+)?(?:(?:really|still|actually)\s+)*(?:like|love|prefer|enjoy|hate|dislike|drive|"
            r"speak|play|eat|drink|own|have|collect)\s+(?!to\s)(?:any\s+|an?\s+)?(?P<topic>\S.+)"
            r"|how\s+many\s+(?P<topic2>[\w-]+(?:\s+\w+)?)\s+do\s+i\s+(?:have|own|speak|play)\b"
        ),
        focused=True,
    ),
    QuestionRule(
        Shape(
            r"(?:what|when|who|where|which)(?:'s|\s+is|\s+was|\s+are|\s+were|'re)\s+(?:my|our)\s+(?P<topic>.+)"
            r"|what(?:\s+(?P<topic1>\w+(?:\s+\w+)?))?\s+(?:am|was)\s+i\s+(?P<topic2>allergic|afraid|good|"
            r"interested|studying|learning|working|reading|born)\b.*"
            r"|(?:what|which|how\s+many|how\s+much)\s+(?P<topic3>(?:\w+\s+){1,4}?)(?:do|did|have)\s+i\s+"
            rf"(?P<topic4>(?:{_LIKE_VERB}|{_STATE_VERB})\b.*)"
            rf"|(?:what|where|who|whom|when|how)\s+(?:do|did)\s+i\s+(?P<topic5>(?:{_LIKE_VERB}|"
            rf"{_STATE_VERB})\b.*)"
            r"|(?:where|when|what)\s+did\s+i\s+(?P<topic6>(?:park|leave|put|study|grow\s+up|meet|buy|order|"
            r"graduate|marry|move)\b.*)"
            rf"|do\s+i\s+(?P<topic7>(?:{_LIKE_VERB}|{_STATE_VERB})\b.*)"
            r"|am\s+i\s+(?P<topic8>(?:allergic|married|single|vegan|vegetarian|divorced|diabetic|left|"
            r"right-?handed|an?\s|afraid|religious)\b.*)"
            r"|how\s+(?P<topic9>tall|heavy)\s+am\s+i\b"
            r"|(?:what|which)\s+(?P<topic10>\w+)\s+(?:is|was)\s+(?:my|our)\s+(?P<topic11>.+)"
            r"|do\s+you\s+(?:still\s+)?(?:remember|recall)\s+(?P<topic12>(?!how\s+to|when\s+we|the\s+time)"
            r"(?:my|our|what|where|when|who|which|how|if|whether|that)\b.+)"
            r"|do\s+you\s+know\s+(?P<topic13>(?:my|our|(?:what|where|when|who|which|how|if|whether)\b.*"
            r"\b(?:i|my|i'm|am|me))\b.+)"
            r"|remind\s+me\s+(?P<topic14>(?:what|where|when|who|which|how)\b.*\b(?:i|my|i'm)\b.*|"
            r"(?:of|about)\s+(?:my|our)\b.+)"
        )
    ),
)

#: In the order in which they are tried.
QUESTIONS = (
    _NOT_ABOUT_MEMORY,
    *_ALL_OF_A_KIND,
    *_ALL_ON_A_TOPIC,
    *_ON_SOMEBODY,
    *_ON_ONESELF,
)

SLOTS = (
    (Shape(r"\bfavou?rite\s+(?P<noun>\w+(?:\s+\w+)?)"), ("favorite_{noun}",)),
    (Shape(r"\b(?:birthplace|place\s+of\s+birth)\b"), ("birthplace",)),
    (Shape(r"\b(?:origin|nationality|home\s?town)\b"), ("origin", "hometown", "birthplace")),
    (Shape(r"\b(?:birthday|birth\s?date|date\s+of\s+birth|born)\b"), ("birthday",)),
    (Shape(r"\b(?:nickname)\b"), ("nickname", "name")),
    (
        Shape(r"\b(?:wife|husband|partner|girlfriend|boyfriend|fianc[ée]e?|spouse)\b"),
        ("partner", "marital_status"),
    ),
    (Shape(r"\b(?:married|marital|divorced|single|engaged)\b"), ("marital_status", "partner")),
    (Shape(r"\b(?:surname|last\s+name|family\s+name)\b"), ("surname", "name")),
    (Shape(r"\b(?:name|called|named)\b"), ("name", "nickname")),
    (
        Shape(
            r"\b(?:jobs?|work(?:ing)?|employe[rd]|employment|workplace|profession|occupation|career|company)\b"
        ),
        ("employer", "job_title"),
    ),
    (Shape(r"\b(?:e-?mail)\b"), ("email",)),
    (Shape(r"\b(?:phone|telephone|mobile)\b"), ("phone",)),
    (Shape(r"\b(?:live|home|address|residence)\b"), ("home",)),
    (Shape(r"\bage\b"), ("age", "birthday")),
    (Shape(r"\b(?:diet|vegan|vegetarian)\b"), ("diet",)),
    (Shape(r"\b(?:school|university|college|study|studied)\b"), ("school",)),
    (Shape(r"\b(?:mother\s+tongue|native\s+language|first\s+language)\b"), ("native_language",)),
    (Shape(r"\b(?:tall|height)\b"), ("height",)),
    (Shape(r"\b(?:heavy|weight|weigh)\b"), ("weight",)),
    (Shape(r"\btime\s?zone\b"), ("timezone",)),
    (Shape(r"\banniversary\b"), ("anniversary",)),
)
