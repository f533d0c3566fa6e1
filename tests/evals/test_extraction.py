"""The labelled dialogues: a fair file, honest figures, and floors for the rules."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from memory.records import Kind, Record
from tests.evals.dialogues import Dialogue, dialogues, sample
from tests.evals.extraction import Report, evaluate, tables
from tests.evals.verdicts import Figures, Outcome, Verdict, verdict
from tests.fakes.learning import finding, note
from tests.fakes.learning import findings as answer

TAGS = {
    "fact", "preference", "update", "two-sessions", "negation", "third-person", "joke",
    "hypothetical", "question", "date", "secret", "assistant-claim", "quoted", "forwarded",
    "instruction", "nothing", "contradiction",
}  # fmt: skip

LINE: dict[str, Any] = {
    "id": "d1",
    "language": "English",
    "half": "tune",
    "tags": ["update"],
    "at": "2026-03-12T10:00:00+00:00",
    "known": [{"kind": "fact", "text": "I live in Boston", "slot": "home"}],
    "sessions": [
        [
            {"role": "user", "text": "I live in Denver now. My sister is a vet. My pin is 7291."},
            {"role": "assistant", "text": "How nice!"},
        ]
    ],
    "expect": [
        {"any_of": [["denver"]], "kind": "fact", "date": "2026-03", "supersedes": "Boston"},
        {"any_of": [["sister", "vet"]]},
    ],
    "forbid": [{"words": ["vet"], "unless": ["sister"]}],
    "allow": [["pin"]],
    "secrets": ["7291"],
}


def dialogue(**changes: Any) -> Dialogue:
    return Dialogue.model_validate({**LINE, **changes})


def record(id_: str, text: str, kind: Kind = Kind.FACT, **more: Any) -> Record:
    return Record(id_, kind, text, datetime(2026, 3, 12, tzinfo=UTC), **more)


BOSTON = record("r0", "I live in Boston", superseded_at=datetime(2026, 3, 12, tzinfo=UTC))
DENVER = record("r1", "I live in Denver", supersedes="r0", event_date="2026-03")
SISTER = record("r2", "My sister is a vet")


def judged(*records: Record, **more: Any) -> Verdict:
    return verdict(dialogue(), Outcome(records, **more))


# -- the file -------------------------------------------------------------------------------------


def test_the_file_has_enough_dialogues_in_six_languages_and_two_halves() -> None:
    count = Counter((one.language, one.half) for one in dialogues())
    assert sum(count.values()) >= 60
    assert len({language for language, _ in count}) == 6
    assert min(count.values()) >= 5


def test_every_sort_of_dialogue_stands_in_every_language_and_in_both_halves() -> None:
    sorts: dict[str, set[str]] = {}
    halves: dict[str, set[str]] = {}
    for one in dialogues():
        sorts.setdefault(one.language, set()).update(one.tags)
        for tag in one.tags:
            halves.setdefault(tag, set()).add(one.half)
    assert all(tags == TAGS for tags in sorts.values())
    assert all(both == {"tune", "check"} for both in halves.values())


def test_nobody_says_the_same_in_two_dialogues() -> None:
    said = Counter(one.said for one in dialogues())
    assert [text for text, count in said.items() if count > 1] == []


# -- a file of one's own --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"half": "both"}, "half"),
        ({"at": "2026-03-12T10:00:00"}, "at"),
        ({"sessions": []}, "sessions"),
        ({"sessions": [[{"role": "assistant", "text": "Hi"}]], "secrets": []}, "user"),
        ({"expect": [{"any_of": []}]}, "expect.0.any_of"),
        ({"expect": [{"any_of": [["x"]], "date": "tomorrow"}]}, "expect.0.date"),
        ({"expect": [{"any_of": [["x"]], "supersedes": "Paris"}]}, "Paris"),
        ({"secrets": ["hunter2"]}, "hunter2"),
        ({"forbidden": []}, "forbidden"),
    ],
)
def test_a_label_that_can_not_be_is_named_with_its_line(
    tmp_path: Path, changes: Mapping[str, Any], fault: str
) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text(f"{json.dumps(LINE)}\n\n{json.dumps({**LINE, **changes})}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"own\.jsonl, line 3: ") as told:
        dialogues(file)
    assert fault in str(told.value)


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"no json", b"[1]", b"\xff", json.dumps(LINE).encode() + b"\n{"]
)
def test_a_file_of_something_else_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "own.jsonl"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=r"own\.jsonl"):
        dialogues(file)


def test_an_id_may_stand_in_a_file_once(tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text(f"{json.dumps(LINE)}\n" * 2, encoding="utf-8")
    with pytest.raises(ValueError, match="'d1'"):
        dialogues(file)


def test_a_sample_is_spread_over_languages_halves_and_tags() -> None:
    some = sample(dialogues(), 24)
    assert set(Counter(one.language for one in some).values()) == {4}
    assert Counter(one.half for one in some)["check"] >= 9
    assert {tag for one in some for tag in one.tags} == TAGS
    assert sample(dialogues(), 1000) == sample(dialogues(), len(dialogues()))


# -- the figures ----------------------------------------------------------------------------------


def test_what_is_as_the_labels_want_it_is_right() -> None:
    found = judged(BOSTON, DENVER, SISTER)
    assert not found.mistaken
    assert found.figures == Figures(
        dialogues=1, expected=2, met=2, kept=2, right=2, kinds=1, kinds_right=1, dates=1,
        dates_right=1, updates=1, updates_right=1, secrets=1,
    )  # fmt: skip


def test_nothing_kept_is_all_missed_and_nothing_wrong() -> None:
    found = judged(record("r0", "I live in Boston"))
    assert (found.figures.met, found.figures.kept) == (0, 0)
    assert found.figures.precision is None
    assert found.figures.recall == 0


def test_what_nobody_expected_is_wrong_unless_it_is_allowed() -> None:
    found = judged(BOSTON, DENVER, SISTER, record("r3", "I like rain"), record("r4", "A pin"))
    assert (found.figures.right, found.figures.kept) == (2, 3)
    assert [one.text for one in found.wrong] == ["I like rain"]


def test_the_sisters_job_as_ones_own_is_a_wrong_attribution() -> None:
    found = judged(BOSTON, DENVER, SISTER, record("r3", "I am a vet"))
    assert found.figures.misattributed == 1
    assert found.figures.right == 2


def test_words_are_found_whatever_their_letter_case_and_apostrophe() -> None:
    one = dialogue(expect=[{"any_of": [["don't", "DENVER"]]}])
    assert verdict(one, Outcome((record("r1", "I don’t like denver"),))).figures.met == 1


def test_a_record_that_was_superseded_meets_only_what_is_past() -> None:
    gone = record("r1", "I live in Denver", superseded_at=datetime(2026, 3, 13, tzinfo=UTC))
    assert judged(gone).figures.met == 0
    past = dialogue(expect=[{"any_of": [["denver"]], "past": True}])
    assert verdict(past, Outcome((gone,))).figures.met == 1
    assert verdict(past, Outcome((DENVER,))).figures.met == 0


@pytest.mark.parametrize(
    "records",
    [
        pytest.param((DENVER,), id="the old one is gone"),
        pytest.param((record("r0", "I live in Boston"), DENVER), id="the old one still holds"),
        pytest.param((BOSTON, record("r1", "I live in Denver")), id="no link"),
    ],
)
def test_an_update_counts_if_it_supersedes_the_old_record_that_stays(
    records: Sequence[Record],
) -> None:
    assert judged(*records).figures.updates_right == 0


def test_what_was_known_and_not_spoken_of_must_not_be_superseded() -> None:
    one = dialogue(known=[*LINE["known"], {"kind": "fact", "text": "I have a dog"}])
    dog = record("r9", "I have a dog")
    assert verdict(one, Outcome((BOSTON, DENVER, SISTER, dog))).figures.lost == 0
    gone = record("r9", "I have a dog", superseded_at=datetime(2026, 3, 13, tzinfo=UTC))
    found = verdict(one, Outcome((BOSTON, DENVER, SISTER, gone)))
    assert (found.figures.lost, found.figures.lasting) == (1, 1)
    assert found.mistaken


def test_dates_and_kinds_are_counted_apart_from_words() -> None:
    later = record("r1", "I live in Denver", Kind.PREFERENCE, event_date="2026-04")
    figures = judged(BOSTON, later).figures
    assert (figures.met, figures.dates_right, figures.kinds_right) == (1, 0, 0)


def test_leaks_repetitions_and_failures_are_mistakes() -> None:
    everything = (BOSTON, DENVER, SISTER)
    assert judged(*everything, leaked=("7291",)).mistaken
    assert judged(*everything, repeated=(SISTER,)).mistaken
    assert judged(*everything, failed=1).mistaken


def test_groups_add_up_and_a_dialogue_counts_for_each_of_its_tags() -> None:
    one = verdict(dialogue(tags=["a", "b"]), Outcome((BOSTON, DENVER)))
    two = verdict(dialogue(id="d2", tags=["b"], half="check"), Outcome((SISTER,)))
    report = Report("rules", [one, two])
    assert report.overall.met == 2
    assert {name: figures.met for name, figures in report.groups["tags"].items()} == {
        "a": 1,
        "b": 2,
    }
    assert list(report.groups["halves"]) == ["tune", "check"]


# -- the real service -----------------------------------------------------------------------------


def answering(*answers: str) -> FunctionModel:
    """A model that gives these answers in turn, the last one for ever."""
    left = list(answers)

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([TextPart(left.pop(0) if len(left) > 1 else left[0])])

    return FunctionModel(answer, profile={"supports_json_schema_output": True})


def findings(*texts: str, replaces: int = 0) -> str:
    changed = note("changed", replaces, "moved") if replaces else None
    found = (finding(text, note=changed) for text in texts)
    return answer(*found, summary="The user spoke of a move.")


async def test_a_model_is_measured_through_the_service() -> None:
    model = answering(findings("I live in Denver now", replaces=1))
    (one,) = (await evaluate([dialogue()], model)).verdicts
    assert [r.text for r in one.kept] == ["I live in Denver now"]
    assert one.figures.updates_right == 1
    assert (one.figures.failed, one.figures.stood_in, one.figures.repeated) == (0, 0, 0)
    assert one.figures.seconds > 0


async def test_a_model_that_gives_no_findings_has_failed_and_nothing_is_counted_as_repeated() -> (
    None
):
    report = await evaluate([dialogue()], answering("I'd rather not"))
    assert report.overall.failed == 1
    assert report.overall.repeated == 0
    assert report.overall.kept == 0


async def test_what_a_model_says_in_other_words_the_second_time_is_a_repetition() -> None:
    said = LINE["sessions"][0][0]["text"]
    one = dialogue(known=[], expect=[], secrets=[])
    model = answering(findings("My sister is a vet"), findings("I live in Denver now"))
    report = await evaluate([one], model)
    assert "Denver" in said
    assert report.overall.repeated == 1
    assert report.to_json()["mistakes"][0]["repeated"] == ["I live in Denver now"]


async def test_a_secret_in_any_file_is_found() -> None:
    # No gate knows that a word is a secret unless something says so.
    one = dialogue(secrets=["Denver", "7291"])
    report = await evaluate([one])
    assert report.verdicts[0].figures.leaked >= 1
    assert report.verdicts[0].mistaken


async def test_rules_alone_leak_nothing_repeat_nothing_and_say_nothing_false() -> None:
    # They make few facts: the notebook keeps what was said word for word instead.
    overall = (await evaluate(sample(dialogues(), 45))).overall
    assert (overall.leaked, overall.repeated, overall.failed, overall.lost) == (0, 0, 0, 0)
    assert overall.misattributed == 0
    assert overall.precision is not None
    assert overall.precision >= 0.97


def test_tables_have_a_row_for_every_group() -> None:
    report = Report("rules", [judged(BOSTON, DENVER)])
    assert tables(report)[0].row_count == 4
