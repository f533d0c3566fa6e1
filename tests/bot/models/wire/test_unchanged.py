"""What goes out to OpenAI's chat completions is what pydantic-ai and its library would send."""

from pydantic_ai import Agent, BinaryContent
from pydantic_ai.models import Model
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from bot.models.catalogue import ModelAccess
from bot.models.vendors.openai import own_server
from tests.fakes.openai_server import OpenAIServer, calling, text

PICTURE = BinaryContent(b"\x89PNG\r\n\x1a\n", media_type="image/png")


async def weather(city: str, days: int = 1) -> dict[str, object]:
    """Tell the weather.

    Args:
        city: where
        days: how many
    """
    return {"city": city, "days": days, "sun": True}


async def sent(server: OpenAIServer, model: Model) -> list[object]:
    """The bodies of a talk with a tool, a picture, a past turn and settings."""
    server.script(
        calling("weather", '{"city": "Köln"}'), text("Sunny."), text("A dot."), text("Bye.")
    )
    agent = Agent(model, tools=[weather], instructions="Be brief.")
    async with model:
        first = await agent.run("What is the weather?")
        async with agent.run_stream(
            ["And this?", PICTURE], message_history=first.all_messages()
        ) as stream:
            await stream.get_output()
        plain = Agent(model, instructions="Be brief.")
        await plain.run("Bye", model_settings={"max_tokens": 5, "extra_body": {"think": False}})
    return list(server.requests)


async def test_every_body_is_the_one_that_the_libraries_make() -> None:
    profile = OpenAIModelProfile(
        supports_inline_system_prompts=False,
        supports_image_input=False,
        supports_document_input=False,
    )
    async with OpenAIServer() as server:
        provider = OpenAICompatibleProvider("own", base_url=server.base_url, api_key="right")
        by_the_libraries = await sent(
            server, OpenAIChatModel("m", provider=provider, profile=profile)
        )
        access = ModelAccess(base_url=server.base_url, api_key="right", attempts=1)
        ours = await sent(server, own_server("m", server.base_url, access))
    assert ours == by_the_libraries
    assert len(ours) == 4
