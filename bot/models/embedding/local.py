"""An embedding model on this machine: fastembed, which runs ONNX models without a GPU.

fastembed and its runtime are an optional extra, imported only when needed."""

import asyncio
import difflib
import json
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

import structlog

from bot.errors import OperatorError
from memory.understanding import EmbeddingFailed

#: File names of exported models, smallest first.
_WEIGHTS = ("model_quantized.onnx", "model_optimized.onnx", "model.onnx")

#: sentence-transformers' names of pooling modes; the default is the mean.
_POOLINGS = {"pooling_mode_cls_token": "CLS", "pooling_mode_lasttoken": "LAST_TOKEN"}


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """An ONNX export with its tokenizer in the layout of sentence-transformers. `prompts` are the
    model's prefixes for queries and for texts; `pooling` is a name of fastembed's."""

    directory: Path
    weights: Path
    prompts: tuple[str, str]
    pooling: str

    @classmethod
    def read(cls, directory: Path) -> Self:
        """Read the directory. Raises OperatorError if something is missing."""
        places = [folder / name for name in _WEIGHTS for folder in (directory, directory / "onnx")]
        weights = next((place for place in places if place.is_file()), None)
        needed = ("tokenizer.json", "tokenizer_config.json")
        missing = [name for name in needed if not (directory / name).is_file()]
        if weights is None:
            missing.append("model.onnx")
        if weights is None or missing:
            raise OperatorError(
                f"embedder = 'fastembed:{directory}' holds no model: {', '.join(missing)} missing; "
                "expected an ONNX export with its tokenizer"
            )
        prompts = _json(directory / "config_sentence_transformers.json").get("prompts", {})
        before_text = prompts.get("document") or prompts.get("passage") or ""
        pooling = _json(directory / "1_Pooling" / "config.json")
        chosen = next((name for key, name in _POOLINGS.items() if pooling.get(key)), "MEAN")
        return cls(directory, weights, (prompts.get("query") or "", before_text), chosen)

    def load(self) -> Any:
        """Load the model. Needs fastembed, and raises whatever it raises."""
        from fastembed import TextEmbedding
        from fastembed.common.model_description import ModelSource, PoolingType

        name = str(self.directory)
        known = {model["model"] for model in TextEmbedding.list_supported_models()}
        if name not in known:
            TextEmbedding.add_custom_model(
                name,
                pooling=PoolingType[self.pooling],
                normalization=True,
                sources=ModelSource(hf=name),  # never asked: the path below comes first
                dim=_json(self.directory / "config.json").get("hidden_size", 0),
                model_file=str(self.weights.relative_to(self.directory)),
            )
        return TextEmbedding(name, specific_model_path=name, threads=1)


def _json(file: Path) -> dict[str, Any]:
    """The content of a JSON file; empty if there is no file. Raises OperatorError."""
    try:
        content = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    except (OSError, ValueError) as error:
        raise OperatorError(f"embedder: {file} can't be read: {error}") from error
    return content if isinstance(content, dict) else {}


_log = structlog.get_logger(__name__)

#: fastembed's smallest multilingual model: some 50 languages, 0.2 GB.
DEFAULT = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"

#: The prefixes of these models for queries and for texts; other models need none.
_PREFIXES = {"intfloat/multilingual-e5-large": ("query: ", "passage: ")}

#: One for background work, one so that queries need not wait for it.
_THREADS = 2


class LocalEmbedder:
    """An Embedder on this machine. Use as `async with`. A model that fastembed knows is loaded on
    first use, and downloaded if necessary; until then search works by words alone."""

    def __init__(self, model: str | None, downloads: Path) -> None:
        """`model` is a name that fastembed knows, or the path of a directory. Raises OperatorError
        if it is neither, or fastembed is not installed."""
        model = model or DEFAULT
        if find_spec("fastembed") is None:
            raise OperatorError(
                f"embedder = 'fastembed:{model}' needs a package that is not installed: "
                "pip install 'mordecai-assistant[embed]'"
            )
        directory = Path(model).expanduser()
        self._folder = ModelFolder.read(directory) if directory.is_dir() else None
        if self._folder is None:
            _check_name(model)
        self._model, self._downloads = model, downloads
        weights = f"#{self._folder.weights.stat().st_size}" if self._folder else ""
        self.name = f"fastembed:{model}{weights}"
        self._before_query, self._before_text = (
            self._folder.prompts if self._folder else _PREFIXES.get(model, ("", ""))
        )
        self._runtime: Any = None
        self._loading = threading.Lock()
        self._threads = ThreadPoolExecutor(_THREADS, "embedding")

    async def __aenter__(self) -> Self:
        """Raises OperatorError if a model in a directory can't be loaded."""
        if self._folder:
            try:
                await asyncio.get_running_loop().run_in_executor(self._threads, self._load_once)
            except _errors() as error:
                self._threads.shutdown()
                raise OperatorError(
                    f"embedder = 'fastembed:{self._model}' can't be loaded: {error}"
                ) from error
        return self

    async def __aexit__(self, *exc: object) -> None:
        # A running download must not delay the exit.
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[list[float]]:
        """See Embedder."""
        before = self._before_query if query else self._before_text
        ready = [f"{before}{text}" for text in texts]
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._embed, ready)

    def _embed(self, texts: list[str]) -> list[list[float]]:
        try:
            vectors = self._load_once().embed(texts, batch_size=len(texts))
            return [vector.tolist() for vector in vectors]
        except _errors() as error:
            raise EmbeddingFailed(f"{self.name}: {type(error).__name__}: {error}") from error

    def _load_once(self) -> Any:
        """The model, loaded once."""
        with self._loading:
            if self._runtime is None:
                self._runtime = self._folder.load() if self._folder else self._download()
                _log.info("embedder_loaded", embedder=self.name)
            return self._runtime

    def _download(self) -> Any:
        from fastembed import TextEmbedding

        self._downloads.mkdir(parents=True, exist_ok=True)
        return TextEmbedding(self._model, cache_dir=str(self._downloads), threads=1)


def _errors() -> tuple[type[Exception], ...]:
    """The errors of fastembed, its runtime and the hub's client."""
    from onnxruntime.capi import onnxruntime_pybind11_state as runtime

    own = [x for x in vars(runtime).values() if isinstance(x, type) and issubclass(x, Exception)]
    return (ValueError, OSError, RuntimeError, *own)


def _check_name(model: str) -> None:
    from fastembed import TextEmbedding

    known = [description["model"] for description in TextEmbedding.list_supported_models()]
    if model.lower() in map(str.lower, known):
        return
    close = difflib.get_close_matches(model, known, n=1)
    advice = f"did you mean {close[0]}?" if close else f"expected a name such as {DEFAULT}"
    raise OperatorError(
        f"embedder = 'fastembed:{model}': there is no such directory, and fastembed knows no such "
        f"model; {advice}"
    )
