"""Sentence understanding without a model. A language is one table; see `grammar`."""

from memory.language.asking import only_asks
from memory.language.courtesies import Courtesy, courtesy
from memory.language.extractor import RuleExtractor
from memory.language.learning import learned_from
from memory.language.naming import asks_agent_name, introduces_self, naming, only_names
from memory.language.questions import (
    MemoryQuestion,
    answering_slots,
    asks_to_remember,
    is_chatter,
    memory_question,
    second_person,
)
from memory.language.statements import (
    is_about_relatives,
    is_off_record,
    is_statement,
    noteworthy,
    slot_of,
    sole_finding,
    statements,
)
from memory.language.summaries import RuleSummarizer, own_quotes
from memory.language.tables import language_code

__all__ = [
    "Courtesy",
    "MemoryQuestion",
    "RuleExtractor",
    "RuleSummarizer",
    "answering_slots",
    "asks_agent_name",
    "asks_to_remember",
    "courtesy",
    "introduces_self",
    "is_about_relatives",
    "is_chatter",
    "is_off_record",
    "is_statement",
    "language_code",
    "learned_from",
    "memory_question",
    "naming",
    "noteworthy",
    "only_asks",
    "only_names",
    "own_quotes",
    "second_person",
    "slot_of",
    "sole_finding",
    "statements",
]
