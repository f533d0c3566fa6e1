"""Two processes on one person's file at once: both write, both search, nothing is lost."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

#: Both wait at each line for the other one: the first begins the writing, the second the counting.
PROCESS = """
import asyncio, json, sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from memory.records import Actor, Draft, Kind, Role, Turn, Utterance
from memory.stores.sqlite.store import SqliteStore

NOON = datetime(2026, 3, 15, 12, 0, tzinfo=UTC)
ANN = Actor.person(1)
NAME, OTHER = sys.argv[2:]
EACH = 30

def meet():
    print("here", flush=True)
    sys.stdin.readline()

async def write(store, n):
    said = Utterance(Role.USER, f"{NAME}{n} is my note about gardens", NOON)
    await store.add_turn(ANN, Turn(f"{NAME}-{n}", f"s-{NAME}", (said,)))
    await store.commit(ANN, [Draft(Kind.FACT, f"My {NAME} number {n} is known", NOON)])
    hits = await store.search(ANN, f"{NAME}{n}", kinds=tuple(Kind))
    return any(hit.record.turn_ids == (f"{NAME}-{n}",) for hit in hits)

async def main():
    with ThreadPoolExecutor(2) as pool:
        store = SqliteStore(Path(sys.argv[1]), pool)
        meet()
        own = [await write(store, n) for n in range(EACH)]
        meet()
        found = []
        for name in (NAME, OTHER):
            for n in range(EACH):
                hits = await store.search(ANN, f"{name}{n}", kinds=(Kind.MESSAGE,))
                found += [hit.record.turn_ids[0] for hit in hits[:1]]
        facts = await store.records(ANN)
        await store.aclose()
    print(json.dumps({
        "own": sum(own),
        "found": found,
        "facts": [fact.text for fact in facts],
        "ids": [fact.id for fact in facts],
    }), flush=True)

asyncio.run(main())
"""
EACH = 30
NAMES = ("alder", "birch")


def started(directory: Path, name: str, other: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROCESS, str(directory), name, other],
        cwd=Path(__file__).parents[4],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def meet(processes: list[subprocess.Popen[str]]) -> None:
    """Let all go on once all are there; one that failed says why instead."""
    for process in processes:
        assert process.stdout
        if process.stdout.readline() != "here\n":
            raise AssertionError(process.communicate()[1])
    for process in processes:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()


def test_two_processes_write_and_search_one_file_at_once_and_nothing_is_lost(
    tmp_path: Path,
) -> None:
    first, second = NAMES
    processes = [started(tmp_path, first, second), started(tmp_path, second, first)]
    try:
        meet(processes)
        meet(processes)
        ended = [process.communicate(timeout=120) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    assert [
        (process.returncode, errors) for process, (_, errors) in zip(processes, ended, strict=True)
    ] == [(0, "")] * 2
    reports: list[dict[str, Any]] = [json.loads(printed) for printed, _ in ended]
    everything = {f"{name}-{n}" for name in NAMES for n in range(EACH)}
    for report in reports:
        assert report["own"] == EACH, "each finds what it has just written"
        assert set(report["found"]) == everything
        assert len(report["facts"]) == 2 * EACH
        assert len(set(report["ids"])) == 2 * EACH
