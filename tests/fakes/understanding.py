"""What understands language for a memory under test."""

from bot.offline.understanding import by_rules
from memory.understanding import Extractor, Summarizer, Understanding


def understood(
    extractor: Extractor | None = None, summarizer: Summarizer | None = None
) -> Understanding:
    """The rules of grammar, but for what is given instead."""
    rules = by_rules()
    return Understanding(extractor or rules.extractor, summarizer or rules.summarizer, rules.rules)
