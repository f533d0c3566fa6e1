"""Models on Bedrock."""

from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, NoRegionError
from pydantic_ai.models import Model
from pydantic_ai.models.bedrock import BedrockModelSettings
from pydantic_ai.providers.bedrock import BedrockProvider

from bot.errors import OperatorError
from bot.models.catalogue import ModelAccess
from bot.models.wire.bedrock import BedrockModel


def bedrock_client(named: str, access: ModelAccess) -> Any:
    """A client for Bedrock. `named` is the setting that needs it. Raises OperatorError."""
    try:
        session = boto3.Session(region_name=access.aws_region, profile_name=access.aws_profile)
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
