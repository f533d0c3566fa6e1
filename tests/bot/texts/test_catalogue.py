"""A language is complete, or nothing starts and the operator hears what to correct."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bot.texts
from bot.errors import OperatorError
from bot.texts import languages, texts_in
from bot.texts.catalogue import read_texts

FOLDER = Path(bot.texts.__file__).parent
GERMAN = (FOLDER / "de.toml").read_text(encoding="utf-8")


def refusal(folder: Path, toml: str) -> str:
    """What the operator hears of a German file with this in it, without the path."""
    path = folder / "de.toml"
    path.write_text(toml, encoding="utf-8")
    with pytest.raises(OperatorError) as refused:
        read_texts(path)
    assert all(line.startswith(f"{path}: ") for line in str(refused.value).splitlines())
    return str(refused.value).replace(f"{path}: ", "")


def changed(name: str, line: str) -> str:
    """The German file with another line for this text."""
    toml, changes = re.subn(rf"^{re.escape(name)} = .*$", lambda _: line, GERMAN, flags=re.M)
    assert changes == 1
    return toml


@pytest.mark.parametrize(
    ("name", "line", "heard"),
    [
        ("stopped", "", "stopped is missing: add it, as in en.toml"),
        ("stopped", 'stoped = "Gut."\nstopped = "Gut."', "stoped: the bot has no such text"),
        ("stopped", "stopped = 3", "stopped is not a text: write one, in quotes"),
        ("stopped", 'stopped = ""', "stopped is blank"),
        ("stopped", 'stopped = "Gut. "', "stopped is blank, or begins or ends with a blank"),
        ("stopped", 'stopped = "Gut, {name}."', "has the placeholders {name}: use (none)"),
        ("stopped", 'stopped = "Gut {"', "stopped has a brace that belongs to no placeholder"),
        ("name_set", 'name_set = "Gut."', "name_set has the placeholders (none): use {name}"),
        ("name_set", 'name_set = "{Name}!"', "name_set has the placeholders {Name}: use {name}"),
        ("name_set", 'name_set = "{name!r}"', "name_set has the placeholders (none): use {name}"),
        ("name_set", 'name_set = "{name}}"', "name_set has a brace"),
        ("memory_more.one", "", "memory_more.one is missing: add it"),
        (
            "memory_more.one",
            'memory_more.one = "eins"',
            "memory_more.one has the placeholders (none): use {count}",
        ),
        (
            "memory_more.one",
            'memory_more.one = "{count}"\nmemory_more.few = "{count}"',
            "memory_more.few: there is no such text: remove it; memory_more has one, other",
        ),
        ("commands.stop", "", "commands.stop is missing: add it"),
        ("commands.stop", 'commands.stop = "{name}"', "commands.stop has the placeholders {name}"),
        ("refusals.long", "", "refusals.long is missing: add it"),
        ("failures.cut", 'failures.cut = ["a"]', "failures.cut is not a text"),
        ("stopped", "stopped = ", "not valid TOML: Invalid value"),
        ("stopped", 'stopped = "Gut."\nstopped = "Gut."', "not valid TOML: Cannot overwrite"),
    ],
)
def test_a_faulty_text_is_named_with_its_remedy(
    tmp_path: Path, name: str, line: str, heard: str
) -> None:
    assert heard in refusal(tmp_path, changed(name, line))


def test_a_text_in_the_place_of_several_is_told(tmp_path: Path) -> None:
    toml = re.sub(r"(?m)^memory_more\..*\n", "", GERMAN) + 'memory_more = "{count}"\n'
    assert "write memory_more.one, memory_more.other" in refusal(tmp_path, toml)


def test_a_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "de.toml").write_bytes(b"start = \xff")
    with pytest.raises(OperatorError, match="not valid TOML"):
        read_texts(tmp_path / "de.toml")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(lines=st.sets(st.sampled_from(GERMAN.splitlines()), min_size=1, max_size=5))
def test_no_line_can_be_left_out(tmp_path_factory: pytest.TempPathFactory, lines: set[str]) -> None:
    kept = "\n".join(line for line in GERMAN.splitlines() if line not in lines)
    texts = {line for line in lines if " = " in line}
    if texts:
        refusal(tmp_path_factory.mktemp("texts"), kept)


def test_all_faults_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    for path in FOLDER.glob("*.toml"):
        shutil.copy(path, tmp_path)
    (tmp_path / "de.toml").write_text(changed("stopped", ""), encoding="utf-8")
    (tmp_path / "hi.toml").unlink()
    shutil.copy(FOLDER / "en.toml", tmp_path / "fr.toml")
    with pytest.raises(OperatorError) as refused:
        languages(tmp_path)
    assert [line.removeprefix(f"{tmp_path}/") for line in str(refused.value).splitlines()] == [
        "de.toml: stopped is missing: add it, as in en.toml",
        "hi.toml: No such file or directory: install Mordecai again",
        "fr.toml: no plural rule for this language: add it to PLURAL_RULES in plurals.py",
    ]


def test_a_language_is_read_once() -> None:
    assert texts_in("de") is languages()["de"] is languages()["de"]


def test_nothing_starts_with_a_faulty_file(tmp_path: Path) -> None:
    root = FOLDER.parent.parent
    shutil.copytree(root / "bot", tmp_path / "bot", ignore=shutil.ignore_patterns("__pycache__"))
    file = tmp_path / "bot" / "texts" / "de.toml"
    file.write_text(changed("stopped", ""), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "bot", "chat", "--data", tmp_path / "data"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{root}"},
        input="hello\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == f"{file}: stopped is missing: add it, as in en.toml\n"
