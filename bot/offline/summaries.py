"""Summaries without a model: they quote instead of retelling, so that nothing is made up, and what
they quote can be read again."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

from bot.offline.grammar.courtesies import is_courtesy
from bot.offline.grammar.grammar import MAX_ADDRESSED, plain, sentences
from bot.offline.grammar.naming import asks_agent_name, naming
from bot.offline.grammar.questions import memory_question
from bot.offline.grammar.shapes import Language
from bot.offline.grammar.statements import is_off_record, noteworthy
from bot.offline.languages.tables import LANGUAGES, language_of
from bot.offline.learning import learned_from
from memory.background.threads import compute
from memory.conversation.tiers import quotable
from memory.records import Role, Turn, Utterance, own_words
from memory.safety.gate import MASK, mask_secrets

#: A summary quotes at most this many sentences of a sort, each at most this many characters.
_QUOTES = 4
_QUOTE_CHARS = 160
#: One of a session that goes on has more statements: nothing else tells what left the window. So
#: many take some 200 tokens, which is what a running summary may have.
_STATEMENTS = 20
#: An earlier summary is carried on up to this length, so that summaries of summaries stay short.
_EARLIER_CHARS = 400


class RuleSummarizer:
    """A `Summarizer` that quotes who said what."""

    async def summarize(self, turns: Sequence[Turn], earlier: str | None = None) -> str:
        """See `memory.ports.Summarizer`. Never raises ExtractionFailed."""
        # Long messages take longer than others want to wait.
        return await compute(_summary, turns, earlier)


def _summary(turns: Sequence[Turn], earlier: str | None) -> str:
    kept = own_quotes(earlier or "")
    told_and_asked = _told_and_asked(turns, kept, _STATEMENTS)
    told = " ".join(filter(None, told_and_asked)) or _opening(turns)
    # What was not quoted by the rules can only be carried on as it is.
    before = [_shorten(earlier, _EARLIER_CHARS)] if earlier and not kept else []
    return " ".join([*before, told])


def session_summary(turns: Sequence[Turn]) -> str | None:
    """What was stated in a session, and asked beside it; None if nothing was stated, because
    questions alone tell nothing of the person."""
    told, asked = _told_and_asked(turns)
    return " ".join(filter(None, (told, asked))) if told else None


def own_quotes(summary: str) -> tuple[str, ...]:
    """What a summary by these rules, or the gist that stands in for one, quotes of the person it is
    for, in order. Of what was cut, as much as is certainly whole."""
    quoted = (quote for told in _TOLD.finditer(summary) for quote in _QUOTE.findall(told["quotes"]))
    return tuple(filter(None, map(_whole_part, quoted)))


_TOLD = re.compile(
    r"(?:user \(\d+\): |{})(?P<quotes>“[^“”]*”(?:; “[^“”]*”)*)".format(
        "|".join(re.escape(each.phrases.you_said.split("{quotes}")[0]) for each in LANGUAGES)
    )
)
_QUOTE = re.compile("“([^“”]*)”")
_SENTENCE = re.compile(r".*[.!?。！？]")


def _whole_part(quote: str) -> str:
    if not quote.endswith("…"):
        return quote
    whole = _SENTENCE.match(quote.removesuffix("…"))
    return whole[0] if whole else ""


def _told_and_asked(
    turns: Sequence[Turn], kept: Sequence[str] = (), statements: int = _QUOTES
) -> tuple[str, str]:
    """One sentence on what was stated, some of it `kept` from before, and one on what was asked;
    either may be empty."""
    texts: dict[str | None, list[str]] = {None: [*kept]}
    for message in _by_users(turns):
        texts.setdefault(message.speaker.name if message.speaker else None, []).append(
            own_words(message.text)
        )
    language = language_of("\n".join(text for own in texts.values() for text in own))
    if language is None:
        return "", ""
    phrases = language.phrases
    current = {who: {p.text for p in learned_from(own)} for who, own in texts.items()}
    said = _by_speaker(turns, kept, language)
    told = {
        who: _statements(what, current[who], language, statements) for who, what in said.items()
    }
    asked = {who: _questions(what, language) for who, what in said.items()}
    return (
        _report(told, phrases.you_said, phrases.said),
        _report(asked, phrases.you_asked, phrases.asked),
    )


def _by_users(turns: Sequence[Turn]) -> list[Utterance]:
    return [message for turn in turns for message in turn.messages if message.role is Role.USER]


def _by_speaker(
    turns: Sequence[Turn], kept: Sequence[str], language: Language
) -> dict[str | None, list[str]]:
    # A quote is as it was typed: in another language "i" may be a word.
    verbatim = replace(language, spelling=())
    said: dict[str | None, list[str]] = {None: [*kept]}
    for message in _worth_telling(turns):
        quotable = (s for s in sentences(message.text, verbatim) if _may_be_quoted(s))
        said.setdefault(message.speaker.name if message.speaker else None, []).extend(quotable)
    return said


def _statements(
    said: Sequence[str], current: set[str], language: Language, statements: int
) -> list[str]:
    """The weightiest statements that still hold, in the order in which they were made, and few of
    the sentences that say nothing lasting."""
    weights: dict[str, int] = {}
    for sentence in said:
        found = noteworthy(sentence)
        weights.update({each.text: each.importance for each in found if each.text in current})
        if not found and not _asks(sentence, language):
            weights[sentence] = 0
    weightiest = sorted(weights, key=lambda text: weights[text], reverse=True)[:statements]
    chosen = {text for at, text in enumerate(weightiest) if weights[text] or at < _QUOTES}
    return [text for text in weights if text in chosen]


def _questions(said: Sequence[str], language: Language) -> list[str]:
    return [sentence for sentence in dict.fromkeys(said) if _asks(sentence, language)][:_QUOTES]


def _asks(sentence: str, language: Language) -> bool:
    """True if a sentence asks for something and states nothing lasting."""
    wish = sentence.endswith("?") or language.request.match(plain(sentence, language)) is not None
    return wish and not noteworthy(sentence)


def _report(by_speaker: dict[str | None, list[str]], you: str, other: str) -> str:
    """Quotes with their speaker: a name in a group, else the person that reads it."""
    return " ".join(
        (other if who else you).format(who=who, quotes=_quote_all(said))
        for who, said in by_speaker.items()
        if said
    )


def _worth_telling(turns: Sequence[Turn]) -> list[Utterance]:
    return [
        message
        for message in _by_users(turns)
        if not _small_talk(message.text) and not is_off_record(message.text)
    ]


def _may_be_quoted(sentence: str) -> bool:
    """True unless it is small talk or contains a secret, masked or not."""
    return not _small_talk(sentence) and MASK not in sentence and mask_secrets(sentence) == sentence


def _small_talk(text: str) -> bool:
    """True for what a summary omits: courtesies, commands and questions to the memory."""
    text = text.strip()
    if not _has_words(text) or text.startswith("/"):
        return True
    # A story is not small talk for a question in its midst; and to look for one takes long.
    return len(text) <= MAX_ADDRESSED and (
        is_courtesy(text)
        or any(language.chatter.match(text) for language in LANGUAGES)
        or memory_question(text) is not None
        or asks_agent_name(text)
        or naming(text) is not None
    )


def _quote_all(said: Iterable[str]) -> str:
    sentences = (quotable(sentence.strip(" .!…")) for sentence in dict.fromkeys(said))
    return "; ".join(f"“{_shorten(sentence, _QUOTE_CHARS)}”" for sentence in sentences)


def _shorten(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return text[: limit - 1].rsplit(None, 1)[0].rstrip(" ,;:") + "…"


def _opening(turns: Sequence[Turn]) -> str:
    """What remains to be said of a talk that no table understands: how the person's first messages
    began. Where they have no words to be quoted, how many messages there were."""
    users = (m.text for m in _by_users(turns) if not is_off_record(m.text))
    texts = (" ".join(mask_secrets(own_words(text)).split()) for text in users)
    first = islice(filter(_has_words, texts), _QUOTES)
    return _quote_all(first) or f"({sum(len(turn.messages) for turn in turns)})"


def _has_words(text: str) -> bool:
    return any(letter.isalnum() for letter in text)
