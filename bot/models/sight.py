"""The kinds of files that models can look at."""

from collections.abc import Iterable, Sequence

from pydantic_ai import BinaryContent, ModelMessage
from pydantic_ai.messages import UserPromptPart
from pydantic_ai.models import Model
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.profiles import ModelProfile, merge_profile

from bot.assistant.files import FileKind

#: The profile of a text-only model.
BLIND = ModelProfile(supports_image_input=False, supports_document_input=False)


def sight_of(model: Model) -> frozenset[FileKind]:
    """The kinds of files that a model, or any model of a chain, can look at, by its profile.

    A profile rules out what the library knows not to work. The library may not know a vendor's
    text-only model; then the vendor rejects the picture, and the person is told."""
    if isinstance(model, FallbackModel):
        return frozenset[FileKind]().union(*map(sight_of, model.models))
    profile, kinds = model.profile, set[FileKind]()
    if profile.get("supports_image_input", False):
        kinds.add(FileKind.PICTURE)
    types: Iterable[str] = profile.get("supported_document_media_types", ["application/pdf"])
    if profile.get("supports_document_input", False) and "application/pdf" in types:
        kinds.add(FileKind.PDF)
    return frozenset(kinds)


def file_kinds_in(messages: Sequence[ModelMessage]) -> frozenset[FileKind]:
    """The kinds of files in a request."""
    items = [
        item
        for message in messages
        for part in message.parts
        if isinstance(part, UserPromptPart) and not isinstance(part.content, str)
        for item in part.content
    ]
    files = [item for item in items if isinstance(item, BinaryContent)]
    return frozenset(FileKind.PICTURE if file.is_image else FileKind.PDF for file in files)


class ModelWithSight(WrapperModel):
    """A model for which the operator configured what it can look at."""

    def __init__(self, wrapped: Model, kinds: frozenset[FileKind]) -> None:
        super().__init__(wrapped)
        self._kinds = kinds

    @property
    def profile(self) -> ModelProfile:
        """The wrapped model's profile, with the configured kinds."""
        said = ModelProfile(
            supports_image_input=FileKind.PICTURE in self._kinds,
            supports_document_input=FileKind.PDF in self._kinds,
        )
        return merge_profile(self.wrapped.profile, said)
