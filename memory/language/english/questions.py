"""English: how people ask what is remembered, and how they give the assistant a name."""

from memory.language.grammar import QuestionRule, pattern
from memory.records import Kind

# Nobody telephones an assistant: "I'll call you Friday" names it, "Friday at noon" would not.
_LATER = (
    r"(?!(?:mon|tues|wednes|thurs|fri|satur|sun)day\s+"
    r"(?:morning|afternoon|evening|night|at|next)\b)"
)

_NAME = r"[:\s]*\s+(?P<name>\S.*)"
_WILL_CALL = (
    r"(?:i'll|i\s+will|i'd\s+like\s+to|i\s+would\s+like\s+to|i'd\s+love\s+to|i\s+want\s+to|i\s+wanna|"
    r"i'm\s+going\s+to|i\s+am\s+going\s+to|i'm\s+gonna|can\s+i|could\s+i|may\s+i|let\s+me|let's|"
    r"i\s+think\s+i'll|i\s+think\s+i\s+will|i\s+shall|i've\s+decided\s+to|how\s+about\s+i|"
    r"shall\s+i|is\s+it\s+ok(?:ay)?\s+if\s+i|do\s+you\s+mind\s+if\s+i|mind\s+if\s+i|i\s+prefer\s+to)"
)

_AGENT_NAME = r"(?:your\s+(?:new\s+)?name)"
FROM_NOW = r"(?:from\s+now\s+on|from\s+today|going\s+forward|henceforth)"
_ME = r"(?:me|us|my\s+life|myself)"
_REMEMBER = r"(?:know|remember|recall|have\s+(?:stored|saved|noted|learned|on\s+file)|learn(?:ed)?)"
_LIKE_VERB = r"(?:like|love|prefer|enjoy|hate|dislike)"
_STATE_VERB = (
    r"(?:live|work|study|come\s+from|drive|speak|play|eat|drink|own|have|teach|smoke|collect|"
    r"go\s+to\s+(?:school|university|college|work))"
)

