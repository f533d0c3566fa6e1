"""Sentence understanding without a model. A language is one table; see `grammar`."""

from memory.language.extractor import RuleExtractor
from memory.language.learning import learned_from
from memory.language.naming import asks_agent_name, introduces_self, naming
from memory.language.questions import (
    MemoryQuestion,
    answering_slots,
    asks_to_remember,
    is_chatter,
    is_greeting,
    is_thanks,
    memory_question,
    second_person,
)
from memory.language.statements import (
    is_about_relatives,
    is_off_record,
    is_statement,
    noteworthy,
    slot_of,
    statements,
)
from memory.language.summaries import RuleSummarizer
from memory.language.tables import language_code

__all__ = [
    "MemoryQuestion",
    "RuleExtractor",
    "RuleSummarizer",
    "answering_slots",
    "asks_agent_name",
    "asks_to_remember",
    "introduces_self",
    "is_about_relatives",
    "is_chatter",
    "is_greeting",
    "is_off_record",
    "is_statement",
    "is_thanks",
    "language_code",
    "learned_from",
    "memory_question",
    "naming",
    "noteworthy",
    "second_person",
    "slot_of",
    "statements",
]
