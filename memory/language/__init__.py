"""Sentence understanding without a model. A language is one table; see `grammar`."""

from memory.language.extractor import RuleExtractor, RuleSummarizer, noteworthy
from memory.language.naming import asks_agent_name, introduces_self, naming
from memory.language.questions import (
    MemoryQuestion,
    asks_to_remember,
    is_greeting,
    is_statement,
    is_thanks,
    memory_question,
    second_person,
)
from memory.language.tables import language_code

__all__ = [
    "MemoryQuestion",
    "RuleExtractor",
    "RuleSummarizer",
    "asks_agent_name",
    "asks_to_remember",
    "introduces_self",
    "is_greeting",
    "is_statement",
    "is_thanks",
    "language_code",
    "memory_question",
    "naming",
    "noteworthy",
    "second_person",
]
