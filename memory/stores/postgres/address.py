"""The address of a PostgreSQL server: what is added to it, and what an operator is told of it."""

import re
from collections.abc import Mapping

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from memory.errors import StoreUnavailable

#: Parameters of libpq, unless the operator's address sets them. They give up a server that has gone
#: silent, and refuse one that has become a replica.
_DEFAULTS = {
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "15000",
    "target_session_attrs": "read-write",
}
#: Settings of the server, in the same way. A worker that is frozen within a transaction keeps its
#: locks no longer than this, and no query of ours takes 30 s unless it waits for something dead.
_OPTIONS = (
    "-c idle_in_transaction_session_timeout=15s -c statement_timeout=30s "
    "-c tcp_keepalives_idle=15 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
)
#: PostgreSQL: NAMEDATALEN - 1, in bytes.
_LONGEST_NAME = 63
_MASK = "********"
_OTHER = "check that the server runs, the address, the user and the password"
_REMEDIES = (
    (
        "too many (clients|connections)|connection slots are reserved",
        "raise the server's max_connections and the limits of the user and the database, or run "
        "fewer workers",
    ),
    ('database ".*" does not exist', "make the database with CREATE DATABASE, or name another one"),
    ("does not support SSL", "turn SSL on in the server, or take sslmode out of the address"),
    ("read-only|hot standby mode", "name the primary server, with a database that can be written"),
    (
        "authentication failed|no password supplied|role .* does not exist",
        "check the user and the password",
    ),
)


class ServerAddress:
    """Where the server is, from `database_url`."""

    def __init__(self, url: str, schema: str) -> None:
        """Raises StoreUnavailable if it can't be read."""
        try:
            given = {name: str(value) for name, value in conninfo_to_dict(url).items()}
        except (psycopg.ProgrammingError, UnicodeError):
            given = {}
        host, database = given.get("host", "localhost"), given.get("dbname", "")
        # Told apart wrongly, a part of the password would stand in messages as one of these.
        if (
            not given
            or set(host + database) & set("@#?")
            or set(database) & set("/:")
            or given.get("port", "").strip("0123456789,")
        ):
            raise StoreUnavailable(
                "database_url can't be read: write it as "
                "postgresql://user:password@host:5432/database, and in the password %40 for @, "
                "%3A for : and %2F for /"
            ) from None
        self.schema, self._user = schema, given.get("user", "the user")
        self._secret = _secret_parts(given)
        #: Without user and password.
        self.place = f"{host}/{database}" if "user" in given else f"{_MASK}/{_MASK}"
        options = f"-c search_path={schema} {_OPTIONS} {given.pop('options', '')}"
        #: With everything that a connection needs; holds the password.
        parts = _DEFAULTS | {"application_name": schema} | given
        self.conninfo = make_conninfo("", **parts, options=options, client_encoding="UTF8")

    def explain(self, failure: psycopg.Error, what: str) -> str:
        """What can't be done, why, and what the operator can do; without the password."""
        match failure:
            # It is said to be none if the user may not look into it.
            case errors.InsufficientPrivilege() | errors.InvalidSchemaName():
                remedy = granting(self.schema, self._user)
            case errors.DiskFull():
                remedy = "make room on the server's disk"
            case _:
                # Of an attempt to connect there is only this text, in English as a rule.
                said = reason(failure)
                remedy = next((then for words, then in _REMEDIES if re.search(words, said)), _OTHER)
        return f"database_url: can't {what} {self.place} ({self._why(failure)}): {remedy}"

    def _why(self, failure: psycopg.Error) -> str:
        """What the server or libpq says, which may quote any part of the address."""
        return self._secret.sub(_MASK, reason(failure))

    def refuse(self, why: str) -> str:
        """Why the server can't be used."""
        return f"database_url: {self.place} {why}"


def granting(schema: str, user: str) -> str:
    """What gives the user the rights that are needed."""
    return (
        f"have an administrator run CREATE SCHEMA IF NOT EXISTS {schema} and "
        f'ALTER SCHEMA {schema} OWNER TO "{user}"'
    )


def _secret_parts(given: Mapping[str, str]) -> re.Pattern[str]:
    """What may be a password. Without a user nothing is known to stand before the `@`, so the
    password may have been taken for the host or the database; without a password, for the user."""
    names = ("host", "port", "dbname") if "user" in given else ()
    shown = (*names, "user") if "password" in given else names
    hidden = [value for name, value in given.items() if name not in shown]
    parts = {part for value in hidden for part in (value, *re.split(r"[\s,=]+", value))}
    # A server cuts names off.
    parts |= {part.encode()[:_LONGEST_NAME].decode(errors="ignore") for part in parts}
    longest_first = sorted(parts - {""}, key=len, reverse=True)
    return re.compile(
        "|".join(rf"(?<!\w){re.escape(part)}(?!\w)" for part in longest_first) or "$^"
    )


def reason(failure: psycopg.Error) -> str:
    """The first line of what the server says: others may quote a row."""
    lines = str(failure.diag.message_primary or failure).splitlines() or [type(failure).__name__]
    if lines[0].startswith("Multiple connection attempts") and len(lines) > 1:
        return lines[1].removeprefix("- ")
    return lines[0]
