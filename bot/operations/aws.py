"""AWS as the settings describe it, for the bot, `mordecai setup` and `mordecai doctor` alike."""

from bot.settings import Settings
from memory.stores.agentcore.calls.clients import AwsAccess
from memory.stores.agentcore.setup import Wanted


def aws_access(settings: Settings) -> AwsAccess:
    """Where AWS is, and as whom to ask it."""
    return AwsAccess(settings.aws_region, settings.aws_profile, settings.aws_endpoint_url)


def wanted_memory(settings: Settings) -> Wanted:
    """The memory to find or create when no `memory_id` is set. AWS takes no empty description, so
    an empty one means ours."""
    if settings.memory_description:
        return Wanted(settings.memory_name, settings.memory_description)
    return Wanted(settings.memory_name)
