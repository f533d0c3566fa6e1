"""The AWS settings, for the bot, `mordecai setup` and `mordecai doctor`."""

from dataclasses import replace

from bot.settings import Settings
from bot.understanding import is_offline
from memory.stores.agentcore.calls.clients import AwsAccess
from memory.stores.agentcore.setup import Wanted


def aws_access(settings: Settings) -> AwsAccess:
    return AwsAccess(settings.aws_region, settings.aws_profile, settings.aws_endpoint_url)


def wanted_memory(settings: Settings) -> Wanted:
    """The memory to find or create if `memory_id` is not set. AWS rejects an empty description, so
    it means the default one."""
    wanted = Wanted(
        settings.memory_name,
        event_expiry_days=settings.agentcore_event_days,
        extracts=aws_extracts(settings),
    )
    given = settings.memory_description
    return replace(wanted, description=given) if given else wanted


def aws_extracts(settings: Settings) -> bool:
    """True if AWS's strategies learn from conversations, not we."""
    return settings.agentcore_extraction == "aws"


def why_nothing_is_learned(settings: Settings) -> str | None:
    """What keeps the bot from learning anything from messages, and the remedy; None if it does. The
    notebook's rules find next to nothing, and AgentCore can't search messages."""
    if aws_extracts(settings) or not is_offline(settings):
        return None
    model = f'"{settings.model}"' if settings.model else "not set"
    return (
        f'agentcore_extraction = "mordecai", but model is {model}: nothing would be learned from '
        'messages; set model, or set agentcore_extraction to "aws"'
    )
