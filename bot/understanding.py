"""What understands people: the model that the settings name, or the notebook, which stands in for
it. The notebook is imported only if it is needed: it holds the words of ten languages."""

from collections.abc import Sequence

from pydantic_ai.models import Model

from bot.models.catalogue import OFFLINE
from bot.models.extraction import ModelExtractor
from bot.models.review import ModelReviewer
from bot.models.writers import ModelSummarizer
from bot.people.accounts import Accounts
from bot.settings import Settings
from memory.conversation.window import points_back
from memory.memory import utc_now
from memory.records import Turn
from memory.safety.secrets import mask_secrets
from memory.search.query import parse
from memory.understanding import Extraction, LanguageRules, Reading, Understanding


def is_offline(settings: Settings) -> bool:
    """True if the notebook answers."""
    return settings.model in (None, OFFLINE)


def understanding_of(settings: Settings, model: Model, accounts: Accounts) -> Understanding:
    """What the memory needs; the model's calls count in the accounts."""
    if is_offline(settings):
        return _by_rules()
    stand_in = _StandIn()
    extractor = ModelExtractor(model, stand_in, accounts)
    return Understanding(
        extractor,
        ModelSummarizer(model, stand_in, accounts),
        corrector=extractor,
        reviewer=ModelReviewer(model, accounts) if settings.extraction_review else None,
    )


def notebook_model() -> Model:
    """The notebook as a model."""
    from bot.offline.notebook import offline_model

    return offline_model()


def warm_up(rules: LanguageRules) -> None:
    """Load words and compile expressions on a thread; otherwise the first message would block the
    event loop."""
    points_back("Hello")
    parse("Hello", utc_now())
    rules.meaning("I live here")
    mask_secrets("my PIN is 4711")


class _StandIn:
    """The notebook's rules, for a session that a model can't extract or summarize."""

    async def extract(self, reading: Reading) -> Extraction:
        return await _by_rules().extractor.extract(reading)

    async def summarize(self, turns: Sequence[Turn], earlier: str | None = None) -> str:
        return await _by_rules().summarizer.summarize(turns, earlier)


def _by_rules() -> Understanding:
    from bot.offline.understanding import by_rules

    return by_rules()
