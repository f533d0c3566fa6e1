"""An embedding model in a local directory."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from bot.errors import OperatorError

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
