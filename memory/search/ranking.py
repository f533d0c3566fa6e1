"""How relevant a record is to a query: one formula, pure, the same for every store.

For each term of the query, a record scores

    idf(term) * tf * (k1 + 1) / (tf + k1)
    tf = [said in it] / (1 - b + b * length / average length)
         + head * [in its head] + before * [said before]

where `length` counts the different words of the record and `idf` tells how rare the term is in this
person's memory (Okapi BM25, with fields weighted before saturation). How often one message repeats
a word tells nothing. A related word may stand in for a term at `related` of its score. The sum is
divided by the idf of all terms of the query, found or not (a pair of letters that may lie across
two words and that nobody said: `torn` of it): so 1 means "all that was asked for, at ordinary
length", and 0.2 a fifth of it. Then

    * the assistant's messages count `assistant` of that, the user's and other people's all of it;
    * a record whose speaker is named in the query gains the share `named`, one told or set in a
      month that it names the share `dated`, and the same again if it names the very day; a query
      that names nothing but dates gives each record of those dates `date_alone`;
    * messages gain `neighbour` of the best score next to them and `session` of the best score in
      their session: an answer stands beside its question;
    * the share `recency` of the score fades by `decay` a month;
    * what was learned gains or loses up to the share `importance`, by how far its importance lies
      from the middle (5, which every message has).

The relevance of a hit is the score cut at 1. `docs/benchmarks.md` tells how the weights were
chosen."""

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from memory.search.query import Query, Term

#: The fields of a document that a word may be in, as one sum: the words of a person, the words of
#: the assistant, the head. A search looks at thousands of these within a few milliseconds.
OWN, REPLY, HEAD = 1, 2, 4
SAID = OWN | REPLY

#: How many messages before a message are its context: they tell what "yes, that one" is about.
CONTEXT = 2

#: For each index word that was looked up, the documents that hold it, and where.
Postings = Mapping[str, Mapping[int, int]]

_MONTH_SECONDS = 30 * 86_400

#: The importance, of 1 to 10, that changes nothing.
_MIDDLE = 5


@dataclass(frozen=True, slots=True)
class Weights:
    """The named weights of the formula above."""

    k1: float = 1.2
    b: float = 0.9
    head: float = 1.2
    before: float = 0.25
    related: float = 0.4
    torn: float = 0.3
    assistant: float = 0.4
    named: float = 1.0
    dated: float = 1.0
    date_alone: float = 0.5
    neighbour: float = 0.1
    session: float = 0.4
    recency: float = 0.1
    decay: float = 0.9
    importance: float = 0.1
    #: Records the world outside this memory is taken to hold: keeps idf sane when a person has few.
    background: int = 150
    #: No more documents than this are scored in full; the others match too little to come first.
    shortlist: int = 80


class Candidate(NamedTuple):
    """What the formula needs of a record besides its words. `length` counts its own words, `at` is
    in seconds since 1970. `context` is the earliest document of the conversation that leads up to
    it, or itself. `assistant` says that the assistant spoke. `session` is set for messages only:
    nothing else has neighbours. `importance` runs from 1 to 10."""

    length: int
    at: float
    context: int
    assistant: bool = False
    session: str | None = None
    importance: int = _MIDDLE


@dataclass(frozen=True, slots=True)
class Corpus:
    """The documents that are searched: their number, their average length in words, and whether
    they are messages, numbered in the order they were said."""

    size: int
    average_length: float
    spoken: bool = False


class Ranked(NamedTuple):
    """A document with its score: 1 means everything that was asked for; more is possible."""

    document: int
    relevance: float


class WeighedQuery:
    """A query, where the index has its words, and how much weight each word has."""

    def __init__(self, query: Query, postings: Postings, corpus: Corpus, weights: Weights) -> None:
        self.query = query
        self.postings = postings
        self.corpus = corpus
        self.weights = weights
        size = corpus.size + weights.background
        self._idfs = {
            word: math.log(1 + (size - len(places) + 0.5) / (len(places) + 0.5))
            for word, places in postings.items()
        }

    def rarity(self, word: str) -> float:
        """The idf of an index word: high if few records hold it, 0 if so many do that it was not
        looked up."""
        return self._idfs.get(word, 0.0)

    def demand(self, term: Term) -> float:
        """How much this term adds to the score that the query asks for."""
        most = max(map(self.rarity, term.exact))
        unknown = term.torn and not any(map(self.postings.get, term.exact))
        return self.weights.torn * most if unknown else most

    def stand_ins(self, term: Term) -> list[tuple[float, Mapping[int, int]]]:
        """For each word that counts as the term: its maximum score and where it is."""
        shares = [(word, 1.0) for word in term.exact]
        shares += [(word, self.weights.related) for word in term.related]
        found = [(word, share, self.postings.get(word)) for word, share in shares]
        return [(share * self.rarity(word), places) for word, share, places in found if places]


def shortlist(asked: WeighedQuery) -> Collection[int]:
    """The documents worth scoring: all matches, or those with the rarest words; among messages also
    those that follow them."""
    weights = asked.weights
    promise: dict[int, float] = {}
    for term in asked.query.terms:
        for score, places in asked.stand_ins(term):
            gains = _gains(score, weights)
            for document, fields in places.items():
                promise[document] = promise.get(document, 0.0) + gains[fields]
    for word in asked.query.dates:
        for document in asked.postings.get(word, ()):
            promise[document] = promise.get(document, 0.0) + weights.dated
    best = _best(promise, weights.shortlist)
    if not asked.corpus.spoken:
        return best
    followed = {document: promise[document] for document in best}
    for document in best:
        for later in range(document + 1, document + 1 + CONTEXT):
            known = followed.get(later) or promise.get(later, 0.0)
            followed[later] = known + weights.before * promise[document]
    return _best(followed, weights.shortlist)


