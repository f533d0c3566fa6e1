"""What AWS knows about inference profiles and provisioned models. These calls block, need
permissions of their own, and are made only where a name leaves a question open."""

from collections.abc import Callable
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from pydantic_ai.providers.bedrock import remove_bedrock_geo_prefix

from bot.errors import OperatorError
from bot.models.vendors.bedrock_names import arn_of, model_among

_DENIED = ("AccessDeniedException", "AccessDenied")


class NotTold(Exception):
    """AWS did not say. `again` is whether asking later may help; str() is the reason."""

    def __init__(self, reason: str, *, again: bool) -> None:
        super().__init__(reason)
        self.again = again


class InferenceProfiles:
    """Asks the control plane of Bedrock in one region. `connect` makes its client."""

    def __init__(self, connect: Callable[[], Any]) -> None:
        self._connect = connect

    def model_behind(self, name: str) -> str:
        """The id of the model that an ARN stands for. Raises NotTold."""
        arn = arn_of(name)
        if arn and arn.kind == "provisioned-model":
            action = "get_provisioned_model_throughput"
            answer = self._ask(action, provisionedModelId=name)
            found = model_among([str(answer["foundationModelArn"])])
        elif arn is None or arn.kind == "application-inference-profile":
            answer = self._ask("get_inference_profile", inferenceProfileIdentifier=name)
            found = model_among([str(model["modelArn"]) for model in answer["models"]])
        else:
            raise NotTold(f"nothing tells which model a {arn.kind} is", again=False)
        if found is None:
            raise NotTold("it stands for several models", again=False)
        return found

    def of(self, model: str) -> list[str]:
        """The ids of AWS's own inference profiles of a model. Raises NotTold."""
        base = remove_bedrock_geo_prefix(model)
        page: dict[str, Any] = {"nextToken": None}
        found: list[str] = []
        while "nextToken" in page:
            more = {"nextToken": page["nextToken"]} if page["nextToken"] else {}
            page = self._ask("list_inference_profiles", typeEquals="SYSTEM_DEFINED", **more)
            ids = (str(row["inferenceProfileId"]) for row in page["inferenceProfileSummaries"])
            found += [id_ for id_ in ids if remove_bedrock_geo_prefix(id_) == base]
        return found

    def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        try:
            client = self._connect()
            answer: dict[str, Any] = getattr(client, method)(**params)
        except ClientError as error:
            action = f"bedrock:{error.operation_name}"
            code = error.response.get("Error", {}).get("Code", "")
            if code in _DENIED:
                raise NotTold(f"{action} is not allowed", again=False) from error
            final = code in ("ResourceNotFoundException", "ValidationException")
            raise NotTold(f"{action} failed ({code})", again=not final) from error
        except (BotoCoreError, OperatorError) as error:
            raise NotTold(f"AWS can't be reached ({type(error).__name__})", again=True) from error
        return answer
