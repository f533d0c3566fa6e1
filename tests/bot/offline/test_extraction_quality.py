"""The rules, measured on labelled messages.

`sentences.jsonl`: one message a line, with what may be kept of it. The rules keep little of it.
What they keep must be right: the words of a label, and its kind."""

import json
from pathlib import Path

from bot.offline.facts import findings_in
from bot.offline.language import guess_language

_CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "sentences.jsonl").read_text("utf-8").splitlines()
]


def test_what_is_kept_is_right() -> None:
    right, wrong = 0, []
    for case in _CASES:
        labels = [(label["kind"], label["text"].casefold()) for label in case["expect"]]
        for found in findings_in(case["text"], guess_language([case["text"]])):
            said = found.text.casefold()
            if any(found.kind.value == kind and said in label for kind, label in labels):
                right += 1
            else:
                wrong.append((case["text"], found.text))
    print(f"\n{right} right, {len(wrong)} wrong: {wrong}")
    assert right >= 50
    assert right / (right + len(wrong)) >= 0.95


def test_the_labelled_set_is_large_and_has_as_many_messages_with_nothing_to_keep() -> None:
    assert len(_CASES) >= 220
    assert sum(not case["expect"] for case in _CASES) >= len(_CASES) / 3
