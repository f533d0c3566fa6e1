"""Where the compared stores are installed, and what their processes are told."""

import os
from pathlib import Path

DEFAULT = Path(".venv-bench")

#: The directory of the model's files, and the dependency group that brings them.
MODEL = "model"
MODEL_GROUP = "bench-model"

#: The directory of each environment, and the dependency group that fills it.
ENVIRONMENTS = {
    "minilm": "bench-minilm",
    "mordecai": "bench-mordecai",
    "mem0": "bench-mem0",
    "chroma": "bench-chroma",
    "langgraph": "bench-langgraph",
    "lancedb": "bench-lancedb",
}

#: LANCE_IO_THREADS is left alone: LanceDB waits for ever with one of those.
_ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "TOKIO_WORKER_THREADS",
    "LANCE_CPU_THREADS",
)

#: No store may tell anybody that it was measured, nor fetch anything.
_QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "MEM0_TELEMETRY": "False",
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "POSTHOG_DISABLED": "1",
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "LANCE_LOG": "error",
}


def python_of(environment: Path) -> Path:
    """The interpreter of a virtual environment."""
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def variables(home: Path) -> dict[str, str]:
    """The environment variables of a worker: one thread, no telemetry, no network, no keys, and a
    home of its own, so that a store's settings and caches are neither read nor left behind."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return {
        **kept,
        "HOME": str(home),
        "MEM0_DIR": str(home / "mem0"),
        **dict.fromkeys(_ONE_THREAD, "1"),
        **_QUIET,
    }
