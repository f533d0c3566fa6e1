"""What AWS charges, by the file beside this one."""

import tomllib
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("aws_prices.toml")


@dataclass(frozen=True)
class ModelPrice:
    """Dollars per million tokens of a global profile, and the least that the model caches."""

    name: str
    input: float
    output: float
    cache_read: float
    cache_write: float
    regional: float
    cache_minimum: int
    cache_write_hour: float | None = None


@dataclass(frozen=True)
class Prices:
    """Dollars per thousand events, retrievals, and records a month; models by the beginning of
    their id."""

    date: date
    events: float
    retrievals: float
    records: float
    models: dict[str, ModelPrice]


@cache
def aws_prices() -> Prices:
    """The prices in force on their date."""
    read: dict[str, Any] = tomllib.loads(FILE.read_text(encoding="utf-8"))
    models = {id_: ModelPrice(**row) for id_, row in read["models"].items()}
    return Prices(read["date"], **read["agentcore"], models=models)
