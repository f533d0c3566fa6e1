"""Russian: what a person says of themselves, as one says it back. The person is «вы»."""

from memory.language.shapes import pattern

#: Where a verb of the first person stands: at the beginning, after the pronoun, after "and".
_VERB_PLACE = r"(^|\bвы\s+|\bи\s+|\bно\s+|\bне\s+|" + r"\bвы\s+\w+\s+(?:не\s+)?)"
_VERBS = (
    "живу живёте",
    "люблю любите",
    "ненавижу ненавидите",
    "хожу ходите",
    "вожу водите",
    "езжу ездите",
    "учу учите",
    "учусь учитесь",
    "ем едите",
    "пью пьёте",
    "пою поёте",
    "хочу хотите",
    "могу можете",
    "говорю говорите",
    "курю курите",
    "ношу носите",
    "готовлю готовите",
    "веду ведёте",
    "боюсь боитесь",
    "ложусь ложитесь",
    "встаю встаёте",
    "преподаю преподаёте",
    "(\\w+[аяеу])ю \\2ете",
    "(\\w+[аяеу])юсь \\2етесь",
)

PERSONS = (
    (pattern(r"\bя\b"), "вы"),
    (pattern(r"\bвы(\s+не)?\s+(\w+)л(?:а)?\b"), r"вы\1 \2ли"),
    (pattern(r"\bвы(\s+не)?\s+(\w+)л(?:ся|ась)\b"), r"вы\1 \2лись"),
    *(
        (pattern(rf"{_VERB_PLACE}{one}\b"), rf"\1{other}")
        for one, other in (pair.split() for pair in _VERBS)
    ),
    (pattern(r"\bменя\b"), "вас"),
    (pattern(r"\bмне\b"), "вам"),
    (pattern(r"\bмной\b"), "вами"),
    (pattern(r"\bмой\b"), "ваш"),
    (pattern(r"\bмоя\b"), "ваша"),
    (pattern(r"\bмою\b"), "вашу"),
    (pattern(r"\bмо[её]\b"), "ваше"),
    (pattern(r"\bмо(и|их|им|ими)\b"), "ваш\\1"),
    (pattern(r"\bмо(его|ему|ей|ём|ем)\b"), "ваш\\1"),
)
