"""What the memory needs to do without a model."""

from bot.offline.extractor import RuleExtractor
from bot.offline.facts import sole_finding
from bot.offline.language import guess_language
from bot.offline.summaries import RuleSummarizer
from bot.offline.wishes import (
    agent_name_in,
    asks_to_remember,
    is_off_record,
    is_question,
    only_names,
)
from memory.understanding import Meaning, Understanding


class NotebookRules:
    """The `LanguageRules` of the notebook."""

    def meaning(self, text: str) -> Meaning:
        """See `memory.understanding.LanguageRules`."""
        language = guess_language([text])
        # "That I live in Oslo": the first word is the request's.
        text = (
            asks_to_remember(text, language)
            or asks_to_remember(f"remember {text}", language)
            or text
        )
        if is_question(text, language):
            return Meaning(text, only_asks=True)
        if name := agent_name_in(text, language):
            return Meaning(text, agent_name=name, only_names=only_names(text, name, language))
        if found := sole_finding(text, language):
            return Meaning(found.text, found.kind, found.slot)
        return Meaning(text)

    def is_off_record(self, text: str) -> bool:
        """See `memory.understanding.LanguageRules`."""
        return is_off_record(text, guess_language([text]))


def by_rules() -> Understanding:
    """All that the memory needs to do without a model."""
    return Understanding(RuleExtractor(), RuleSummarizer(), NotebookRules())
