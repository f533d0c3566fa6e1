"""A small table, drawn with characters of equal width. Pure."""

import unicodedata
from collections.abc import Sequence

from rich.cells import cell_len

#: So many characters of a code block stand side by side on a small phone.
_WIDEST = 32


def align(rows: Sequence[Sequence[str]], to_right: Sequence[bool]) -> str | None:
    """The rows, the first one the header and all of one length, in columns; None if they do not fit
    on a phone or are of a script whose letters do not stand under each other."""
    if not rows or not all(_is_monospaced(cell) for row in rows for cell in row):
        return None
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if sum(widths) + 3 * (len(widths) - 1) > _WIDEST:
        return None

    def line(row: Sequence[str]) -> str:
        columns = zip(row, widths, to_right, strict=True)
        cells = [c.rjust(width) if right else c.ljust(width) for c, width, right in columns]
        return " | ".join(cells).rstrip()

    rule = "-+-".join("-" * width for width in widths)
    return "\n".join([line(rows[0]), rule, *map(line, rows[1:])])


def _is_monospaced(text: str) -> bool:
    return cell_len(text) == len(text) and not any(
        unicodedata.bidirectional(character) in ("R", "AL") for character in text
    )
