"""A bot that moves from files to a server and back goes on where it was."""

from pathlib import Path

from tests.e2e.command import Ran, mordecai
from tests.fakes.postgres import plain_url, postgres_server


async def chat(data: Path, *lines: str, **variables: str) -> Ran:
    data.mkdir(exist_ok=True)
    stdin = "".join(f"{line}\n" for line in lines).encode()
    arguments = ("chat", "--user", "1001", "--data", str(data))
    ran = await mordecai(*arguments, cwd=data.parent, stdin=stdin, **variables)
    assert ran.code == 0, ran.err
    return ran


async def test_a_bot_that_moves_to_a_server_and_back_knows_everything(tmp_path: Path):
    files, worker, back = tmp_path / "files", tmp_path / "worker", tmp_path / "back"
    with postgres_server("mordecai", url=plain_url()):
        await chat(files, "My dog is called Rex", "/remember I work at Acme Corp")
        moving = ("migrate", "sqlite-to-postgres", "--data", str(files))
        moved = await mordecai(*moving, cwd=tmp_path, MORDECAI_DATABASE_URL=plain_url())
        assert moved.code == 0, moved.err
        there = await chat(
            worker,
            "What is my dog called?",
            "/memory",
            "My boat is called Pequod",
            MORDECAI_DATABASE_URL=plain_url(),
        )
        assert "Rex" in there.replies[0]
        assert "Acme Corp" in there.replies[1]
        moving = ("migrate", "postgres-to-sqlite", "--data", str(back))
        moved = await mordecai(*moving, cwd=tmp_path, MORDECAI_DATABASE_URL=plain_url())
        assert moved.code == 0, moved.err
    here = await chat(back, "What is my boat called?", "/memory")
    assert "Pequod" in here.replies[0]
    assert "Acme Corp" in here.replies[1]