def _best(promise: Mapping[int, float], count: int) -> Collection[int]:
    if len(promise) <= count:
        return promise.keys()
    return sorted(promise, key=promise.__getitem__, reverse=True)[:count]


def _gains(score: float, weights: Weights) -> list[float]:
    """The score that a word promises a document, by the fields it is in."""
    reply = score * weights.assistant
    return [reply if fields == REPLY else score for fields in range(OWN + REPLY + HEAD + 1)]


def rank(asked: WeighedQuery, candidates: Mapping[int, Candidate], now: float) -> list[Ranked]:
    """The candidates by relevance, best first; of equals, the newer first. `now` is in seconds
    since 1970."""
    weights = asked.weights
    scores = with_context(
        _weigh_heads(_score_words(asked, candidates), asked, candidates), candidates, weights
    )
    ranked = []
    for document, score in scores.items():
        at = candidates[document].at
        score *= freshness(now - at, weights) * weight(candidates[document], weights)
        ranked.append((score, at, document))
    ranked.sort(reverse=True)
    return [Ranked(document, score) for score, _, document in ranked]


def _score_words(asked: WeighedQuery, candidates: Mapping[int, Candidate]) -> dict[int, float]:
    """What the words alone say, as a share of all that was asked for."""
    sums: dict[int, float] = {}
    demand = 0.0
    weighing = _Weighing(candidates, asked.corpus, asked.weights)
    for term in asked.query.terms:
        demand += asked.demand(term)
        best: dict[int, float] = {}
        for most, places in asked.stand_ins(term):
            for document, share in weighing.shares(places):
                score = most * share
                if score > best.get(document, 0.0):
                    best[document] = score
        for document, score in best.items():
            sums[document] = sums.get(document, 0.0) + score
    scores = {document: score / (demand or 1.0) for document, score in sums.items()}
    if not asked.query.topical:
        for document in _match_heads(asked.query.dates, asked.postings, candidates):
            scores[document] = max(asked.weights.date_alone, scores.get(document, 0.0))
    return scores


class _Weighing:
    """How much of a word's score each candidate gets, by where it has the word."""

    def __init__(
        self, candidates: Mapping[int, Candidate], corpus: Corpus, weights: Weights
    ) -> None:
        self._weights = weights
        slope = weights.b / max(1.0, corpus.average_length)
        #: What one mention counts in each candidate: less if the candidate is long.
        self._mention = {
            document: 1 / (1 - weights.b + slope * candidate.length)
            for document, candidate in candidates.items()
        }
        #: For each document, the candidates that it comes right before.
        self._followers: dict[int, list[int]] = {}
        for document, candidate in candidates.items():
            for earlier in range(candidate.context, document):
                self._followers.setdefault(earlier, []).append(document)

    def shares(self, places: Mapping[int, int]) -> Iterator[tuple[int, float]]:
        """The candidates that have the word or come after it, each with its share."""
        k1, head, before = self._weights.k1, self._weights.head, self._weights.before
        followed = [d for d in self._followers.keys() & places.keys() if places[d] & SAID]
        after = {later for document in followed for later in self._followers[document]}
        for document in after | (self._mention.keys() & places.keys()):
            fields = places.get(document, 0)
            tf = self._mention[document] if fields & SAID else 0.0
            if fields & HEAD:
                tf += head
            if document in after:
                tf += before
            yield document, (k1 + 1) * tf / (tf + k1)


def _match_heads(words: Collection[str], postings: Postings, among: Collection[int]) -> set[int]:
    """The documents that have any of these words in their head."""
    return {
        document
        for word in words
        for document, fields in postings.get(word, {}).items()
        if fields & HEAD and document in among
    }


def _weigh_heads(
    scores: dict[int, float], asked: WeighedQuery, candidates: Mapping[int, Candidate]
) -> dict[int, float]:
    """The scores weighed by who spoke, and by whether the query names them or the day."""
    weights = asked.weights
    exact = [word for term in asked.query.terms for word in term.exact]
    named = _match_heads(exact, asked.postings, scores)
    dated = Counter(
        document
        for word in asked.query.dates
        for document in _match_heads((word,), asked.postings, scores)
    )
    weighed = {}
    for document, score in scores.items():
        if candidates[document].assistant:
            score *= weights.assistant
        gain = weights.named * (document in named) + weights.dated * dated[document]
        weighed[document] = score * (1 + gain)
    return weighed


def with_context(
    scores: dict[int, float], candidates: Mapping[int, Candidate], weights: Weights
) -> dict[int, float]:
    """The scores of messages, lifted by what their neighbours and their session score."""
    best: dict[str, float] = {}
    sessions = {document: candidates[document].session for document in scores}
    for document, session in sessions.items():
        if session is not None and scores[document] > best.get(session, 0.0):
            best[session] = scores[document]
    lifted = dict(scores)
    for document, session in sessions.items():
        if session is None:
            continue
        beside = 0.0
        for neighbour in (document - 1, document + 1):
            if sessions.get(neighbour) == session and scores[neighbour] > beside:
                beside = scores[neighbour]
        lifted[document] += weights.neighbour * beside + weights.session * best.get(session, 0.0)
    return lifted


def freshness(age: float, weights: Weights) -> float:
    """What remains of the score of something said `age` seconds ago, as a share."""
    months = max(0.0, age / _MONTH_SECONDS)
    return 1 - weights.recency * (1 - math.pow(weights.decay, months))


def weight(candidate: Candidate, weights: Weights) -> float:
    """What importance makes of a score, as a factor: 1 for the middle."""
    return 1 + weights.importance * (candidate.importance - _MIDDLE) / _MIDDLE
