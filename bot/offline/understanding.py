"""What the memory understands of language without a model: by the rules of grammar."""

from bot.offline.extractor import RuleExtractor
from bot.offline.grammar.asking import only_asks
from bot.offline.grammar.grammar import lower_words
from bot.offline.grammar.naming import asks_agent_name, introduces_self, naming, only_names
from bot.offline.grammar.questions import (
    answering_slots,
    asks_to_remember,
    memory_question,
    second_person,
)
from bot.offline.grammar.statements import is_off_record, sole_clause
from bot.offline.summaries import RuleSummarizer
from memory.records import Kind
from memory.search.text import words as searched_words
from memory.understanding import Meaning, SearchQuestion, Understanding


class GrammarRules:
    """The `LanguageRules` of the languages that have a table."""

    def meaning(self, text: str) -> Meaning:
        """See `memory.understanding.LanguageRules`."""
        # "That I live in Oslo": the first word is the request's, not the fact's. The rules also
        # leave things out, an emoji for one, that whoever wrote them wants to keep.
        asked = asks_to_remember(f"remember {text}") or text
        text = text if lower_words(asked) == lower_words(text) else asked
        if only_asks(text):
            return Meaning(text, only_asks=True)
        if found := sole_clause(text):
            kept = (
                found.text if set(searched_words(text)) <= set(searched_words(found.text)) else text
            )
            return Meaning(kept, found.kind, None if found.negated else found.slot)
        if name := naming(text):
            return Meaning(text, agent_name=name, only_names=only_names(text))
        return Meaning(text)

    def question(self, query: str) -> SearchQuestion:
        """See `memory.understanding.LanguageRules`."""
        asked = memory_question(query)
        last_talks = asked is not None and asked.kinds == (Kind.SUMMARY,)
        return SearchQuestion(
            slots=answering_slots(query),
            everything=asked is not None and not asked.topic and not last_talks,
            last_talks=last_talks,
            agent_name=asks_agent_name(query),
        )

    introduces_self = staticmethod(introduces_self)
    is_off_record = staticmethod(is_off_record)
    second_person = staticmethod(second_person)


def by_rules() -> Understanding:
    """All that the memory needs to do without a model."""
    return Understanding(RuleExtractor(), RuleSummarizer(), GrammarRules())
