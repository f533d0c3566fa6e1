"""The results of a run for people (Markdown) and for machines."""

from collections.abc import Iterator, Sequence
from typing import Any

from bot.evals.recall import percentile
from tests.benchmarks.peers.comparison import DataSet, Row
from tests.benchmarks.peers.peer import KINDS

Results = Sequence[tuple[DataSet, Sequence[Row]]]

_MEASURES = ("r5", "r10", "r25", "ndcg10", "mrr", "any10")
_QUALITY = (
    *("store", "R@5", "R@10", "R@25", "NDCG@10", "MRR", "any@10"),
    *("p50 ms", "p95 ms", "embedding ms", "CPU ms", "index s/1,000"),
)
_COST = (
    *("store", "versions", "install MB", "with embedder MB", "import ms"),
    *("resident MB", "over its start MB", "disk MB"),
)


def markdown(results: Results) -> str:
    """A table a data set, then one of what each store costs."""
    parts = []
    for data, rows in results:
        parts.append(_headline(data))
        parts.append(_grid(_QUALITY, [_quality(row) for row in rows]))
    parts.append("### What it takes")
    parts.append(_grid(_COST, [_cost(row) for row in _heaviest(results)]))
    return "\n\n".join([*parts, *_remarks(results)])


def to_json(results: Results) -> dict[str, Any]:
    """Everything, by data set and store: shares 0 to 1, 10^6 bytes, milliseconds."""
    return {
        data.name: {
            "conversations": len(data.conversations),
            "turns": data.turns,
            "questions": data.questions,
            "embed_s_per_1000": _per_thousand(data.embed_seconds, data),
            "stores": {row.kind: _row_json(row) for row in rows},
        }
        for data, rows in results
    }


def _row_json(row: Row) -> dict[str, Any]:
    if row.reason:
        return {"reason": row.reason}
    outcome = row.outcome
    return {
        **row.report.to_json(),
        "embedding_ms": {"p50": percentile(outcome.embedding_ms, 0.50)},
        "cpu_ms": {"p50": percentile(outcome.cpu_ms, 0.50)},
        "install_mb": outcome.installed_bytes / 1e6,
        "install_with_embedder_mb": outcome.installed_with_embedder / 1e6,
        "import_ms": outcome.import_ms,
        "resident_mb": outcome.resident_mb,
        "added_mb": outcome.added_mb,
        "versions": outcome.versions,
        "refused_connections": sorted(set(outcome.connections)),
    }


def _headline(data: DataSet) -> str:
    line = (
        f"### {data.name}: {len(data.conversations)} conversations, {data.turns:,} turns, "
        f"{data.questions:,} questions"
    )
    if data.vectors is None:
        return line
    seconds = _per_thousand(data.embed_seconds, data)
    return f"{line}\n\nEmbedding, the same for all stores: {seconds:.1f} s per 1,000 turns."


def _per_thousand(seconds: float, data: DataSet) -> float:
    return seconds / max(1, data.turns) * 1000


def _quality(row: Row) -> list[str]:
    if row.reason:
        return _unmeasured(row, _QUALITY)
    figures = row.report.to_json()
    shares = [f"{figures['overall'][name] * 100:.1f}" for name in _MEASURES]
    latency = [f"{figures['latency_ms'][name]:.1f}" for name in ("p50", "p95")]
    latency += [f"{percentile(row.outcome.embedding_ms, 0.50):.1f}"]
    latency += [f"{percentile(row.outcome.cpu_ms, 0.50):.1f}"]
    return [KINDS[row.kind].title, *shares, *latency, f"{figures['index_s_per_1000']:.2f}"]


def _cost(row: Row) -> list[str]:
    if row.reason:
        return _unmeasured(row, _COST)
    outcome = row.outcome
    sizes = [outcome.installed_bytes / 1e6, outcome.installed_with_embedder / 1e6]
    return [
        KINDS[row.kind].title,
        ", ".join(f"{name} {number}" for name, number in outcome.versions.items()),
        *(f"{size:.1f}" for size in sizes),
        f"{outcome.import_ms:.0f}",
        f"{outcome.resident_mb:.0f}",
        f"{outcome.added_mb:.0f}",
        f"{outcome.disk_bytes / 1e6:.1f}",
    ]


def _unmeasured(row: Row, columns: Sequence[str]) -> list[str]:
    reason = row.reason.replace("|", "/")
    return [KINDS[row.kind].title, f"not measured: {reason}", *[""] * (len(columns) - 2)]


def _heaviest(results: Results) -> Iterator[Row]:
    """For each store the row with the most memory."""
    by_kind: dict[str, Row] = {}
    for _, rows in results:
        for row in rows:
            best = by_kind.setdefault(row.kind, row)
            if row.outcome.resident_mb > best.outcome.resident_mb:
                by_kind[row.kind] = row
    yield from by_kind.values()


def _remarks(results: Results) -> Iterator[str]:
    for _, rows in results:
        for row in rows:
            if row.outcome.connections:
                hosts = ", ".join(sorted(set(row.outcome.connections)))
                yield f"{KINDS[row.kind].title} wanted to reach {hosts}; it was refused."


def _grid(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    marks = ["---", *["--:"] * (len(columns) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (columns, marks, *rows))
