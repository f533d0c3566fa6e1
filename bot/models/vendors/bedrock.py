"""Models on Bedrock, whose errors tell the operator what to fix."""

import asyncio
import math
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import structlog
from botocore.config import Config
from botocore.exceptions import BotoCoreError, NoRegionError
from genai_prices import Usage, calc_price
from pydantic_ai import CachePoint, ModelMessage, ModelResponse, ModelSettings, RunContext
from pydantic_ai.exceptions import ModelAuthenticationError, ModelHTTPError, UserError
from pydantic_ai.messages import ModelRequest, ModelRequestPart, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.bedrock import BedrockConverseModel, BedrockModelSettings
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.providers.bedrock import (
    BedrockModelProfile,
    BedrockProvider,
    remove_bedrock_geo_prefix,
)

from bot.assistant.failures import UnusableModel
from bot.errors import OperatorError
from bot.models.catalogue import BedrockOptions, ModelAccess
from bot.models.vendors.bedrock_names import model_in, profiles_in
from bot.models.vendors.bedrock_profiles import InferenceProfiles, NotTold
from bot.models.vendors.bedrock_refusals import Refused, failure_for, message_of, reason_of
from memory.stores.agentcore.calls.clients import aws_session

_log = structlog.get_logger(__name__)

#: How long a question to AWS about a name may delay a request, and the next one after a failure.
_ASK_SECONDS = 3.0
_ASK_AGAIN_SECONDS = 300.0


def bedrock_client(named: str, access: ModelAccess, service: str = "bedrock-runtime") -> Any:
    """A client for Bedrock. `named` is the setting that needs it. Raises OperatorError."""
    try:
        session = aws_session(access.aws_region, access.aws_profile)
        if session.get_credentials() is None:
            raise OperatorError(
                f"{named} needs AWS credentials and there are none: run "
                "`aws configure`, set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the "
                "machine a role"
            )
        return session.client(
            service,
            endpoint_url=access.aws_endpoint_url,
            config=Config(
                connect_timeout=access.connect_seconds,
                read_timeout=access.read_seconds,
                retries={"total_max_attempts": access.attempts, "mode": "standard"},
                max_pool_connections=access.connections,
            ),
        )
    except NoRegionError as missing:
        raise OperatorError(
            f"{named} needs a region: set aws_region, such as us-east-1"
        ) from missing
    except (BotoCoreError, ValueError) as wrong:
        raise OperatorError(
            f"{named} can't be reached with these AWS settings "
            f"(aws_region {access.aws_region!r}, aws_profile {access.aws_profile!r}): {wrong}"
        ) from wrong


def bedrock_model(name: str, access: ModelAccess) -> Model:
    """The model of a Bedrock id or ARN. Asks AWS, which blocks, if the name does not say which
    model it is. Raises OperatorError."""
    named = f"model 'bedrock:{name}'"
    quick = replace(access, read_seconds=_ASK_SECONDS, attempts=1, connections=1)
    profiles = InferenceProfiles(partial(bedrock_client, named, quick, "bedrock"))
    try:
        return BedrockModel(name, bedrock_client(named, access), profiles, access.bedrock)
    except UserError as wrong:
        raise OperatorError(f"{named} can't be used: {wrong}") from wrong


