"""Extraction without a model: what the rules of grammar find."""

from collections.abc import Sequence

from bot.offline.learning import proposals_of
from bot.offline.summaries import session_summary
from bot.offline.topics import session_topics
from memory.background.threads import compute
from memory.ports import Extraction, Reading
from memory.records import Record, Turn


class RuleExtractor:
    """An `Extractor` that knows the grammar of a few languages and asks no model.

    It keeps only what a person says about themselves, in their own words."""

    async def extract(self, reading: Reading) -> Extraction:
        """See `memory.ports.Extractor`. Never raises ExtractionFailed."""
        # Of 15 long messages this takes two seconds, in which others want to be answered.
        return await compute(_extraction, reading.turns, reading.known)


def _extraction(turns: Sequence[Turn], known: Sequence[Record]) -> Extraction:
    found = proposals_of(turns, known)
    return Extraction(found, session_summary(turns), session_topics(turns, found))