QUESTIONS = (
    QuestionRule(
        pattern(
            r"(?:what|where|how|when|who|which)\b.*\b(?:do|should|can|could|would|must|will|may|might)"
            r"\s+i\s+(?:need|have\s+to|want|look|get|find|start|go\b(?!\s+to\s+(?:school|univ|coll|wor))"
            r"|do\s+(?!for|as)|use|put|say|make|know|install|\w+\s+you)"
            r"|(?:what|where|how|when|who|which)\b.*\b(?:should|can|could|would|must|may|might)\s+i\b"
            r"|(?:what|who|where)(?:'s|\s+is|\s+are)\s+my\s+(?:next|best|options?|chances?|problem|"
            r"mistake|fault|ip)\b|(?:am|was)\s+i\s+(?:right|wrong|late|too|making|doing|being|the\s+only)"
            r"|what\s+do\s+you\s+know\s+about\s+(?!me\b|us\b|my\b|our\b)"
        ),
        refused=True,
    ),
    QuestionRule(
        pattern(
            rf"what\s+(?:are|were)\s+my\s+(?:\w+\s+)?preferences|what\s+(?:else\s+)?do\s+i\s+"
            rf"{_LIKE_VERB}(?:\s+and\s+{_LIKE_VERB})?\W*$|what\s+are\s+my\s+likes\b|(?:list|show)\s+"
            rf"(?:me\s+)?(?:all\s+)?my\s+preferences|what\s+(?:preferences|likes)\b.*\byou\s+{_REMEMBER}"
            rf"|what\s+do\s+you\s+{_REMEMBER}\s+(?:about|of)\s+my\s+preferences"
        ),
        kinds=(Kind.PREFERENCE,),
    ),
    QuestionRule(
        pattern(
            rf"(?:list|show|what)\s+(?:me\s+)?(?:are\s+)?(?:all\s+)?(?:the\s+|my\s+)?facts\b.*(?:\babout"
            rf"\s+{_ME}|\byou\s+{_REMEMBER}).*"
        ),
        kinds=(Kind.FACT,),
    ),
    QuestionRule(
        pattern(
            rf"what\s+(?:else\s+|all\s+|things\s+|exactly\s+|information\s+)*(?:do|did|can|have|is\s+it)\s+"
            rf"you\s+(?:(?:already|actually|still|really|currently|even|now)\s+)*{_REMEMBER}\W*$"
            rf"|what\s+(?:\w+\s+){{0,2}}(?:do|did|can|have)\s+you\s+(?:\w+\s+)?(?:{_REMEMBER}|know|"
            rf"remember|learned|stored|saved|have)\s+(?:\w+\s+)?(?:about|of|on)\s+{_ME}\b"
            rf"|(?:tell|show|give)\s+{_ME}\s+(?:everything|all|what|anything|whatever)?\s*(?:that\s+)?"
            rf"(?:you\s+{_REMEMBER}(?:\s+(?:about|of)\s+{_ME})?|about\s+(?:me|myself))\W*$"
            rf"|who\s+am\s+i\W*$|.*\bwho\s+i\s+am\W*$|do\s+you\s+(?:still\s+)?(?:remember|know|recall)\s+me\b"
            rf"|do\s+you\s+(?:know|remember|recall)\s+(?:anything|something)\s+(?:about|of)\s+{_ME}\b"
            rf"|what\s+(?:have|did)\s+i\s+(?:told|tell|say|said|share|shared)\s*(?:to\s+|with\s+)?(?:you)?"
            rf"(?:\s+(?:so\s+far|before|earlier|until\s+now|last\s+time|about\s+(?:me|myself)))*\W*$"
            rf"|what(?:'s|\s+is)\s+in\s+your\s+memory|(?:list|show)\s+(?:me\s+)?(?:all\s+)?(?:my|your)\s+"
            rf"memor(?:y|ies)|what\s+did\s+we\s+(?:talk|speak|chat)\s+about\W*$|summari[sz]e\s+what\s+you\s+"
            rf"know\s+about\s+me|describe\s+me\b|do\s+you\s+have\s+(?:any|a)\s+memor(?:y|ies)\s+of\s+me"
        )
    ),
    QuestionRule(
        pattern(
            rf"(?:what|anything|everything|tell\s+me\s+what|have|did)\b.*\b(?:i\s+(?:ever\s+)?(?:tell|told|"
            rf"say|said|mention(?:ed)?|shared?|talk(?:ed)?)|we\s+(?:talk(?:ed)?|sa(?:y|id)|discuss(?:ed)?|"
            rf"sp(?:eak|oken?)))\b\s*(?:to\s+|with\s+)?(?:you\s+|me\s+)?(?:\w+\s+)?(?:about|on|of|regarding)\s+"
            r"(?P<topic>.+)"
            rf"|what\s+.*\byou\s+(?:\w+\s+)?{_REMEMBER}\s+(?:\w+\s+)?(?:about|of|from|on)\s+(?:my\s+|our\s+)?"
            r"(?P<topic2>.+)"
            rf"|(?:tell\s+me\s+)?(?:what|everything|all|anything)\s+you\s+{_REMEMBER}\s+(?:about|of)\s+"
            r"(?P<topic3>.+)"
            r"|(?:did|have)\s+i\s+(?:ever\s+)?(?:tell|told|mention(?:ed)?)\s+(?:to\s+)?(?:you\s+)?(?:that\s+)?"
            r"(?P<topic4>.+)"
            r"|do\s+you\s+(?:still\s+)?(?:remember|recall)\s+(?P<topic5>(?!how\s+to|when\s+we|the\s+time)"
            r"(?:my|our|what|where|when|who|which|how|if|whether|that)\b.+)"
            r"|do\s+you\s+know\s+(?P<topic6>(?:my|our|(?:what|where|when|who|which|how|if|whether)\b.*"
            r"\b(?:i|my|i'm|am|me))\b.+)"
            r"|remind\s+me\s+(?P<topic7>(?:what|where|when|who|which|how|of\s+my)\b.*\b(?:i|my|i'm)\b.*)"
        )
    ),
    QuestionRule(
        pattern(r"(?:what|which)\s+(?:do|is)\s+i\s+do(?:\s+(?:for|as)\b.*)?\W*$"), topic="job"
    ),
    QuestionRule(
        pattern(
            r"(?:what|when|who|where|which|how)\s+(?:my|our)\s+(?P<topic>\S.*?)\s+(?:is|are|was|were)\W*$"
            rf"|(?:where|what|which|who|how)\s+(?P<topic1>(?:\w+\s+){{0,2}}?)i\s+(?P<topic2>(?:{_LIKE_VERB}|"
            rf"{_STATE_VERB})(?:\s+(?:at|in|for))?)\W*$"
        )
    ),
    QuestionRule(pattern(r"how\s+old\s+i\s+am\b"), topic="age"),
    QuestionRule(pattern(r"how\s+old\s+am\s+i\b|what(?:'s|\s+is)\s+my\s+age\b"), topic="age"),
    QuestionRule(pattern(r"where\s+am\s+i\s+from\b"), topic="from"),
    QuestionRule(pattern(r"(?:when|where)\s+was\s+i\s+(?P<topic>born)\b")),
    QuestionRule(pattern(r"where\s+do\s+i\s+(?P<topic>live|work|study)\b")),
    QuestionRule(
        pattern(
            r"(?:what|when|who|where|which)(?:'s|\s+is|\s+was|\s+are|\s+were|'re)\s+(?:my|our)\s+(?P<topic>.+)"
            r"|what(?:\s+(?P<topic1>\w+(?:\s+\w+)?))?\s+(?:am|was)\s+i\s+(?P<topic2>allergic|afraid|good|"
            r"interested|studying|learning|working|reading|born)\b.*"
            rf"|(?:what|which|how\s+many|how\s+much)\s+(?P<topic3>(?:\w+\s+){{1,4}}?)(?:do|did|have)\s+i\s+"
            rf"(?P<topic4>(?:{_LIKE_VERB}|{_STATE_VERB})\b.*)"
            rf"|(?:what|where|who|whom|when|how)\s+(?:do|did)\s+i\s+(?P<topic5>(?:{_LIKE_VERB}|"
            rf"{_STATE_VERB})\b.*)"
            rf"|do\s+i\s+(?P<topic6>(?:{_LIKE_VERB}|{_STATE_VERB})\b.+)"
            r"|am\s+i\s+(?P<topic7>(?:allergic|married|single|vegan|vegetarian|divorced|diabetic|left|"
            r"right-?handed|an?\s|afraid|religious)\b.*)"
            r"|how\s+(?P<topic8>tall|heavy)\s+am\s+i\b"
            r"|(?:what|which)\s+(?P<topic9>\w+)\s+(?:is|was)\s+(?:my|our)\s+(?P<topic10>.+)"
        )
    ),
)