class BedrockModel(WrapperModel):
    """A model on Bedrock under the name that the operator configured.

    Finds out which model an ARN stands for: caching, tools and prices depend on it. Until that is
    known, the model gets what every model can take."""

    def __init__(
        self, name: str, client: Any, profiles: InferenceProfiles, options: BedrockOptions
    ) -> None:
        """Raises UserError for a model that Converse does not serve."""
        self._name, self._client, self._profiles, self._options = name, client, profiles, options
        self._bedrock = BedrockProvider(bedrock_client=client)
        self._ask_after = 0.0
        self._others: list[str] | None = None
        self.doubt: str | None = None
        """What the operator should settle, if anything."""
        super().__init__(self._converse(options.models.get(name) or model_in(name)))
        if self._unknown:
            self._find_out()

    @property
    def model_name(self) -> str:
        """The configured name; the wrapped model has the one by which it is known and priced."""
        return self._name

    @property
    def _unknown(self) -> bool:
        return model_in(self.wrapped.model_name) is None

    def _converse(self, model: str | None) -> Model:
        """The model that talks to AWS, as the model of this id, or as an unknown one."""
        options = self._options
        known = BedrockProvider.model_profile(model) if model else None
        self._hour = options.cache == "1h" and "1h" in (known or {}).get(
            "supported_cache_retentions", ()
        )
        self.doubt = None
        if options.cache == "1h" and model and not self._hour:
            self.doubt = f'bedrock_cache is "1h", but {self._name} keeps its cache for five minutes'
        settings = BedrockModelSettings(
            bedrock_inference_profile=self._name,
            # The prompt itself contains the window's cache point.
            bedrock_cache_instructions="1h" if self._hour else True,
            bedrock_cache_tool_definitions="1h" if self._hour else True,
        )
        if options.guardrail:
            id_, version = options.guardrail
            settings["bedrock_guardrail_config"] = {
                "guardrailIdentifier": id_,
                "guardrailVersion": version,
                # It tells a masked answer from a blocked one.
                "trace": "enabled",
            }
        off = BedrockModelProfile(
            bedrock_supports_prompt_caching=False, bedrock_supports_tool_caching=False
        )
        return BedrockConverseModel(
            _name_with_price(model) if model else self._name,
            provider=self._bedrock,
            profile=off if options.cache == "off" else None,
            settings=settings,
        )

    def _find_out(self) -> None:
        """Ask AWS which model it is. Blocks."""
        try:
            self.wrapped = self._converse(self._profiles.model_behind(self._name))
        except NotTold as reason:
            self._ask_after = time.monotonic() + (_ASK_AGAIN_SECONDS if reason.again else math.inf)
            self.doubt = (
                f"nothing says which model {self._name} is ({reason}), so nothing is cached: add "
                f'"{self._name}=" and the id of its model to bedrock_arn_models, or allow '
                "bedrock:GetInferenceProfile and bedrock:GetProvisionedModelThroughput"
            )
            _log.warning("bedrock_model_unknown", model=self._name, remedy=self.doubt)

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Raises UnusableModel and whatever the wrapped model raises."""
        await self._look_again()
        async with self._explain():
            return await super().request(
                self._with_ttl(messages), model_settings, model_request_parameters
            )

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """Raises UnusableModel and whatever the wrapped model raises."""
        await self._look_again()
        async with (
            self._explain(),
            super().request_stream(
                self._with_ttl(messages), model_settings, model_request_parameters, run_context
            ) as stream,
        ):
            yield stream

    async def _look_again(self) -> None:
        if self._unknown and time.monotonic() > self._ask_after:
            self._ask_after = time.monotonic() + _ASK_AGAIN_SECONDS
            await asyncio.to_thread(self._find_out)

    def _with_ttl(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        """The messages, with all cache points kept for an hour if wanted: Bedrock refuses a longer
        life after a shorter one, and people take more than five minutes to answer."""
        return [_keep_an_hour(message) for message in messages] if self._hour else messages

    @asynccontextmanager
    async def _explain(self) -> AsyncGenerator[None]:
        """Raise UnusableModel for what only the operator can mend, not the message's author."""
        try:
            yield
        except ModelHTTPError as error:
            reason = reason_of(error)
            if reason is None:
                raise
            others = await self._other_names() if reason.renames else []
            refused = Refused(
                self._name,
                str(self._client.meta.region_name),
                self._options.cache != "off",
                message_of(error),
                " or ".join(others),
            )
            failure = failure_for(reason, refused, error.status_code)
            raise UnusableModel(self._name, failure) from error
        except BotoCoreError as error:
            # Missing credentials, or credentials that can't be renewed.
            raise ModelAuthenticationError(self.model_name, type(error).__name__) from error

    async def _other_names(self) -> list[str]:
        """The names under which this region has the model: as AWS lists them, else as they are
        formed."""
        if self._others is None:
            region = str(self._client.meta.region_name)
            model = model_in(self.wrapped.model_name)
            derived = profiles_in(region, model) if model else []
            try:
                async with asyncio.timeout(2 * _ASK_SECONDS):
                    listed = await asyncio.to_thread(self._profiles.of, model) if model else []
            except (NotTold, TimeoutError):
                listed = derived
            names = [name for name in derived if name in listed]
            names += sorted(set(listed) - {*names})
            self._others = [f"bedrock:{name}" for name in names if name != self._name]
        return self._others


def _keep_an_hour(message: ModelMessage) -> ModelMessage:
    if not isinstance(message, ModelRequest):
        return message
    return replace(message, parts=[_keep_part_an_hour(part) for part in message.parts])


def _keep_part_an_hour(part: ModelRequestPart) -> ModelRequestPart:
    if not isinstance(part, UserPromptPart) or isinstance(part.content, str):
        return part
    hour = CachePoint(ttl="1h")
    return replace(
        part, content=[hour if isinstance(item, CachePoint) else item for item in part.content]
    )


def _name_with_price(model: str) -> str:
    """The model under a name with a known price: the list lacks some geographies, which all cost
    the same."""
    base = remove_bedrock_geo_prefix(model)
    for name in (model, base, f"us.{base}"):
        try:
            calc_price(Usage(), name, provider_id="aws")
        except LookupError:
            continue
        return name
    return model
