"""Models on Bedrock, whose errors tell the operator what to fix."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, NoRegionError
from pydantic_ai import ModelMessage, ModelResponse, ModelSettings, RunContext
from pydantic_ai.exceptions import ModelAuthenticationError
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.bedrock import BedrockConverseModel, BedrockModelSettings
from pydantic_ai.providers.bedrock import BedrockProvider

from bot.assistant.failures import AccessNotGranted
from bot.errors import OperatorError
from bot.models.catalogue import ModelAccess
from memory.stores.agentcore.calls.clients import aws_session


def bedrock_client(named: str, access: ModelAccess) -> Any:
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
            "bedrock-runtime",
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


def bedrock_model(model: str, access: ModelAccess) -> Model:
    client = bedrock_client(f"model 'bedrock:{model}'", access)
    # The prompt itself contains the window's cache point.
    settings = BedrockModelSettings(
        bedrock_cache_instructions=True, bedrock_cache_tool_definitions=True
    )
    return BedrockModel(model, provider=BedrockProvider(bedrock_client=client), settings=settings)


_DENIED = "AccessDeniedException"


class BedrockModel(BedrockConverseModel):
    """Distinguishes missing access to a model from wrong credentials."""

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Raises AccessNotGranted and whatever the parent class raises."""
        with self._translate_errors():
            return await super().request(messages, model_settings, model_request_parameters)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """Raises AccessNotGranted and whatever the parent class raises."""
        with self._translate_errors():
            async with super().request_stream(
                messages, model_settings, model_request_parameters, run_context
            ) as stream:
                yield stream

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except ModelAuthenticationError as error:
            if error.provider_error_code != _DENIED:
                raise
            raise AccessNotGranted(self.model_name, self.client.meta.region_name) from error
        except BotoCoreError as error:
            # Missing credentials, or credentials that can't be renewed.
            raise ModelAuthenticationError(self.model_name, type(error).__name__) from error
