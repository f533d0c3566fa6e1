"""AWS: credentials and region."""

from contextlib import closing
from typing import Any

import boto3
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    HTTPClientError,
    NoCredentialsError,
)
from botocore.exceptions import ConnectionError as NoConnection

from bot.operations.aws import aws_access
from bot.operations.doctor.check_result import CheckResult, ok, wrong
from bot.settings import Settings
from memory.stores.agentcore.clients import make_client
from memory.stores.agentcore.errors import AWS_ERRORS, Where, explain

_WHERE = Where("GetCallerIdentity")
_DENIED = ("AccessDenied", "AccessDeniedException")


def check_credentials(settings: Settings) -> list[CheckResult]:
    """Check the credentials and the region that boto3 finds. Blocks: boto3 may ask for the
    machine's role, and AWS."""
    try:
        session = boto3.Session(profile_name=settings.aws_profile, region_name=settings.aws_region)
        credentials = session.get_credentials()
    except AWS_ERRORS as error:
        return [wrong("credentials", str(explain(error, _WHERE)))]
    if credentials is None:
        return [wrong("credentials", str(explain(NoCredentialsError(), _WHERE)))]
    if session.region_name is None:
        return [wrong("region", "no AWS region is set: set aws_region, such as us-east-1")]
    return [_owner(settings, str(credentials.method)), _region(settings, session.region_name)]


def _owner(settings: Settings, method: str) -> CheckResult:
    """The owner of the credentials, if AWS tells; the bot works without knowing."""
    found = f"found by {method}"
    if settings.aws_endpoint_url:
        # A custom endpoint may not have this service.
        return ok("credentials", f"{found}; not asked whose they are")
    try:
        with closing(make_client("sts", aws_access(settings), 1)) as client:
            caller: dict[str, Any] = client.get_caller_identity()
    except ClientError as error:
        if _rejects_credentials(error):
            return wrong("credentials", f"{found}, but {explain(error, _WHERE)}")
        return ok("credentials", f"{found}; AWS does not tell whose they are")
    except (HTTPClientError, NoConnection):
        return ok("credentials", f"{found}; whose they are is not known: STS can't be reached")
    except BotoCoreError as error:
        return wrong("credentials", str(explain(error, _WHERE)))
    return ok("credentials", f"{found}: {caller['Arn']}")


def _rejects_credentials(error: ClientError) -> bool:
    """True if AWS rejects the credentials, not the request."""
    refused = error.response["ResponseMetadata"]["HTTPStatusCode"] == 403
    return refused and error.response["Error"]["Code"] not in _DENIED


def _region(settings: Settings, region: str) -> CheckResult:
    other = settings.aws_endpoint_url
    return ok("region", f"{region}, at aws_endpoint_url = {other}" if other else region)
