"""Which embedder a name means, and what the operator hears about a name that means none."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.errors import OperatorError
from bot.models.catalogue import ModelAccess
from bot.models.embedding.catalogue import embedder_from_name, embedder_of
from bot.models.embedding.local import ModelFolder
from bot.models.embedding.provider import ProviderEmbedder
from bot.settings import Settings

NOWHERE = Path("nowhere")
ACCESS = ModelAccess()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A directory with all the files of a model."""
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "onnx").mkdir()
    (tmp_path / "onnx" / "model.onnx").write_bytes(b"onnx")
    return tmp_path


def _key(embedder: object) -> str:
    assert isinstance(embedder, ProviderEmbedder)
    assert embedder._provider
    key: str = embedder._provider.client.api_key
    return key


@pytest.mark.parametrize("name", ["words", "nobody:model", "openrouter:any/model", "bedrock:"])
def test_an_unknown_name_is_the_operators_business(name: str) -> None:
    with pytest.raises(OperatorError, match="expected a name such as fastembed"):
        embedder_from_name(name, ACCESS, NOWHERE)


def test_openai_needs_a_key() -> None:
    with pytest.raises(OperatorError, match="MORDECAI_EMBEDDER_API_KEY"):
        embedder_from_name("openai:text-embedding-3-small", ACCESS, NOWHERE)


def test_a_chat_model_of_bedrock_is_no_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    access = ModelAccess(aws_region="us-east-1")
    with pytest.raises(OperatorError, match="no embedding model"):
        embedder_from_name("bedrock:anthropic.claude-sonnet-4-5", access, NOWHERE)


def test_fastembed_that_is_missing_or_a_model_it_does_not_know_is_named(tmp_path: Path) -> None:
    missing = find_spec("fastembed") is None
    with pytest.raises(
        OperatorError, match="mordecai-assistant.embed." if missing else "no such directory"
    ):
        embedder_from_name("fastembed:nobody/nothing", ACCESS, tmp_path)


def test_no_name_is_no_embedder() -> None:
    assert embedder_of(Settings()) is None


def test_address_and_key_of_the_model_serve_an_embedder_of_the_same_vendor() -> None:
    settings = Settings(
        model="openai:small",
        model_base_url="http://127.0.0.1:1/v1",
        model_api_key=SecretStr("shared"),
        embedder="openai:embed",
    )
    assert _key(embedder_of(settings)) == "shared"


def test_another_vendor_never_sees_the_models_key() -> None:
    settings = Settings(
        model="anthropic:claude",
        model_api_key=SecretStr("anthropic's"),
        embedder="openai:embed",
        embedder_base_url="http://127.0.0.1:1/v1",
    )
    assert "anthropic" not in _key(embedder_of(settings))
    with pytest.raises(OperatorError, match="needs a key"):
        embedder_of(settings.model_copy(update={"embedder_base_url": None}))


def test_the_embedders_own_key_counts_most() -> None:
    settings = Settings(
        model="openai:small",
        model_api_key=SecretStr("the model's"),
        embedder="openai:embed",
        embedder_api_key=SecretStr("its own"),
    )
    assert _key(embedder_of(settings)) == "its own"


class TestFolder:
    def test_a_plain_export_is_averaged_and_wants_no_prompts(self, folder: Path) -> None:
        found = ModelFolder.read(folder)
        assert found.weights == folder / "onnx" / "model.onnx"
        assert (found.pooling, found.prompts) == ("MEAN", ("", ""))

    def test_the_smaller_weights_are_taken(self, folder: Path) -> None:
        (folder / "model_quantized.onnx").write_bytes(b"small")
        assert ModelFolder.read(folder).weights.name == "model_quantized.onnx"

    def test_pooling_and_prompts_are_the_models_own(self, folder: Path) -> None:
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
        prompts = {"prompts": {"query": "query: ", "passage": "passage: "}}
        (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts))
        found = ModelFolder.read(folder)
        assert (found.pooling, found.prompts) == ("CLS", ("query: ", "passage: "))

    def test_what_is_missing_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(OperatorError, match=r"tokenizer\.json.*model\.onnx missing"):
            ModelFolder.read(tmp_path)

    def test_a_broken_file_is_named(self, folder: Path) -> None:
        (folder / "config_sentence_transformers.json").write_text("{")
        with pytest.raises(OperatorError, match=r"config_sentence_transformers\.json"):
            ModelFolder.read(folder)
