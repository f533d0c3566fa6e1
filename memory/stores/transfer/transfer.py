"""Everything from one engine to the other, section by section, each as it was or not at all.

A run that is repeated, because the last one was killed or failed, compares what is there already
with the source, and transfers what is missing or has changed since."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from memory.stores.transfer.sections import (
    Contents,
    Digests,
    Section,
    Table,
    digests_of,
    tables_of,
)


class Source(Protocol):
    """Where everything is. Nothing of it changes. Both methods raise StoreUnavailable."""

    def sections(self) -> list[Section]:
        """What there is, layouts before actors."""
        ...

    def open(self, section: Section) -> AbstractContextManager[Contents]: ...


class Target(Source, Protocol):
    """Where everything is to be; empty, or what a run that did not end has left. All methods raise
    StoreUnavailable."""

    def put(
        self, section: Section, tables: Sequence[Table], contents: Contents, wanted: Digests
    ) -> None:
        """Write a section in place of what is here of it, if it has the wanted digests then; all or
        nothing."""
        ...

    def drop(self, section: Section) -> None:
        """Delete a section that the source has no longer."""
        ...

    def finish(self) -> None:
        """Let the bot use what is here."""
        ...


@dataclass(frozen=True, slots=True)
class Step:
    """A section that is done. `unreadable` rows stay at the source, where they are kept apart."""

    section: Section
    number: int
    of: int
    rows: int
    unreadable: int
    was_there: bool = False


Tell = Callable[[Step], None]


def survey(source: Source, tell: Tell) -> None:
    """Read everything, and write nothing. Raises StoreUnavailable for what can't be read."""
    sections = source.sections()
    tables = _tables(sections)
    for number, section in enumerate(sections, 1):
        with source.open(section) as contents:
            digests = digests_of(contents, tables[section.layout.name])
            tell(Step(section, number, len(sections), digests.rows, contents.unreadable))


def transfer(source: Source, target: Target, tell: Tell) -> None:
    """Bring everything to the target. Raises StoreUnavailable; then it can be repeated."""
    sections = source.sections()
    left = {section.name: section for section in target.sections()}
    tables = _tables(sections)
    for number, section in enumerate(sections, 1):
        own, before = tables[section.layout.name], left.pop(section.name, None)
        with source.open(section) as contents:
            digests = digests_of(contents, own)
            was_there = before is not None and _has(target, before, own, digests)
            if not was_there:
                target.put(section, own, contents, digests)
            unreadable = contents.unreadable
        tell(Step(section, number, len(sections), digests.rows, unreadable, was_there))
    for section in left.values():
        target.drop(section)
    target.finish()


def is_there(source: Source, target: Source) -> bool:
    """True if a target that is not empty has what the source has, and nothing else: a run was
    killed when all was done. Raises StoreUnavailable."""
    sections = source.sections()
    left = {section.name: section for section in target.sections()}
    tables = _tables([*sections, *left.values()])
    for section in sections:
        own, there = tables[section.layout.name], left.pop(section.name, None)
        with source.open(section) as contents:
            digests = digests_of(contents, own)
        if there is None or not _has(target, there, own, digests):
            return False
    # A server has tables of everything, also if there is nothing in them.
    return all(_has(target, each, tables[each.layout.name], Digests()) for each in left.values())


def _has(target: Source, section: Section, tables: Sequence[Table], wanted: Digests) -> bool:
    with target.open(section) as contents:
        return digests_of(contents, tables) == wanted


def _tables(sections: Sequence[Section]) -> Mapping[str, list[Table]]:
    layouts = {section.layout.name: section.layout for section in sections}
    return {name: tables_of(layout) for name, layout in layouts.items()}
