"""What is said stays out of the log, however talkative it is."""

import io
from pathlib import Path

from bot.people.access import Access, AccessMode
from bot.people.guest_file import FileGuestBook
from tests.bot.telegram.stage import ask, stage
from tests.fakes.botapi import BotApiServer

ANNA, BORIS = 1001, 1002
SECRET = "Xanadu"
#: Everything that somebody can say to the bot, with a word that nobody else is to read.
SAID = (
    f"I live in {SECRET}",
    f"/remember I like {SECRET}",
    "/edit f1",
    f"I love {SECRET}",
    f"/search {SECRET}",
    f"/forget {SECRET}",
    f"/name {SECRET}",
    f"/language {SECRET}",
    f"/timezone {SECRET}",
    f"/approve {SECRET}",
    f"/users remove {SECRET}",
    f"/{SECRET}",
    "/memory",
    "/export",
    "/summarize",
    "/new",
)


async def test_no_word_name_file_or_code_is_in_the_log(
    tmp_path: Path, everything_logged: io.StringIO
) -> None:
    access = Access(
        AccessMode.PAIRING, guests=FileGuestBook(tmp_path / "access.json"), owners=[ANNA]
    )
    async with BotApiServer() as server, stage(server, tmp_path, access=access) as on:
        anna, group = server.user(ANNA, SECRET), server.group(-1000500)
        for text in SAID:
            await anna.says(text)
        await anna.sends("document", caption=SECRET, file_name=f"{SECRET}.pdf")
        await anna.sends("contact", first_name=SECRET)
        await anna.forwards(SECRET, of=server.user(BORIS, SECRET))
        await anna.says(f"@mordecai_test_bot {SECRET}", group=group)
        told = await ask(server, f"Let me in: {SECRET}", BORIS)
        await server.wait_for(lambda: not server.world.waiting)
        await on.channel.settle()
        [request] = (await access.read_book()).waiting
    log = everything_logged.getvalue()
    assert "replied" in log
    assert request.code in told
    for hidden in (SECRET, SECRET.lower(), request.code, server.token.partition(":")[2]):
        assert hidden not in log
