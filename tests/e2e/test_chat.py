"""The main story and bad input, through the installed command and a pipe."""

import asyncio
import json
from pathlib import Path

from tests.e2e.command import PATIENCE, chat, mordecai, start
from tests.e2e.conftest import Kept

SAVED = "✨ Your conversation has been summarized and important information saved."

STORY = (
    "I'll call you Jarvis",
    "I work at Acme Corp",
    "my birthday is March 15",
    "I prefer Python over JavaScript",
    "please keep answers short",
    "/new",
)


def listed(reply: str) -> list[str]:
    return [line.removeprefix("• ") for line in reply.splitlines() if line.startswith("• ")]


async def test_what_was_said_is_known_after_new_and_after_a_restart(kept: Kept):
    first = await kept.chat(*STORY, "what do you know about me?")
    assert first.code == 0, first.err
    assert len(first.replies) == 7
    assert "Jarvis" in first.replies[0]
    assert SAVED in first.replies[5]

    second = await kept.chat(
        "what do you know about me?", "what did I tell you about my job?", "what's your name?"
    )
    assert second.code == 0, second.err
    for answer in (first.replies[6], second.replies[0]):
        assert "Jarvis" in answer
        known = " | ".join(listed(answer))
        for fact in ("Acme Corp", "March 15", "Python over JavaScript", "keep answers short"):
            assert fact in known
    about_job = second.replies[1]
    assert "Acme Corp" in about_job
    assert "March" not in about_job
    assert "Python" not in about_job
    assert "Jarvis" in second.replies[2]


async def test_two_users_of_one_directory_know_nothing_of_each_other(tmp_path: Path):
    data = tmp_path / "data"
    await chat(data, "I work at Acme Corp", "/new", user=1001)
    await chat(data, "I work at Globex", "/new", user=10012)
    anna = await chat(data, "what do you know about me?", "/memory", "/export", user=1001)
    boris = await chat(data, "what do you know about me?", "/memory", user=10012)
    assert "Acme" in anna.out
    assert "Globex" not in anna.out
    assert "Globex" in boris.out
    assert "Acme" not in boris.out


async def test_a_restart_in_the_middle_of_a_conversation_loses_nothing(tmp_path: Path):
    data = tmp_path / "data"
    await chat(data, "I work at Acme Corp")
    later = await chat(data, "my birthday is March 15", "new", "what do you know about me?")
    assert SAVED in later.replies[1]
    assert "Acme Corp" in later.replies[2]
    assert "March 15" in later.replies[2]


