"""Orders to the assistant, which are never kept: a model would read them from then on.

- Kept: statements, and wishes on how to be spoken to, also as an imperative: "Always answer
  briefly", "Remember to always call me Anna", "Don't use emojis".
- Refused: what speaks of the assistant's instructions, rules, prompt or limits in order to have
  them ignored, changed or told; what obliges the assistant in the second person ("you must
  always …"); what puts it into another mode or gives somebody rights; what wants things hidden
  from the user, links in every answer, tools called; and marks of the machinery: roles with a
  colon, tokens of chat templates, tags.

It is a net, not a proof: recalled text stays escaped, delimited data whatever this lets through."""

import re
import unicodedata
from collections.abc import Callable
from functools import cache

from memory.search.lexicon.lexicon import Orders, Words, lexicons, names_pattern

#: Marks of the machinery, in any language.
_MARKS = (
    r"\bsystem\s+(?:prompt|message|override|note|instruction)s?\s*[:：]",
    r"\[\s*(?:system|/?inst|assistant|developer)\b|<<\s*/?\s*sys\s*>>|<\|[^|>]{1,30}\|>|"
    r"^\W*###?\s*(?:system|instruction|assistant|human|user)\b",
    r"</?\s*(?:system|assistant|user|developer|instructions?|prompt|recalled_notes|about_the_user|"
    r"known_notes|conversation|notes|memory|memories|script)\b[^>]*>",
    r"\b(?:begin|end)\s+(?:of\s+)?(?:system|user|assistant|prompt|instructions?|conversation)\b|"
    r"```\s*(?:system|tool|prompt)",
)


def is_order(text: str) -> bool:
    """True if the text is an order to the assistant about itself. Look-alike and invisible letters
    make no difference."""
    folded = unicodedata.normalize("NFKC", text)
    plain = "".join(c for c in folded if unicodedata.category(c) != "Cf").replace("’", "'")
    return _orders().search(" ".join(plain.split())) is not None


@cache
def _orders() -> re.Pattern[str]:
    ignore, yours = _words(lambda o: o.ignore), _words(lambda o: o.yours)
    rules, new, roles = (
        _words(lambda o: o.rules), _words(lambda o: o.new), _words(lambda o: o.roles)
    )  # fmt: skip
    everything, before = _words(lambda o: o.everything), _words(lambda o: o.before)
    few = r"(?:[\w-]+\s+){0,3}?"
    shapes = (
        rf"\b{ignore}\s+{few}{yours}\s+{few}{rules}\b",
        rf"\b{ignore}\s+{everything}\b.{{0,25}}\b{before}\b",
        rf"\b{new}\s+(?:system\s+)?{rules}\s*[:：]",
        rf"^\W*{roles}(?:\s+(?:message|prompt|note|override))?\s*[:：>\]]",
        *_MARKS,
        *(shape for lexicon in lexicons().values() for shape in lexicon.orders.shapes),
    )
    return re.compile("|".join(f"(?:{shape})" for shape in shapes), re.IGNORECASE)


def _words(part: Callable[[Orders], Words]) -> str:
    """A pattern for what this part of an order is called in any language."""
    return (
        rf"(?:{names_pattern(word for each in lexicons().values() for word in part(each.orders))})"
    )
