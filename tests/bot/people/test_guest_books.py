"""The guest book, in a file and in tables: several write it, and nobody's change is lost."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.people.access import Access, AccessMode
from bot.people.guest_file import FileGuestBook
from bot.people.guest_tables import PEOPLE_LAYOUT, open_guest_book
from bot.people.guestbook import Book, Guest, GuestBook, Request
from bot.people.pairing import ATTEMPTS, Guess
from bot.people.throttles import DatabaseThrottles
from memory.errors import StoreUnavailable
from memory.stores.postgres.server import PostgresServer
from tests.fakes.postgres import postgres_server

ANNA, BORIS = Guest(1, "Anna", "2026-01-01"), Guest(2, "Boris", "2026-01-02")
#: Opens the book once more, as another worker or the command line does.
Open = Callable[[], Awaitable[GuestBook]]


@pytest.fixture(params=["file", "postgres"])
async def opened(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Open]:
    if request.param == "file":

        async def open_file() -> GuestBook:
            return FileGuestBook(tmp_path / "access.json")

        yield open_file
        return
    with postgres_server() as server:

        async def open_tables() -> GuestBook:
            return await open_guest_book(server.open(PEOPLE_LAYOUT))

        yield open_tables


def with_guest(guest: Guest) -> Callable[[Book], tuple[Book, int]]:
    return lambda book: (book.with_guest(guest, welcomed=False), len(book.guests))


async def test_a_new_book_is_empty_and_has_a_code(opened: Open) -> None:
    guests = await opened()
    assert guests.book == Book()
    assert len(guests.code) == 9


async def test_what_is_written_is_read_again_after_a_restart(opened: Open) -> None:
    request = Request("ABCD-EFGH", 3, "Vera", datetime.now(UTC).isoformat())
    book = Book((ANNA,), (BORIS,), (request,), (BORIS.id,))
    assert await (await opened()).change(lambda _: (book, "done")) == "done"
    assert (await opened()).book == book


async def test_another_workers_change_is_seen_after_a_look(opened: Open) -> None:
    here, there = await opened(), await opened()
    await there.change(with_guest(BORIS))
    assert not here.book.admits(BORIS.id)
    assert (await here.refresh()).admits(BORIS.id)
    await there.change(lambda book: (book.without(BORIS.id), None))
    assert not (await here.refresh()).admits(BORIS.id)


async def test_a_change_starts_from_what_others_wrote(opened: Open) -> None:
    here, there = await opened(), await opened()
    await there.change(with_guest(ANNA))
    assert await here.change(with_guest(BORIS)) == 1
    assert [guest.id for guest in here.book.guests] == [ANNA.id, BORIS.id]


async def test_nobodys_change_is_lost_when_all_write_at_once(opened: Open) -> None:
    books = [await opened() for _ in range(4)]
    await asyncio.gather(
        *(
            guests.change(with_guest(Guest(10 * number + nth, "", "2026")))
            for number, guests in enumerate(books, 1)
            for nth in range(5)
        )
    )
    assert len((await opened()).book.guests) == 20


async def test_a_step_that_fails_changes_nothing(opened: Open) -> None:
    def fail(book: Book) -> tuple[Book, None]:
        raise StoreUnavailable("no")

    guests = await opened()
    with pytest.raises(StoreUnavailable):
        await guests.change(fail)
    assert (await opened()).book == Book()


# -- several workers ------------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    with postgres_server() as one:
        yield one


async def worker(server: PostgresServer) -> Access:
    database = server.open(PEOPLE_LAYOUT)
    guests = await open_guest_book(database)
    return Access(AccessMode.PAIRING, guests=guests, throttles=DatabaseThrottles(database))


async def test_all_workers_take_one_code_and_it_makes_one_owner(server: PostgresServer) -> None:
    workers = [await worker(server) for _ in range(4)]
    [code] = {one.pairing_code for one in workers}
    guesses = await asyncio.gather(
        *(one.pair(id_, code or "") for id_, one in enumerate(workers, 1001))
    )
    assert sorted(guesses) == [Guess.RIGHT, *[Guess.VAIN] * 3]
    for one in workers:
        assert [owner.id for owner in (await one.read_book()).owners] == one.owners
        assert (len(one.owners), one.pairing_code) == (1, None)


async def test_guesses_at_all_workers_are_counted_together(server: PostgresServer) -> None:
    workers = [await worker(server) for _ in range(ATTEMPTS + 1)]
    guesses = [await one.pair(666, "AAAA-AAAA") for one in workers]
    assert guesses == [*[Guess.WRONG] * (ATTEMPTS - 1), Guess.LAST, Guess.UNSEEN]


async def test_a_code_from_before_is_not_shown_again(server: PostgresServer) -> None:
    old = await worker(server)
    await server.open(PEOPLE_LAYOUT).write("UPDATE guest_book SET code_at = '-infinity'")
    new = await worker(server)
    assert old.pairing_code != new.pairing_code
    assert not await old.admits(7), "looks at the book"
    assert old.pairing_code == new.pairing_code


async def test_an_approval_counts_at_all_workers_and_is_told_by_one(
    server: PostgresServer,
) -> None:
    workers = [await worker(server) for _ in range(3)]
    assert await workers[0].pair(1001, workers[0].pairing_code or "") is Guess.RIGHT
    assert not await workers[1].admits(7)
    asked = await workers[1].ask(7, "Boris")
    assert asked
    await workers[0].approve(asked[0].code)
    assert all([await one.admits(7) for one in workers])
    guests = await open_guest_book(server.open(PEOPLE_LAYOUT))
    await guests.change(with_guest(BORIS))
    told = await asyncio.gather(*(one.take_guests_to_welcome() for one in workers))
    assert sorted(told) == [(), (), (BORIS.id,)]


async def test_a_refusal_and_a_removal_count_at_all_workers(server: PostgresServer) -> None:
    here, there = await worker(server), await worker(server)
    await here.pair(1001, here.pairing_code or "")
    await here.approve("7")
    assert await there.admits(7)
    assert await there.refusal_due(7)
    assert not await here.refusal_due(7)
    await here.remove(7)
    await there.take_guests_to_welcome()
    assert not await there.admits(7)
    assert await there.refusal_due(7), "they have not heard of this"
