"""Embeddings of the model provider, over real sockets."""

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.models.catalogue import ModelAccess
from bot.models.embedding.catalogue import embedder_from_name
from bot.models.embedding.provider import ProviderEmbedder
from memory.stores.sqlite.store import SqliteStore
from memory.understanding import EmbeddingFailed
from tests.contracts.long_term_memory import ANN, draft, texts
from tests.fakes.bedrock_embeddings import BedrockEmbeddings
from tests.fakes.embedders import vector
from tests.fakes.openai_server import Completion, OpenAIServer, refusing

TITAN = "bedrock:amazon.titan-embed-text-v2:0"
COHERE = "bedrock:cohere.embed-multilingual-v3"
NOWHERE = Path("nowhere")


@pytest.fixture
async def server() -> AsyncIterator[OpenAIServer]:
    async with OpenAIServer() as running:
        yield running


@pytest.fixture
async def aws(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncIterator[BedrockEmbeddings]:
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "very-secret")
    async with BedrockEmbeddings() as running:
        yield running


def compatible(server: OpenAIServer, key: str = "right") -> ProviderEmbedder:
    access = ModelAccess(base_url=server.base_url, api_key=key, attempts=1)
    embedder = embedder_from_name("openai:small", access, NOWHERE)
    assert isinstance(embedder, ProviderEmbedder)
    return embedder


def bedrock(aws: BedrockEmbeddings, name: str) -> ProviderEmbedder:
    access = ModelAccess(aws_region="us-east-1", aws_endpoint_url=aws.url, attempts=1)
    embedder = embedder_from_name(name, access, NOWHERE)
    assert isinstance(embedder, ProviderEmbedder)
    return embedder


async def test_an_openai_compatible_server_gives_one_vector_a_text_in_order(
    server: OpenAIServer,
) -> None:
    async with compatible(server) as embedder:
        found = await embedder.embed(["my spaniel", "my violin"])
    assert embedder.name == "openai:small"
    assert [body["model"] for body in server.requests] == ["small"]
    assert found == [vector("my spaniel"), vector("my violin")]


async def test_the_store_searches_by_meaning_with_a_provider(
    server: OpenAIServer, tmp_path: Path
) -> None:
    async with compatible(server) as embedder:
        with ThreadPoolExecutor(2) as pool:
            store = SqliteStore(tmp_path, pool, embedder=embedder, embedding_seconds=30)
            await store.commit(ANN, [draft("I walk my spaniel"), draft("I play the violin")])
            await store.settle()
            hits = await store.search(ANN, "Which quadruped?", min_relevance=0.2)
            await store.aclose()
    assert texts(hits) == ["I walk my spaniel"]


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (refusing(429, "slow down"), "throttled (HTTP 429)"),
        (refusing(500, "my spaniel is down"), "server_error (HTTP 500)"),
        (refusing(404, "no such model"), "unknown_model (HTTP 404)"),
    ],
)
async def test_a_refusal_is_a_failure_that_repeats_no_text(
    server: OpenAIServer, reply: Completion, why: str
) -> None:
    server.script(reply)
    async with compatible(server) as embedder:
        with pytest.raises(EmbeddingFailed) as caught:
            await embedder.embed(["my spaniel"])
    assert str(caught.value).startswith(why)
    assert "spaniel" not in str(caught.value)


async def test_a_wrong_key_is_a_failure_that_does_not_tell_it(server: OpenAIServer) -> None:
    async with compatible(server, "wrong-key") as embedder:
        with pytest.raises(EmbeddingFailed, match="bad_credentials") as caught:
            await embedder.embed(["my spaniel"])
    assert "wrong-key" not in str(caught.value)


async def test_a_server_that_is_not_there_is_a_failure(server: OpenAIServer) -> None:
    access = ModelAccess(base_url="http://127.0.0.1:1/v1", attempts=1)
    async with embedder_from_name("openai:small", access, NOWHERE) as embedder:
        with pytest.raises(EmbeddingFailed, match="unreachable"):
            await embedder.embed(["my spaniel"])


async def test_titan_is_asked_text_by_text(aws: BedrockEmbeddings) -> None:
    async with bedrock(aws, TITAN) as embedder:
        found = await embedder.embed(["my spaniel", "my violin", "my motorbike"])
    assert found == [vector("my spaniel"), vector("my violin"), vector("my motorbike")]
    assert sorted(body["inputText"] for _, body in aws.requests) == [
        "my motorbike",
        "my spaniel",
        "my violin",
    ]


async def test_cohere_is_told_queries_from_texts_and_may_cut_long_ones(
    aws: BedrockEmbeddings,
) -> None:
    async with bedrock(aws, COHERE) as embedder:
        await embedder.embed(["my spaniel", "my violin"])
        await embedder.embed(["Which dog?"], query=True)
    (_, first), (_, second) = aws.requests
    assert (first["input_type"], second["input_type"]) == ("search_document", "search_query")
    assert first["texts"] == ["my spaniel", "my violin"]
    assert first["truncate"] == "END"


async def test_bedrock_that_denies_is_a_failure(aws: BedrockEmbeddings) -> None:
    aws.refusal = (403, "AccessDeniedException")
    async with bedrock(aws, COHERE) as embedder:
        with pytest.raises(EmbeddingFailed, match="bad_credentials") as caught:
            await embedder.embed(["my spaniel"])
    assert "very-secret" not in str(caught.value)
