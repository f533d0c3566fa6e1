"""What the planes of the fake share: strict parameters before moto's dispatch, one clock."""

from collections.abc import Callable
from typing import Any

from moto.core.common_types import TYPE_RESPONSE
from moto.core.exceptions import ServiceException
from moto.core.responses import ActionResult, BaseResponse
from moto.core.utils import get_service_model

from tests.fakes.aws.errors import ValidationFailed
from tests.fakes.aws.strict import violations

Clock = Callable[[], float]


class StrictParameters(BaseResponse):
    """Mixed into a moto response class: a request that the service model forbids is answered with
    ValidationException before any method of ours sees it."""

    params: dict[str, Any]

    def call_action(self) -> TYPE_RESPONSE:
        """Check, then dispatch."""
        operation = self._get_action()
        model = get_service_model(self.boto3_service_name).operation_model(operation)
        found = list(violations(model.input_shape, self.params, ""))
        refusal = self.refusal(operation)
        if refusal is None and found:
            fields = [each.partition(":")[0].lstrip(".") for each in found]
            text = f"{len(found)} validation error(s): " + "; ".join(found)
            refusal = ValidationFailed(text, fields=fields)
        if refusal:
            return self.serialized(ActionResult(refusal))
        return super().call_action()

    def refusal(self, operation: str) -> ServiceException | None:
        """Why this operation is not done at all, if so."""
        return None
