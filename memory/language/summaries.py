"""Summaries without a model: they quote instead of retelling, so that nothing is made up."""

from collections.abc import Callable, Iterable, Sequence

from memory.gate import MASK, mask_secrets
from memory.language.grammar import sentences
from memory.language.learning import learned
from memory.language.naming import asks_agent_name, naming
from memory.language.questions import is_greeting, is_thanks, memory_question
from memory.language.shapes import Language
from memory.language.statements import is_off_record, noteworthy
from memory.language.tables import LANGUAGES, language_of
from memory.records import Message, Role, Turn

#: A summary quotes at most this many sentences of a sort, each at most this many characters.
_QUOTES = 4
_QUOTE_CHARS = 120
#: An earlier summary is carried on up to this length, so that summaries of summaries stay short.
_EARLIER_CHARS = 400


class RuleSummarizer:
    """A `Summarizer` that quotes who said what."""

    async def summarize(self, turns: Sequence[Turn], earlier: str | None = None) -> str:
        """See `memory.ports.Summarizer`. Never raises ExtractionFailed."""
        told = " ".join(filter(None, _told_and_asked(turns))) or _opening(turns)
        before = [_shortened(earlier, _EARLIER_CHARS)] if earlier else []
        return " ".join([*before, told])


def session_summary(turns: Sequence[Turn]) -> str | None:
    """What was stated in a session, and asked beside it; None if nothing was stated, because
    questions alone tell nothing of the person."""
    told, asked = _told_and_asked(turns)
    return " ".join(filter(None, (told, asked))) if told else None


def _told_and_asked(turns: Sequence[Turn]) -> tuple[str, str]:
    """One sentence on what was stated and one on what was asked, either may be empty."""
    language = language_of("\n".join(turn.said for turn in turns))
    if language is None:
        return "", ""
    phrases, current = language.phrases, {proposal.text for proposal in learned(turns)}
    told = _by_speaker(turns, language, lambda said: _told(said, current, language))
    asked = _by_speaker(turns, language, lambda said: _asked(said, language))
    return (
        _reported(told, phrases.you_said, phrases.said),
        _reported(asked, phrases.you_asked, phrases.asked),
    )


def _by_speaker(
    turns: Sequence[Turn], language: Language, choose: Callable[[list[str]], list[str]]
) -> dict[str | None, list[str]]:
    said: dict[str | None, list[str]] = {}
    for message in _worth_telling(turns):
        quotable = (s for s in sentences(message.text, language) if _may_be_quoted(s))
        said.setdefault(message.speaker, []).extend(quotable)
    return {who: chosen for who, what in said.items() if (chosen := choose(what))}


def _told(said: Sequence[str], current: set[str], language: Language) -> list[str]:
    """The weightiest statements that still hold, in the order in which they were made."""
    weights: dict[str, int] = {}
    for sentence in said:
        found = noteworthy(sentence)
        weights.update({each.text: each.importance for each in found if each.text in current})
        if not found and not _asks(sentence, language):
            weights[sentence] = 0
    weightiest = sorted(weights, key=lambda text: weights[text], reverse=True)[:_QUOTES]
    return [text for text in weights if text in weightiest]


def _asked(said: Sequence[str], language: Language) -> list[str]:
    return [sentence for sentence in said if _asks(sentence, language)]


def _asks(sentence: str, language: Language) -> bool:
    """Whether a sentence wants something now, and says nothing that lasts."""
    wish = sentence.endswith("?") or language.request.match(sentence) is not None
    return wish and not noteworthy(sentence)


def _reported(by_speaker: dict[str | None, list[str]], you: str, other: str) -> str:
    """Quotes with their speaker: a name in a group, else the person that reads it."""
    return " ".join(
        (other if who else you).format(who=who, quotes=_quoted(said))
        for who, said in by_speaker.items()
    )


def _worth_telling(turns: Sequence[Turn]) -> list[Message]:
    return [
        message
        for turn in turns
        for message in turn.messages
        if message.role is Role.USER
        and not _small_talk(message.text)
        and not is_off_record(message.text)
    ]


def _may_be_quoted(sentence: str) -> bool:
    """No small talk, and nothing that holds a secret, masked or not."""
    return not _small_talk(sentence) and MASK not in sentence and mask_secrets(sentence) == sentence


def _small_talk(text: str) -> bool:
    """What a summary leaves out: courtesies, commands and questions to the memory itself."""
    text = text.strip()
    return (
        not any(letter.isalnum() for letter in text)
        or text.startswith("/")
        or is_greeting(text)
        or is_thanks(text)
        or any(language.chatter.match(text) for language in LANGUAGES)
        or memory_question(text) is not None
        or asks_agent_name(text)
        or naming(text) is not None
    )


def _quoted(said: Iterable[str]) -> str:
    chosen = list(dict.fromkeys(said))[:_QUOTES]
    return "; ".join(f"“{_shortened(sentence.strip(' .!…'), _QUOTE_CHARS)}”" for sentence in chosen)


def _shortened(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return text[: limit - 1].rsplit(None, 1)[0].rstrip(" ,;:") + "…"


def _opening(turns: Sequence[Turn]) -> str:
    """What remains to be said of a talk that no table understands: its length and first words."""
    count = sum(len(turn.messages) for turn in turns)
    texts = (mask_secrets(m.text) for turn in turns for m in turn.messages if m.text.strip())
    first = _shortened(" ".join(next(texts, "").split()), _QUOTE_CHARS)
    return f"({count}) “{first}”" if first else f"({count})"
