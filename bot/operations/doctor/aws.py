"""AWS: credentials, region, and AgentCore Memory with its strategies and our permissions."""

from concurrent.futures import Executor
from contextlib import ExitStack, closing
from typing import Any

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    HTTPClientError,
    NoCredentialsError,
)
from botocore.exceptions import ConnectionError as NoConnection

from bot.operations.aws import aws_access, aws_extracts, why_nothing_is_learned
from bot.operations.doctor.check import (
    CheckResult,
    ok,
    warning,
    wrong,
)
from bot.operations.doctor.extraction import check_extraction
from bot.operations.doctor.permissions import check_permissions
from bot.settings import Settings
from memory.errors import StoreUnavailable
from memory.stores.agentcore.calls.circuit import Circuits
from memory.stores.agentcore.calls.clients import (
    CONTROL_SERVICE,
    DATA_SERVICE,
    AwsCalls,
    aws_session,
    make_client,
    open_client,
)
from memory.stores.agentcore.calls.errors import AWS_ERRORS, AwsFailure, Where, explain
from memory.stores.agentcore.setup import TEMPLATES, AgentCoreMemory, inspect

_WHERE = Where("GetCallerIdentity")
_DENIALS = ("AccessDenied", "AccessDeniedException")


def check_credentials(settings: Settings) -> list[CheckResult]:
    """Check the credentials and the region that boto3 finds. Blocks: boto3 may ask for the
    machine's role, and AWS."""
    try:
        session = aws_session(settings.aws_region, settings.aws_profile)
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
    return refused and error.response["Error"]["Code"] not in _DENIALS


def _region(settings: Settings, region: str) -> CheckResult:
    other = settings.aws_endpoint_url
    return ok("region", f"{region}, at aws_endpoint_url = {other}" if other else region)


#: As many as doctor has threads.
_CONNECTIONS = 8
_DENIED = "AccessDeniedException"


async def check_memory(settings: Settings, pool: Executor) -> list[CheckResult]:
    """Check the memory, its strategies with their namespaces, and what the bot may do with
    it. Writes nothing."""
    with ExitStack() as stack:
        try:
            control = await _calls(CONTROL_SERVICE, settings, pool, stack)
            memory_id = settings.memory_id or await _find_by_name(control, settings.memory_name)
        except StoreUnavailable as failure:
            return [wrong("memory", str(failure))]
        if memory_id is None:
            return [_no_memory(settings)]
        results, usable = await _check_memory(control, memory_id, settings)
        if not usable:
            return results
        data = await _calls(DATA_SERVICE, settings, pool, stack, memory_id)
        extracts = aws_extracts(settings)
        results += await check_permissions(data, extracts=extracts)
        return [*results, *(await check_extraction(data) if extracts else ())]


async def _calls(
    service: str, settings: Settings, pool: Executor, stack: ExitStack, memory_id: str | None = None
) -> AwsCalls:
    client = await open_client(service, aws_access(settings), pool, _CONNECTIONS)
    stack.enter_context(closing(client))
    # Try every call, however many have failed.
    return AwsCalls(client, pool, Circuits("AgentCore", failures=1000), memory_id)


async def _find_by_name(control: AwsCalls, name: str) -> str | None:
    """The id of the memory with exactly this name; one that is being deleted only if there is no
    other. An id is the name, a hyphen and ten letters or digits."""
    rows = [
        (row["status"] == "DELETING", str(row["id"]))
        async for row in control.rows("list_memories", "memories", page=50)
        if row["id"].rpartition("-")[0] == name
    ]
    return min(rows)[1] if rows else None


def _no_memory(settings: Settings) -> CheckResult:
    return warning(
        "memory",
        f"there is no memory called {settings.memory_name} yet: `mordecai setup` creates it, and "
        "so does the first `mordecai run`",
    )


async def _check_memory(
    control: AwsCalls, memory_id: str, settings: Settings
) -> tuple[list[CheckResult], bool]:
    """The results for the memory, and whether to check its permissions too."""
    try:
        memory = await inspect(control, memory_id, extracts=aws_extracts(settings))
    except AwsFailure as failure:
        return [wrong("memory", str(failure))], failure.code == _DENIED
    except StoreUnavailable as failure:
        return [wrong("memory", str(failure))], True
    hint = "" if settings.memory_id else "; keep the id as memory_id (`mordecai setup --write`)"
    found = ok("memory", f"{memory_id} is ACTIVE{hint}")
    return [found, _strategies(memory, settings)], True


def _strategies(memory: AgentCoreMemory, settings: Settings) -> CheckResult:
    if aws_extracts(settings):
        places = (f"{memory.strategies[kind]} in {place}" for kind, place in TEMPLATES.items())
        return ok("strategies", ", ".join(places))
    if why := why_nothing_is_learned(settings):
        return wrong("strategies", why)
    idle = "; the memory's own are left alone" if memory.strategies else ""
    return ok("strategies", f'none needed: agentcore_extraction = "mordecai"{idle}')
