"""Russian: what a person says of themselves, as one says it back. The person is «вы»."""

from bot.offline.grammar.shapes import Shape

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
    (Shape(r"\bя\b"), "вы"),
    (Shape(r"\bвы(\s+не)?\s+(\w+)л(?:а)?\b"), r"вы\1 \2ли"),
    (Shape(r"\bвы(\s+не)?\s+(\w+)л(?:ся|ась)\b"), r"вы\1 \2лись"),
    *(
        (Shape(rf"{_VERB_PLACE}{one}\b"), rf"\1{other}")
        for one, other in (pair.split() for pair in _VERBS)
    ),
    (Shape(r"\bменя\b"), "вас"),
    (Shape(r"\bмне\b"), "вам"),
    (Shape(r"\bмной\b"), "вами"),
    (Shape(r"\bмой\b"), "ваш"),
    (Shape(r"\bмоя\b"), "ваша"),
    (Shape(r"\bмою\b"), "вашу"),
    (Shape(r"\bмо[её]\b"), "ваше"),
    (Shape(r"\bмо(и|их|им|ими)\b"), "ваш\\1"),
    (Shape(r"\bмо(его|ему|ей|ём|ем)\b"), "ваш\\1"),
)
