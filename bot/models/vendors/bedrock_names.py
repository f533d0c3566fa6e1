"""What models are called on Bedrock. Pure."""

import re
from typing import NamedTuple

from pydantic_ai.providers.bedrock import remove_bedrock_geo_prefix

GLOBAL = "global"
#: The geographies whose profiles a region can call, by the beginning of the region's name; the
#: first one that fits counts. Older models have the wider geographies, newer ones the narrower.
_GEOGRAPHIES = (
    ("us-gov-", ("us-gov",)),
    ("us-", ("us", GLOBAL)),
    ("ca-", ("ca", "us", GLOBAL)),
    ("eu-", ("eu", GLOBAL)),
    ("ap-northeast-1", ("jp", "apac", GLOBAL)),
    ("ap-northeast-3", ("jp", "apac", GLOBAL)),
    ("ap-southeast-2", ("au", "apac", GLOBAL)),
    ("ap-southeast-4", ("au", "apac", GLOBAL)),
    ("ap-south-", ("in", "apac", GLOBAL)),
    ("ap-", ("apac", GLOBAL)),
)
_ARN = re.compile(r"arn:[^:]+:bedrock:(?P<region>[^:]*):[^:]*:(?P<kind>[a-z-]+)/(?P<id>.+)")


class Arn(NamedTuple):
    """The parts of an ARN that tell something here. The region is empty in those of models that
    global profiles choose from."""

    region: str
    kind: str
    id: str


def arn_of(name: str) -> Arn | None:
    """The parts of an ARN; None if the name is something else."""
    found = _ARN.fullmatch(name)
    return Arn(**found.groupdict()) if found else None


def model_in(name: str) -> str | None:
    """The id of the model that a name or an ARN contains; None if it names something whose model
    only AWS knows, such as an application inference profile."""
    arn = arn_of(name)
    if arn and arn.kind not in ("foundation-model", "inference-profile"):
        return None
    id_ = arn.id if arn else name
    # An id begins with a vendor or a geography, and a dot.
    return id_ if "." in id_ and not id_.startswith("arn:") else None


def model_among(arns: list[str]) -> str | None:
    """The model that a profile with these models stands for; None unless they are one model."""
    found = [arn for arn in map(arn_of, arns) if arn]
    ids = {arn.id for arn in found}
    if len(ids) != 1:
        return None
    (id_,) = ids
    # Prices differ: a global profile's list has an entry for no region in particular.
    return f"{GLOBAL}.{id_}" if any(not arn.region for arn in found) else id_


def profiles_in(region: str, model: str) -> list[str]:
    """The inference profiles of a model that a region may offer, the nearest geography first."""
    base = remove_bedrock_geo_prefix(model)
    for beginning, geographies in _GEOGRAPHIES:
        if region.startswith(beginning):
            return [f"{geography}.{base}" for geography in geographies]
    return [f"{GLOBAL}.{base}"]