async def test_late_in_a_long_conversation_nothing_that_was_said_is_forgotten(tmp_path: Path):
    (tmp_path / "data").mkdir()
    places = [f"I have an aunt in Town{n} and she is a baker" for n in range(20)]
    asked = ["where do I work?", "which aunt do I have in Town0?"]
    lines = ["my name is Ann", "I work at Acme Corp", *places, *asked]
    ran = await mordecai(
        "chat", "--data", str(tmp_path / "data"),
        cwd=tmp_path, stdin="\n".join(lines).encode(),
        MORDECAI_MAX_CONVERSATION_MESSAGES="1000",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert "I work at Acme Corp" in ran.replies[-2]
    assert "Town0" in ran.replies[-1]


async def test_settings_are_chosen_by_numbers(tmp_path: Path):
    data = tmp_path / "data"
    chosen = await chat(data, "/settings", "1", "3", "3", "1", "/search")
    assert "[1] Language" in chosen.replies[0]
    assert "[3] Deutsch" in chosen.replies[1]
    assert "Sprache: Deutsch" in chosen.replies[2]
    assert "[1] kurz" in chosen.replies[3]
    assert "Antwortlänge: kurz" in chosen.replies[4]
    assert "Wonach soll ich suchen?" in chosen.replies[5]
    later = await chat(data, "/settings")
    assert "Antwortlänge: kurz" in later.replies[0], "kept over a restart"


async def test_a_memory_is_forgotten_by_the_id_that_memory_shows(tmp_path: Path):
    data = tmp_path / "data"
    listing = await chat(data, "I work at Acme Corp", "my birthday is March 15", "/new", "/memory")
    line = next(line for line in listing.replies[3].splitlines() if "Acme" in line)
    id_ = line.replace("(", " ").replace(")", " ").replace("·", " ").split()
    short_id = next(word.strip("[],.:") for word in id_ if word.strip("[],.:")[-1:].isdigit())
    after = await chat(
        data,
        f"/forget {short_id}",
        "what do you know about me?",
        "what did I tell you about my job?",
        "/forget f999",
    )
    assert after.code == 0
    assert "March 15" in after.replies[1]
    assert "Acme" not in "".join(after.replies[1:])
    left = b"".join(p.read_bytes() for p in data.rglob("*") if p.is_file())
    assert b"Acme" not in left


async def test_a_deletion_says_what_goes_along_and_is_taken_back_by_numbers(tmp_path: Path):
    data = tmp_path / "data"
    ran = await chat(
        data,
        "I work at Zanzibar Corp",
        "/new",
        *("/memory", "1", "1", "2", "1"),  # Facts, the first one, Delete, Yes
        "1",  # Undo
        *("/memory", "1", "1", "3"),  # Where from?
    )
    asked, deleted, back = ran.replies[5:8]
    assert "• 1 message that mentions it\n• questions and answers about it\n" in asked
    assert "Deleted: I work at Zanzibar Corp\n[1] Undo" in deleted
    assert "Restored: I work at Zanzibar Corp\n" in back
    assert "You: “I work at Zanzibar Corp”" in ran.replies[-1]


async def test_forget_all_asks_first_and_leaves_no_byte(kept: Kept):
    await kept.chat("I'll call you Jarvis", "I work at Zanzibar Corp", "/new")
    assert "Zanzibar" in kept.contents()
    stays = await kept.chat("/forget all", "2", "what do you know about me?")
    assert "Zanzibar" in stays.replies[-1]
    gone = await kept.chat("/forget all", "1", "what do you know about me?", "/memory")
    assert "Zanzibar" not in "".join(gone.replies[-2:])
    assert "Zanzibar" not in kept.contents()


async def test_an_export_is_a_json_document_of_everything(tmp_path: Path):
    data = tmp_path / "data"
    ran = await chat(data, "I work at Acme Corp", "/new", "/export")
    (path,) = [p for p in data.rglob("*.json") if "export" in str(p)]
    document = json.loads(path.read_text())
    assert [f["text"] for f in document["facts"]] == ["I work at Acme Corp"]
    assert path.name in ran.replies[2]


async def test_every_bad_line_gets_a_clear_answer_and_stores_nothing(tmp_path: Path):
    data = tmp_path / "data"
    ran = await chat(
        data,
        "",
        "😀" * 4096,
        "I work at " + "x" * 100_000,
        b"I live in \xff\xfe",
        b"I work at Ac\x00me",
        "אני גר בחיפה",
        "<b>bold</b> *stars* _lines_ [link](http://x) `code` List<String>",
        "I'll call you " + "J" * 500,
        "/frget f1",
        "what do you know about me?",
    )
    assert ran.code == 0, ran.err
    assert len(ran.replies) == 10
    assert all(reply.strip() for reply in ran.replies)
    assert "empty" in ran.replies[0]
    assert "long" in ran.replies[2]
    assert "UTF-8" in ran.replies[3]
    assert "/forget" in ran.replies[8]
    assert "Traceback" not in ran.out + ran.err
    assert "xxxx" not in ran.replies[9]
    assert "JJJJ" not in ran.replies[9]


async def test_a_stream_of_nothing_ends_well(tmp_path: Path):
    ran = await chat(tmp_path / "data")
    assert (ran.code, ran.out) == (0, "")


async def test_a_second_process_on_the_same_directory_is_told_so(tmp_path: Path):
    data = tmp_path / "data"
    data.mkdir()
    first = await start("chat", "--user", "1001", "--data", str(data), cwd=tmp_path)
    assert first.stdin is not None
    assert first.stdout is not None
    first.stdin.write(b"hello\n")
    await first.stdin.drain()
    await asyncio.wait_for(first.stdout.readline(), PATIENCE)
    second = await chat(data, "I work at Acme Corp")
    assert second.code == 2
    assert "already" in second.err or "another" in second.err
    assert str(data) in second.err
    assert second.out == ""
    first.stdin.close()
    assert await asyncio.wait_for(first.wait(), PATIENCE) == 0


async def test_a_terminated_chat_ends_in_order_and_leaves_files_to_their_owner_alone(
    tmp_path: Path,
):
    data = tmp_path / "data"
    process = await start("chat", "--user", "1001", "--data", str(data), cwd=tmp_path)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"I work at Acme Corp\n")
    await process.stdin.drain()
    await asyncio.wait_for(process.stdout.readline(), PATIENCE)
    process.terminate()
    assert await asyncio.wait_for(process.wait(), PATIENCE) == 0
    assert not (data / "heartbeat").exists()
    for path in data.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


async def test_with_memory_switched_off_nothing_is_promised_or_kept(kept: Kept):
    lines = ("I work at Acme Corp", "I'll call you Jarvis", "/memory")
    ran = await kept.chat(*lines, MORDECAI_MEMORY_ENABLED="false")
    assert ran.code == 0, ran.err
    assert "remember it when" not in ran.out
    assert "memory is off" in ran.replies[2]
    assert "Acme" not in kept.contents()
