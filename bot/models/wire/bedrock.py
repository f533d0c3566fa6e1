"""A model on Bedrock's Converse whose errors tell the operator what to fix."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from botocore.exceptions import BotoCoreError
from pydantic_ai import ModelMessage, ModelResponse, ModelSettings, RunContext
from pydantic_ai.exceptions import ModelAuthenticationError
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.models.bedrock import BedrockConverseModel

from bot.assistant.failures import AccessNotGranted

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
