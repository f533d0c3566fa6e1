"""Requests held against botocore's own service model: lengths, ranges, patterns and enums.

botocore checks types, required members and minimums before it sends, and nothing else; AWS checks
all of it. So does this."""

import re
from collections.abc import Iterator
from typing import Any

from botocore.model import Shape


def violations(shape: Shape, value: Any, path: str) -> Iterator[str]:
    """What AWS would object to, as `path: reason`."""
    if value is None:
        return
    match shape.type_name:
        case "structure":
            yield from _structure(shape, value, path)
        case "list":
            yield from _range(shape, len(value), path, "items")
            for index, item in enumerate(value):
                yield from violations(shape.member, item, f"{path}[{index}]")
        case "map":
            yield from _range(shape, len(value), path, "entries")
            for key, item in value.items():
                yield from violations(shape.key, key, f"{path}.{key}")
                yield from violations(shape.value, item, f"{path}.{key}")
        case "string":
            yield from _string(shape, value, path)
        case "integer" | "long" | "float" | "double":
            yield from _range(shape, value, path, "")


def _structure(shape: Shape, value: Any, path: str) -> Iterator[str]:
    if getattr(shape, "is_document_type", False):
        return
    for name in shape.required_members:
        if value.get(name) is None:
            yield f"{path}.{name}: Member must not be null"
    given = [name for name in shape.members if value.get(name) is not None]
    if getattr(shape, "is_tagged_union", False) and len(given) != 1:
        yield f"{path}: exactly one member of the union must be set"
    for name in given:
        yield from violations(shape.members[name], value[name], f"{path}.{name}")


def _string(shape: Shape, value: str, path: str) -> Iterator[str]:
    yield from _range(shape, len(value), path, "characters")
    pattern = shape.metadata.get("pattern")
    if pattern and not re.fullmatch(pattern, value):
        yield f"{path}: Member must satisfy regular expression pattern: {pattern}"
    enum = shape.metadata.get("enum")
    if enum and value not in enum:
        yield f"{path}: Member must satisfy enum value set: {enum}"


def _range(shape: Shape, size: float, path: str, unit: str) -> Iterator[str]:
    least, most = shape.metadata.get("min"), shape.metadata.get("max")
    if least is not None and size < least:
        yield f"{path}: {size} {unit} is less than {least}"
    if most is not None and size > most:
        yield f"{path}: {size} {unit} is more than {most}"
