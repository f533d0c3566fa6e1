"""Bedrock's control plane: what inference profiles and provisioned models stand for."""

from datetime import UTC, datetime
from typing import Any

from moto.bedrock.responses import BedrockResponse
from moto.core.responses import ActionResult

from tests.fakes.aws.bedrock_models import ACCOUNT, Catalogue
from tests.fakes.aws.knobs import Knobs
from tests.fakes.aws.plane import StrictParameters

_LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)


class BedrockPlane(StrictParameters, BedrockResponse):
    """moto's handler with the operations that it lacks."""

    def __init__(self, catalogue: Catalogue, region: str, knobs: Knobs) -> None:
        super().__init__()
        self.automated_parameter_parsing = True
        self._catalogue, self._region_of_plane, self._knobs = catalogue, region, knobs

    def get_inference_profile(self) -> ActionResult:
        """GetInferenceProfile."""
        name = self.params["inferenceProfileIdentifier"]
        arns = self._catalogue.models_of(name, self._region_of_plane)
        return ActionResult(self._summary(name.rpartition("/")[2], arns, own=":" in name))

    def list_inference_profiles(self) -> ActionResult:
        """ListInferenceProfiles."""
        found = sorted(self._catalogue.profiles(self._region_of_plane).items())
        start = int(self.params.get("nextToken") or 0)
        rows = min(self._knobs.page_rows, int(self.params.get("maxResults") or 100))
        page = [self._summary(id_, arns, own=False) for id_, arns in found[start : start + rows]]
        rest = {"nextToken": str(start + rows)} if start + rows < len(found) else {}
        return ActionResult({"inferenceProfileSummaries": page, **rest})

    def get_provisioned_model_throughput(self) -> ActionResult:
        """GetProvisionedModelThroughput."""
        name = self.params["provisionedModelId"]
        (arn,) = self._catalogue.models_of(name, self._region_of_plane)
        return ActionResult(
            {
                **{"modelUnits": 1, "desiredModelUnits": 1, "provisionedModelName": "bought"},
                **{"provisionedModelArn": name, "modelArn": arn, "desiredModelArn": arn},
                **{"foundationModelArn": arn, "status": "InService"},
                **{"creationTime": _LONG_AGO, "lastModifiedTime": _LONG_AGO},
            }
        )

    def _summary(self, id_: str, arns: list[str], *, own: bool) -> dict[str, Any]:
        kind = "application-inference-profile" if own else "inference-profile"
        arn = f"arn:aws:bedrock:{self._region_of_plane}:{ACCOUNT}:{kind}/{id_}"
        return {
            **{"inferenceProfileName": id_, "inferenceProfileArn": arn, "inferenceProfileId": id_},
            **{"models": [{"modelArn": each} for each in arns], "status": "ACTIVE"},
            "type": "APPLICATION" if own else "SYSTEM_DEFINED",
        }
