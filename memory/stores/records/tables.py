"""What each engine does in its own way with the tables of a person's memory: those of `layout.py`,
with one actor's rows only. All other SQL is the same for all."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

from memory.records import Kind
from memory.search.entry import Entry
from memory.search.ranking import Postings
from memory.stores.database import Connection


class Occurrences(NamedTuple):
    """Where the words of a query stand in one index, which holds so many `records`, with so many
    `words` in all."""

    records: int
    words: int
    postings: Postings


class Index(Protocol):
    """The word index of the current records of some kinds. Its numbers are in the table `shelf`."""

    @property
    def name(self) -> str: ...

    @property
    def kinds(self) -> tuple[Kind, ...]: ...

    def add(self, entries: Mapping[int, Entry]) -> None:
        """Index records by their rows."""
        ...

    def remove(self, row: int) -> None:
        """Remove a record from the index."""
        ...

    def clear(self) -> None: ...

    def compact(self) -> None:
        """Drop the words of removed records for good."""
        ...


class Tables(Protocol):
    """The tables of a person's memory, on an open connection."""

    @property
    def connection(self) -> Connection: ...

    @property
    def indexes(self) -> Sequence[Index]: ...

    @property
    def words(self) -> str:
        """SQL: the index words of a row of `record` itself, parted by spaces."""
        ...

    def rows(self, columns: str, source: str, *values: object) -> Sequence[Sequence[object]]:
        """The rows of a query, which begins with FROM, as fast as the engine can."""
        ...

    def find(self, indexes: Sequence[Index], words: Sequence[str]) -> Sequence[Occurrences]:
        """For each of the indexes, where these words are; of many records, where the rarest of
        them are."""
        ...

    def take_rows(self, count: int) -> int:
        """The first of so many rows in `record` that come after all that were ever there."""
        ...

    def add_turns(self, turn_ids: Sequence[str]) -> set[str]:
        """Note that these turns are archived. Returns those that were not."""
        ...

    def turns(self) -> list[str]:
        """The turns that were archived."""
        ...


#: No more of a query's words in records are read of a large memory, rarest words first: words that
#: everything holds tell nothing apart, and reading all takes 80 ms at 100,000 messages.
MAX_HOLDERS = 2_500

#: Up to this many records all words are read: counting them first takes longer.
SMALL_INDEX = 2_000

#: A place of a word in the index is one number: the row times this, and the field.
STEP = 8


def rarest(counts: Mapping[str, int]) -> list[str]:
    """The rarest words, as many as may be read of a large index. `counts` tells how many records
    hold each."""
    chosen, read = [], 0
    for word in sorted(counts, key=lambda word: (counts[word], word)):
        if read and read + counts[word] > MAX_HOLDERS:
            break
        chosen.append(word)
        read += counts[word]
    return chosen


def postings_of(
    words: Collection[str], places: Mapping[str, Collection[int]]
) -> dict[str, dict[int, int]]:
    """For each word, the rows of the records that hold it, with its fields."""
    postings: dict[str, dict[int, int]] = {word: {} for word in words}
    for word, numbers in places.items():
        held = postings[word]
        for number in numbers:
            row = number // STEP
            held[row] = held.get(row, 0) | number % STEP
    return postings


def count(connection: Connection, shelf: str, records: int, words: int) -> None:
    """Note that an index holds so many more records and words."""
    connection.execute(
        "UPDATE shelf SET records = records + ?, words = words + ? WHERE name = ?",
        (records, words, shelf),
    )
