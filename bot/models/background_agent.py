"""Model requests outside a turn: for findings, a summary, a greeting. Usage goes to the session's
account, failures go to the log."""

from typing import Generic, Literal, TypeVar

import structlog
from pydantic_ai import Agent, ModelSettings, NativeOutput, ToolOutput
from pydantic_ai.models import Model
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.usage import RunUsage

from bot.assistant.failures import MODEL_ERRORS, PassedFilters, attempts_in, failure_of
from bot.people.accounts import Accounts
from bot.people.usage import Usage
from memory.understanding import ExtractionFailed

_log = structlog.get_logger(__name__)

OutputT = TypeVar("OutputT")

_OPENAI = "://api.openai.com"


class PermanentFailure(ExtractionFailed):
    """The model will never accept this input (too long, or refused by its filter or server), so
    retrying is useless."""


def structured_agent(
    model: Model, name: str, instructions: str, answer: type[OutputT], tokens: int
) -> Agent[None, OutputT]:
    """An agent whose answers have this schema and at most so many tokens."""
    # Servers that support JSON schemas enforce them; on others, tool arguments are safer.
    models = model.models if isinstance(model, FallbackModel) else [model]
    native = all(m.profile.get("supports_json_schema_output", False) for m in models)
    # OpenAI itself enforces strict schemas only, which have no bounds of texts. Others enforce what
    # they get.
    strict = True if any(_OPENAI in (m.base_url or "") for m in models) else None
    return Agent(
        model,
        name=name,
        instructions=instructions,
        output_type=NativeOutput(answer, strict=strict) if native else ToolOutput(answer),
        model_settings=ModelSettings(
            max_tokens=tokens, temperature=0.0, framing_announcement="never"
        ),
        capabilities=[PassedFilters()],
        retries=1,
    )


class BackgroundAgent(Generic[OutputT]):
    """An agent for requests outside a turn. The caller opens and closes its model."""

    def __init__(
        self,
        agent: Agent[None, OutputT],
        model_name: str,
        accounts: Accounts | None,
        kind: Literal["extraction", "review"] = "extraction",
    ) -> None:
        """Without `accounts`, usage is not counted; with them, as this kind."""
        self._agent, self._model_name, self._accounts = agent, model_name, accounts
        self._kind: Literal["extraction", "review"] = kind

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
                self._accounts.note_learning(session_id, count, self._kind)
        return result.output
