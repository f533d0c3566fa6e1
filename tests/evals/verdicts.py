"""What an extractor made of labelled dialogues, in figures."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from memory.records import Record
from tests.evals.dialogues import Dialogue, Expectation, Forbidden, holds


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts over one dialogue or many.

    `met` of `expected` expectations have a record, `right` of `kept` new facts and preferences meet
    one (those that a label allows are not counted), `misattributed` say something false of the
    person. `kinds`, `dates` and `updates` that were `…_right`: of met expectations with a kind, of
    all with a date, of all that supersede. `lost` of `lasting` known records, that nothing was said
    against, no longer hold. `leaked` of `secrets` are in a file; `repeated` records
    came of saying the same again. `failed` sessions were not extracted; for `stood_in` the rules
    stood in for a model. `seconds` are those of the first play."""

    dialogues: int = 0
    expected: int = 0
    met: int = 0
    kept: int = 0
    right: int = 0
    misattributed: int = 0
    kinds: int = 0
    kinds_right: int = 0
    dates: int = 0
    dates_right: int = 0
    updates: int = 0
    updates_right: int = 0
    lasting: int = 0
    lost: int = 0
    secrets: int = 0
    leaked: int = 0
    repeated: int = 0
    failed: int = 0
    stood_in: int = 0
    seconds: float = 0.0

    @classmethod
    def total(cls, several: Iterable["Figures"]) -> "Figures":
        """The sums."""
        rows = list(several)
        return cls(*(sum(getattr(row, f.name) for row in rows) for f in fields(cls)))

    @property
    def recall(self) -> float | None:
        """The share of expectations that were met; None without any."""
        return share(self.met, self.expected)

    @property
    def precision(self) -> float | None:
        """The share of what was kept that was right; None if nothing was kept."""
        return share(self.right, self.kept)

    def to_json(self) -> dict[str, float | None]:
        """The counts by name, and the shares."""
        mean = share(self.seconds, self.dialogues)
        shares = {"recall": self.recall, "precision": self.precision, "seconds_each": mean}
        return {**asdict(self), **shares}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What there is after a dialogue: all its facts and preferences, superseded ones too, and those
    that came of saying it again; which secrets a file holds."""

    records: tuple[Record, ...]
    repeated: tuple[Record, ...] = ()
    leaked: tuple[str, ...] = ()
    failed: int = 0
    stood_in: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome held against its labels. `kept` are the new records, `missed` expectations without
    a record, `wrong` records that nobody expected or that are `false`: that say something untrue of
    the person, `repeated` those that came of saying it again."""

    dialogue: Dialogue
    figures: Figures
    missed: tuple[Expectation, ...]
    wrong: tuple[Record, ...]
    false: tuple[Record, ...]
    kept: tuple[Record, ...]
    repeated: tuple[Record, ...]

    @property
    def mistaken(self) -> bool:
        """Whether anything is not as the labels want it."""
        figures = self.figures
        return bool(
            self.missed
            or self.wrong
            or self.false
            or figures.dates != figures.dates_right
            or figures.updates != figures.updates_right
            or figures.lost
            or figures.leaked
            or figures.repeated
            or figures.failed
        )

    def to_json(self) -> dict[str, Any]:
        """What was kept and what was wrong with it, for whoever looks for mistakes."""
        return {
            "id": self.dialogue.id,
            "half": self.dialogue.half,
            "records": [_shown(record) for record in self.kept],
            "missed": [
                one.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
                for one in self.missed
            ],
            "wrong": [record.text for record in self.wrong],
            "false": [record.text for record in self.false],
            "repeated": [record.text for record in self.repeated],
            "figures": self.figures.to_json(),
        }


def verdict(dialogue: Dialogue, outcome: Outcome) -> Verdict:
    """Hold what there is after a dialogue against its labels."""
    before = {known.text for known in dialogue.known}
    new = tuple(record for record in outcome.records if record.text not in before)
    meeting = {
        number: [record for record in outcome.records if _meets(record, expectation)]
        for number, expectation in enumerate(dialogue.expect)
    }
    right = {record.id for records in meeting.values() for record in records}
    false = tuple(r for r in new if any(_breaks(r, one) for one in dialogue.forbid))
    shamed = {record.id for record in false}
    counted = [
        r
        for r in new
        if r.id in right | shamed or not any(holds(r.text, words) for words in dialogue.allow)
    ]
    pairs = [(dialogue.expect[number], records) for number, records in meeting.items()]
    lasting = [known.text for known in dialogue.known if _lasts(known.text, dialogue)]
    current = {record.text for record in outcome.records if record.current}
    good = [r for r in counted if r.id in right and r.id not in shamed]
    figures = Figures(
        dialogues=1,
        expected=len(pairs),
        met=sum(bool(records) for _, records in pairs),
        kept=len(counted),
        right=len(good),
        misattributed=len(false),
        kinds=sum(bool(one.kind and records) for one, records in pairs),
        kinds_right=sum(any(r.kind is one.kind for r in records) for one, records in pairs),
        dates=sum(one.date is not None for one, _ in pairs),
        dates_right=sum(any(_dated(r, one) for r in records) for one, records in pairs),
        updates=sum(one.supersedes is not None for one, _ in pairs),
        updates_right=sum(
            any(_replaces(r, one, outcome.records) for r in records) for one, records in pairs
        ),
        lasting=len(lasting),
        lost=sum(text not in current for text in lasting),
        secrets=len(dialogue.secrets),
        leaked=len(outcome.leaked),
        repeated=len(outcome.repeated),
        failed=outcome.failed,
        stood_in=outcome.stood_in,
        seconds=outcome.seconds,
    )
    return Verdict(
        dialogue=dialogue,
        figures=figures,
        repeated=outcome.repeated,
        missed=tuple(one for one, records in pairs if not records),
        wrong=tuple(record for record in counted if record not in good),
        false=false,
        kept=new,
    )


def share(part: float, whole: float) -> float | None:
    """A share from 0 to 1; None of nothing."""
    return part / whole if whole else None


def _meets(record: Record, expectation: Expectation) -> bool:
    if record.current is expectation.past:
        return False
    return any(holds(record.text, words) for words in expectation.any_of)


def _breaks(record: Record, forbidden: Forbidden) -> bool:
    excused = any(holds(record.text, (word,)) for word in forbidden.unless)
    return holds(record.text, forbidden.words) and not excused


def _dated(record: Record, expectation: Expectation) -> bool:
    return expectation.date is not None and record.event_date == expectation.date


def _replaces(record: Record, expectation: Expectation, records: Sequence[Record]) -> bool:
    """Whether the record has taken the place of the one it should, and that one is still there."""
    if expectation.supersedes is None:
        return False
    words = (expectation.supersedes,)
    return any(
        old.id == record.supersedes and not old.current and holds(old.text, words)
        for old in records
    )


def _lasts(known: str, dialogue: Dialogue) -> bool:
    """Whether nothing in the dialogue should make this record a thing of the past."""
    return not any(
        (one.supersedes and holds(known, (one.supersedes,)))
        or (one.past and any(holds(known, words) for words in one.any_of))
        for one in dialogue.expect
    )


def _shown(record: Record) -> dict[str, Any]:
    return {
        "kind": record.kind.value,
        "text": record.text,
        "event_date": record.event_date,
        "current": record.current,
    }
