"""English: how people give the assistant a name."""

from bot.offline.grammar.shapes import Shape

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

NAMING = (
    Shape(
        rf"{_WILL_CALL}\s+(?:just\s+|now\s+)?(?:call|name|rename)\s+you\s+{_LATER}(?P<name>\S.*)"
    ),
    Shape(
        rf"{FROM_NOW},?\s+(?:i'll|i\s+will|i'm\s+going\s+to)?\s*call(?:ing)?\s+you\s+(?P<name>\S.*)"
    ),
    Shape(
        rf"i(?:'m|\s+am)?\s+(?:call(?:ing)?|nam(?:e|ing)|renam(?:e|ing)|dub(?:bing)?|"
        rf"christen(?:ing)?)\s+(?:you|thee)\s+{_LATER}(?P<name>\S.*)"
    ),
    Shape(rf"{FROM_NOW},?\s+{_AGENT_NAME}(?:'s|\s+is|\s+will\s+be|\s+shall\s+be){_NAME}"),
    Shape(
        rf"{_AGENT_NAME}(?:\s+is|\s+will\s+be|\s+shall\s+be|\s+should\s+be|'s)(?:\s+now|\s+going\s+to"
        rf"\s+be)?{_NAME}"
    ),
    Shape(rf"(?:i\s+want|i'd\s+like|i\s+would\s+like|let)\s+{_AGENT_NAME}\s+(?:to\s+)?be{_NAME}"),
    Shape(
        r"(?:i\s+want|i'd\s+like|i\s+would\s+like)\s+you\s+to\s+be\s+(?:called|named)"
        r"\s+(?P<name>\S.*)"
    ),
    Shape(rf"(?:please\s+)?(?:change|set|make)\s+{_AGENT_NAME}\s+(?:to|be)?{_NAME}"),
    Shape(r"(?:please\s+)?(?:rename|call|name)\s+yourself\s+(?:to\s+|as\s+)?(?P<name>\S.*)"),
    Shape(
        rf"(?:{FROM_NOW},?\s+)?(?:please\s+)?(?:you(?:'ll|\s+will|\s+shall|\s+should|\s+are\s+to)\s+)?"
        r"be\s+(?:called|named|known\s+as)\s+(?P<name>\S.*)"
    ),
    Shape(rf"(?:{FROM_NOW},?\s+)?you(?:'re|\s+are)\s+(?:now\s+)?(?:called|named)\s+(?P<name>\S.*)"),
    Shape(
        r"you(?:'re|\s+are)\s+(?P<name>(?-i:[A-Z])\S*(?:\s+(?-i:[A-Z])\S*)?)\s+(?:now|from\s+now)\b"
    ),
    Shape(
        rf"(?:{FROM_NOW},?\s+you(?:'re|\s+are)|you(?:'re|\s+are)\s+now|now\s+you(?:'re|\s+are))\s+"
        r"(?P<name>(?-i:[A-Z]).*)"
    ),
    Shape(r"(?:please\s+)?(?:answer|respond|listen)\s+to\s+the\s+name\s+(?:of\s+)?(?P<name>\S.*)"),
    Shape(r"let\s+(?:me|us)\s+give\s+you\s+(?:a|the)\s+name\b[:,]?\s+(?P<name>\S.*)"),
)
