"""Asking a model outside of a turn: for findings, a summary, a greeting. What it uses goes into the
account of whoever's session it was, why it failed into the log."""

from typing import Generic, TypeVar

import structlog
from pydantic_ai import Agent
from pydantic_ai.usage import RunUsage

from bot.assistant.failures import MODEL_ERRORS, attempts_in, failure_of
from bot.people.usage import Accounts, Usage
from memory.ports import ExtractionFailed

_log = structlog.get_logger(__name__)

OutputT = TypeVar("OutputT")


class Hopeless(ExtractionFailed):
    """The model can never take this (too long for it, refused by its filter or server): trying
    again would fail again."""


class Aside(Generic[OutputT]):
    """An agent that is asked aside. Whoever made its model opens and closes it."""

    def __init__(
        self, agent: Agent[None, OutputT], model_name: str, accounts: Accounts | None
    ) -> None:
        """Without `accounts` nobody counts."""
        self._agent, self._model_name, self._accounts = agent, model_name, accounts

    async def ask(self, question: str, session_id: str | None) -> OutputT:
        """The model's answer. Raises ExtractionFailed, and Hopeless where trying again won't
        help."""
        usage, finished = RunUsage(), False
        try:
            result = await self._agent.run(question, usage=usage)
            finished = True
        except MODEL_ERRORS as error:
            failure = failure_of(error)
            _log.warning(
                f"{self._agent.name}_model_failed",
                model=self._model_name,
                kind=failure.kind,
                status=failure.status,
                remedy=failure.remedy,
                attempts_in=attempts_in(error),
            )
            kind = Hopeless if failure.permanent else ExtractionFailed
            raise kind(f"the model gave no {self._agent.name}: {failure.kind}") from error
        finally:
            if self._accounts and usage.requests and session_id:
                count = Usage.of(usage, finished=finished)
                self._accounts.note_extraction(session_id, count)
        return result.output