NAMING = (
    pattern(
        rf"{_WILL_CALL}\s+(?:just\s+|now\s+)?(?:call|name|rename)\s+you\s+{_LATER}(?P<name>\S.*)"
    ),
    pattern(
        rf"{FROM_NOW},?\s+(?:i'll|i\s+will|i'm\s+going\s+to)?\s*call(?:ing)?\s+you\s+(?P<name>\S.*)"
    ),
    pattern(
        rf"i(?:'m|\s+am)?\s+(?:call(?:ing)?|nam(?:e|ing)|renam(?:e|ing)|dub(?:bing)?|"
        rf"christen(?:ing)?)\s+(?:you|thee)\s+{_LATER}(?P<name>\S.*)"
    ),
    pattern(rf"{FROM_NOW},?\s+{_AGENT_NAME}(?:'s|\s+is|\s+will\s+be|\s+shall\s+be){_NAME}"),
    pattern(
        rf"{_AGENT_NAME}(?:\s+is|\s+will\s+be|\s+shall\s+be|\s+should\s+be|'s)(?:\s+now|\s+going\s+to"
        rf"\s+be)?{_NAME}"
    ),
    pattern(rf"(?:i\s+want|i'd\s+like|i\s+would\s+like|let)\s+{_AGENT_NAME}\s+(?:to\s+)?be{_NAME}"),
    pattern(
        r"(?:i\s+want|i'd\s+like|i\s+would\s+like)\s+you\s+to\s+be\s+(?:called|named)"
        r"\s+(?P<name>\S.*)"
    ),
    pattern(rf"(?:please\s+)?(?:change|set|make)\s+{_AGENT_NAME}\s+(?:to|be)?{_NAME}"),
    pattern(r"(?:please\s+)?(?:rename|call|name)\s+yourself\s+(?:to\s+|as\s+)?(?P<name>\S.*)"),
    pattern(
        rf"(?:{FROM_NOW},?\s+)?(?:please\s+)?(?:you(?:'ll|\s+will|\s+shall|\s+should|\s+are\s+to)\s+)?"
        r"be\s+(?:called|named|known\s+as)\s+(?P<name>\S.*)"
    ),
    pattern(
        rf"(?:{FROM_NOW},?\s+)?you(?:'re|\s+are)\s+(?:now\s+)?(?:called|named)\s+(?P<name>\S.*)"
    ),
    pattern(
        r"you(?:'re|\s+are)\s+(?P<name>(?-i:[A-Z])\S*(?:\s+(?-i:[A-Z])\S*)?)\s+(?:now|from\s+now)\b"
    ),
    pattern(
        rf"(?:{FROM_NOW},?\s+you(?:'re|\s+are)|you(?:'re|\s+are)\s+now|now\s+you(?:'re|\s+are))\s+"
        r"(?P<name>(?-i:[A-Z]).*)"
    ),
    pattern(
        r"(?:please\s+)?(?:answer|respond|listen)\s+to\s+the\s+name\s+(?:of\s+)?(?P<name>\S.*)"
    ),
    pattern(r"let\s+(?:me|us)\s+give\s+you\s+(?:a|the)\s+name\b[:,]?\s+(?P<name>\S.*)"),
)
