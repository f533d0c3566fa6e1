"""all-MiniLM-L6-v2 on ONNX Runtime, int8, one thread: the embedder of all stores that want one.

`python -m tests.benchmarks.peers.minilm MODEL TEXTS OUT` embeds a JSON list of texts once, for all
stores, into a numpy file."""

import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from tests.benchmarks.peers.footprint import Stopwatch
from tests.benchmarks.peers.peer import DIMENSIONS, MODEL_FILES

#: What MODEL_FILES must hash to. The tokenizer is the model's own; the int8 export agrees with the
#: published weights (model.safetensors 53aa5117…) to a mean cosine of 0.9995.
DIGESTS = (
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)

#: The model reads no more tokens of a text.
MAX_TOKENS = 256

_BATCH = 16


class MiniLM:
    """Texts to unit vectors."""

    def __init__(self, directory: Path) -> None:
        """The model in this directory. Raises ValueError if it is not the one named above."""
        weights, tokenizer = map(_checked, (directory / name for name in MODEL_FILES), DIGESTS)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            weights, options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = Tokenizer.from_buffer(tokenizer)
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.enable_padding()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A row a text: the mean of its tokens' vectors, of length 1."""
        encoded = self._tokenizer.encode_batch(list(texts))
        ids = np.array([one.ids for one in encoded], dtype=np.int64)
        mask = np.array([one.attention_mask for one in encoded], dtype=np.int64)
        (hidden,) = self._session.run(
            None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        )
        total = (hidden * mask[:, :, None]).sum(axis=1)
        vectors: NDArray[np.float32] = total / np.linalg.norm(total, axis=1, keepdims=True)
        return vectors.astype(np.float32)


class Shared:
    """The vectors of all indexed texts, read from a file, and a live model for the questions."""

    def __init__(self, model: Path, texts: Sequence[str], vectors: Path) -> None:
        """`vectors` holds a row for each of the texts, in order."""
        self._model = MiniLM(model)
        self._vectors = np.load(vectors)
        self._rows = {text: row for row, text in enumerate(texts)}
        self.query_ms: list[float] = []  # what each call of `query` took

    def document(self, text: str) -> list[float]:
        """See Embedder. Raises KeyError for a text that was not embedded before."""
        row: list[float] = self._vectors[self._rows[text]].tolist()
        return row

    def query(self, text: str) -> list[float]:
        """See Embedder."""
        with Stopwatch() as watch:
            vector: list[float] = self._model.embed([text])[0].tolist()
        self.query_ms.append(watch.seconds * 1000)
        return vector


def embed_all(model: MiniLM, texts: Sequence[str]) -> NDArray[np.float32]:
    """All vectors, in order. Texts of like length go together, so that little is padded."""
    vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
    order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
    for start in range(0, len(order), _BATCH):
        rows = order[start : start + _BATCH]
        vectors[rows] = model.embed([texts[row] for row in rows])
    return vectors


def _checked(path: Path, digest: str) -> bytes:
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != digest:
        raise ValueError(f"{path} is not the file this benchmark was made with")
    return content


def main() -> None:
    """The command of this module."""
    directory, texts, out = map(Path, sys.argv[1:4])
    vectors = embed_all(MiniLM(directory), json.loads(texts.read_text(encoding="utf-8")))
    np.save(out, vectors)


if __name__ == "__main__":
    main()
