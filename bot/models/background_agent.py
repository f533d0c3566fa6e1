"""Model requests outside a turn: for findings, a summary, a greeting. Usage goes to the session's
account, failures go to the log."""

from typing import Generic, TypeVar

import structlog
from pydantic_ai import Agent
from pydantic_ai.usage import RunUsage

from bot.assistant.failures import MODEL_ERRORS, attempts_in, failure_of
from bot.people.usage import Accounts, Usage
from memory.ports import ExtractionFailed

_log = structlog.get_logger(__name__)

OutputT = TypeVar("OutputT")


class PermanentFailure(ExtractionFailed):
    """The model will never accept this input (too long, or refused by its filter or server), so
    retrying is useless."""


class BackgroundAgent(Generic[OutputT]):
    """An agent for requests outside a turn. The caller opens and closes its model."""

    def __init__(
        self, agent: Agent[None, OutputT], model_name: str, accounts: Accounts | None
    ) -> None:
        """Without `accounts`, usage is not counted."""
        self._agent, self._model_name, self._accounts = agent, model_name, accounts

    async def ask(self, question: str, session_id: str | None) -> OutputT:
        """The model's answer. Raises ExtractionFailed, and PermanentFailure if retrying is
        useless."""
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
            kind = PermanentFailure if failure.permanent else ExtractionFailed
            raise kind(f"the model gave no {self._agent.name}: {failure.kind}") from error
        finally:
            if self._accounts and usage.requests and session_id:
                count = Usage.of(usage, finished=finished)
                self._accounts.note_extraction(session_id, count)
        return result.output
