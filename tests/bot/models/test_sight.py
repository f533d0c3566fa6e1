"""Which models are shown pictures and PDFs, and which are not asked about them."""

import pytest
from pydantic_ai import BinaryContent, ModelRequest
from pydantic_ai.exceptions import FallbackExceptionGroup
from pydantic_ai.messages import UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters

from bot.assistant.failures import (
    UNREACHABLE,
    CannotSee,
    attempts_in,
    failure_of,
)
from bot.assistant.files import FileKind
from bot.models.catalogue import ModelAccess, model_from_name
from bot.models.configured import models_of
from bot.models.fallback import ModelChain
from bot.models.sight import file_kinds_in, sight_of
from bot.offline.notebook import offline_model
from bot.settings import Settings
from tests.fakes.openai_server import OpenAIServer, refusing, text

BOTH = frozenset({FileKind.PICTURE, FileKind.PDF})
NOTHING = frozenset[FileKind]()
REQUEST = ModelRequest(
    parts=[UserPromptPart(["look", BinaryContent(b"\xff\xd8\xff", media_type="image/jpeg")])]
)


def of_ones_own(base_url: str = "http://127.0.0.1:9/v1", sees: frozenset[FileKind] | None = None):
    access = ModelAccess(base_url=base_url, api_key="right", attempts=1, sees=sees)
    return model_from_name("openai:small", access)


def test_the_notebook_sees_nothing() -> None:
    assert sight_of(offline_model()) == NOTHING


def test_a_vendors_model_sees_what_nobody_knows_it_can_not() -> None:
    assert sight_of(model_from_name("openai:gpt-4.1-mini", ModelAccess(api_key="k"))) == BOTH


def test_a_server_of_ones_own_sees_what_its_owner_says() -> None:
    assert sight_of(of_ones_own()) == NOTHING
    assert sight_of(of_ones_own(sees=frozenset({FileKind.PICTURE}))) == {FileKind.PICTURE}


def test_what_the_operator_says_counts_for_vendors_too() -> None:
    access = ModelAccess(api_key="k", sees=NOTHING)
    assert sight_of(model_from_name("openai:gpt-3.5-turbo", access)) == NOTHING


def test_the_setting_reaches_the_model() -> None:
    base = {"model": "openai:small", "model_base_url": "http://127.0.0.1:9/v1"}
    assert sight_of(models_of(Settings.model_validate(base), offline_model)) == NOTHING
    seeing = base | {"model_sees": ["images", "pdf"]}
    assert sight_of(models_of(Settings.model_validate(seeing), offline_model)) == BOTH
    chain = seeing | {"fallback_models": ["offline"]}
    assert sight_of(models_of(Settings.model_validate(chain), offline_model)) == BOTH


def test_a_request_is_seen_to_hold_files() -> None:
    assert file_kinds_in([REQUEST]) == {FileKind.PICTURE}
    assert file_kinds_in([ModelRequest(parts=[UserPromptPart("look")])]) == NOTHING


async def _answer(*models: Model) -> str | None:
    chain = ModelChain(models, 5)
    async with chain:
        response = await chain.request([REQUEST], None, ModelRequestParameters())
    return response.text


async def test_a_stand_in_that_can_not_see_is_not_asked() -> None:
    async with OpenAIServer() as seeing, OpenAIServer() as blind:
        seeing.script(text("A cat."))
        assert await _answer(of_ones_own(blind.base_url), of_ones_own(seeing.base_url, BOTH)) == (
            "A cat."
        )
        assert blind.requests == []


async def test_when_only_blind_ones_are_left_the_outage_is_what_counts() -> None:
    async with OpenAIServer() as seeing, OpenAIServer() as blind:
        seeing.script(refusing(503, "down"))
        with pytest.raises(FallbackExceptionGroup) as caught:
            await _answer(of_ones_own(seeing.base_url, BOTH), of_ones_own(blind.base_url))
        assert blind.requests == []
    assert failure_of(caught.value).user == UNREACHABLE.user
    assert isinstance(caught.value.exceptions[-1], CannotSee)
    assert attempts_in(caught.value)[-1] == "small: not asked, it can't look at files"
