"""The least that such a bot costs: python-telegram-bot, pydantic-ai and twelve tools, and nothing
else. It shows that it is typing, asks the model, sends the answer, and remembers nothing.

Reads the bot's environment: TELEGRAM_BOT_TOKEN and MORDECAI_{TELEGRAM_BASE_URL, MODEL_BASE_URL,
MODEL_API_KEY}."""

import os
from typing import Any

from pydantic_ai import Agent, AgentRunResultEvent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from telegram import Update
from telegram.constants import ChatAction
from telegram.ext import Application, ApplicationBuilder, ContextTypes, MessageHandler, filters

_INSTRUCTIONS = "You are a helpful assistant. " + "Answer briefly, kindly and truthfully. " * 40


def _agent() -> Agent[None, str]:
    model = OpenAIChatModel(
        "at-once",
        provider=OpenAIProvider(
            base_url=os.environ["MORDECAI_MODEL_BASE_URL"],
            api_key=os.environ["MORDECAI_MODEL_API_KEY"],
        ),
    )
    agent = Agent(model, instructions=_INSTRUCTIONS)
    for number in range(12):

        @agent.tool_plain(name=f"tool_{number}")
        def use(text: str, limit: int = 10) -> str:
            """Look something up and say what was found, so that it need not be guessed."""
            return f"{text[:limit]}: nothing was found"

    return agent


def main() -> None:
    """Answer until SIGTERM."""
    agent = _agent()

    async def answer(update: Update, _: ContextTypes.DEFAULT_TYPE) -> None:
        assert update.message
        assert update.message.text
        await update.message.chat.send_action(ChatAction.TYPING)
        async with agent.run_stream_events(update.message.text) as events:
            async for event in events:
                if isinstance(event, AgentRunResultEvent):
                    await update.message.reply_text(event.result.output)

    token, root = os.environ["TELEGRAM_BOT_TOKEN"], os.environ["MORDECAI_TELEGRAM_BASE_URL"]
    builder = ApplicationBuilder().token(token).base_url(f"{root}/bot").concurrent_updates(True)
    application: Application[Any, Any, Any, Any, Any, Any] = builder.build()
    application.add_handler(MessageHandler(filters.TEXT, answer))
    application.run_polling()


if __name__ == "__main__":
    main()
