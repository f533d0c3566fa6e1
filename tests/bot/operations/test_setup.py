"""The id of the memory gets into config.json, and nothing else in there changes."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import OperatorError
from bot.operations.setup import with_memory_id, write_memory_id

NEW = "MordecaiMemory-0123456789"
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text() | st.just("memory_id"), VALUES, max_size=6)


@given(OBJECTS, st.sampled_from([None, 0, 2, 4, "\t"]), st.booleans())
def test_every_other_key_keeps_its_value_and_its_place(
    values: dict[str, Any], indent: int | str | None, ascii_only: bool
):
    text = json.dumps(values, indent=indent, ensure_ascii=ascii_only)
    edited = json.loads(with_memory_id(text, NEW))
    assert edited == {**values, "memory_id": NEW}
    assert [key for key in edited if key != "memory_id"] == [k for k in values if k != "memory_id"]


@pytest.mark.parametrize("earlier", ["null", '"Other-abcdefghij"', '"a \\" quote"'])
def test_only_the_value_is_exchanged_where_the_key_is_there(earlier: str):
    text = f'{{"model":"",\r\n    "memory_id"  :  {earlier},   "allowed_users": [1, 2]}}'
    assert with_memory_id(text, NEW) == text.replace(earlier, f'"{NEW}"')


def test_a_key_of_that_name_deeper_down_is_left_alone():
    text = '{"note": {"memory_id": null}, "text": "\\"memory_id\\": null"}'
    assert json.loads(with_memory_id(text, NEW)) == {**json.loads(text), "memory_id": NEW}


def test_a_new_key_comes_with_the_indent_of_the_file():
    text = '{\n\t"identity": "Ты — помощник"\n}\n'
    expected = f'{{\n\t"identity": "Ты — помощник",\n\t"memory_id": "{NEW}"\n}}\n'
    assert with_memory_id(text, NEW) == expected


def test_a_file_is_made_where_there_is_none_and_for_everybody_to_read(tmp_path: Path):
    write_memory_id(tmp_path / "config.json", NEW)
    assert json.loads((tmp_path / "config.json").read_text()) == {"memory_id": NEW}
    assert (tmp_path / "config.json").stat().st_mode & 0o777 == 0o644


def test_rights_byte_order_mark_and_links_are_respected(tmp_path: Path):
    real, link = tmp_path / "real.json", tmp_path / "config.json"
    real.write_bytes(b'\xef\xbb\xbf{"memory_id": null}')
    real.chmod(0o640)
    link.symlink_to(real)
    write_memory_id(link, NEW)
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert json.loads(real.read_text(encoding="utf-8-sig")) == {"memory_id": NEW}
    assert sorted(tmp_path.iterdir()) == [link, real], "nothing is left behind"


def test_a_place_that_cannot_be_written_is_the_operators_matter_and_says_what_to_do(
    tmp_path: Path,
):
    (tmp_path / "file").write_text("")
    with pytest.raises(OperatorError, match=f'"memory_id": "{NEW}"'):
        write_memory_id(tmp_path / "file" / "config.json", NEW)
