"""How a record's namespace is written down, and how a read's namespace finds it."""

import re
from collections.abc import Callable
from typing import Any, Literal

from tests.fakes.aws.errors import ValidationFailed

#: What `namespace` means. "exact": itself alone, as AWS documents it today. "prefix": all that
#: begin with it, as accounts of before May 2026 may still have it. "blind": the same without the
#: slash at its end; nobody has reported that, but AWS stores namespaces normalised.
Matching = Literal["exact", "prefix", "blind"]


def normalised(namespace: str) -> str:
    """With one leading and one trailing slash, as the service stores it."""
    return f"/{namespace.strip('/')}/"


def resolved(template: str, **variables: str) -> str:
    """The template with its variables filled in."""
    return re.sub(r"\{(\w+)\}", lambda match: variables[match[1]], normalised(template))


def matcher(params: dict[str, Any], mode: Matching, *, required: bool) -> Callable[[str], bool]:
    """The test that a record's namespace must pass to be read with these parameters."""
    exact, path = params.get("namespace"), params.get("namespacePath")
    if exact and path:
        raise ValidationFailed("only one of namespace and namespacePath may be given")
    wanted = exact or path
    if not wanted:
        if required:
            raise ValidationFailed("one of namespace and namespacePath must be given")
        return lambda _: True
    if mode != "exact":
        beginning = wanted.rstrip("/") if mode == "blind" else wanted
        return lambda stored: stored.startswith(beginning)
    if exact:
        return lambda stored: stored == normalised(exact)
    return lambda stored: stored.startswith(normalised(wanted))
