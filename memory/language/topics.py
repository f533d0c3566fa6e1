"""What a session was about, without a model: the words that come most often, and those of what was
learned."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from memory.gate import MASK, mask_secrets
from memory.language.grammar import written_words
from memory.language.tables import LANGUAGES, language_of
from memory.ports import Proposal
from memory.records import Role, Turn, own_words
from memory.stopwords import CHATTER, STOP_WORDS

#: How many topics, how often a word must come to be one, and what a place in what was learned adds.
_TOPICS, _TIMES, _LEARNED = 5, 2, 1
_SHORTEST = 3

_SMALL = CHATTER.union(*STOP_WORDS.values(), *(each.stopwords | each.words for each in LANGUAGES))


def session_topics(turns: Sequence[Turn], learned: Iterable[Proposal]) -> tuple[str, ...]:
    """Up to five words or names of several, as they were written first; none in scripts that put
    no spaces between words, where a run of letters is no word."""
    counts: Counter[str] = Counter()
    written: dict[str, str] = {}
    for text in _said(turns):
        for topic in _candidates(mask_secrets(text).replace(MASK, " ")):
            counts[topic.casefold()] += 1
            written.setdefault(topic.casefold(), topic)
    for proposal in learned:
        named = (t for t in _candidates(proposal.text) if _names(t))
        counts.update({topic.casefold(): _LEARNED for topic in named})
    often = [word for word, count in counts.most_common() if count >= _TIMES and word in written]
    return tuple(written[word] for word in often[:_TOPICS])


def _said(turns: Sequence[Turn]) -> list[str]:
    messages = (m for turn in turns for m in turn.messages if m.role is Role.USER)
    return [text for m in messages if language_of(text := own_words(m.text)) is not None]


def _candidates(text: str) -> Iterator[str]:
    """The words that tell something; those of one name ("Acme Corp") together."""
    name: list[str] = []
    for word in written_words(text):
        if name and not (word[0].isupper() and f"{' '.join(name)} {word}" in text):
            yield " ".join(name)
            name = []
        if word[0].isupper() and _tells(word):
            name.append(word)
        elif _tells(word):
            yield word
    if name:
        yield " ".join(name)


def _tells(word: str) -> bool:
    return (
        len(word) >= _SHORTEST
        and word.casefold() not in _SMALL
        and any(c.isalpha() for c in word)
        and max(word) < "\u3040"
    )


def _names(word: str) -> bool:
    """Whether a word of something learned may be what it is about: a name, or a longer word."""
    return _tells(word) and (word[0].isupper() or len(word) > _SHORTEST + 2)
