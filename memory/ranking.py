"""How relevant a record is to a query: one formula, pure, the same for every store.

For each term of the query, a record scores

    idf(term) * tf * (k1 + 1) / (tf + k1)
    tf = own / (1 - b + b * length / average length) + head * [in its head] + before * [said before]

where `own` counts the term in the record's own words and `idf` tells how rare the term is in this
person's memory (Okapi BM25, with fields weighted before saturation). A related word may stand in
for a term at `related` of its score. The sum is divided by the idf of all terms of the query, found
or not: so 1 means "all that was asked for, at ordinary length", and 0.2 a fifth of it. Then

    * the assistant's messages count `assistant` of that, the user's and other people's all of it;
    * a record whose speaker is named in the query gains the share `named`, one told or set in a
      month that it names the share `dated`, and the same again if it names the very day; a query
      that names nothing but dates gives each record of those dates `date_alone`;
    * messages gain `neighbour` of the best score next to them and `session` of the best score in
      their session: an answer stands beside its question;
    * the share `recency` of the score fades by `decay` a month.

The relevance is the score cut at 1. `docs/benchmarks.md` tells how the weights were chosen."""

import math
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from memory.query import Query, Term

#: Where a word is in one document, and how often, in one number: in units of OWN in the words of a
#: person, of REPLY in the words of the assistant, of HEAD in the head. A search looks at thousands
#: of these within a few milliseconds.
OWN, REPLY, HEAD = 1, 1 << 20, 1 << 40

#: How many messages before a message are its context: they tell what "yes, that one" is about.
CONTEXT = 2

#: For each index word that was looked up, the documents that hold it, and where.
Postings = Mapping[str, Mapping[int, int]]

_MONTH_SECONDS = 30 * 86_400


@dataclass(frozen=True, slots=True)
class Weights:
    """The named weights of the formula above."""

    k1: float = 1.2
    b: float = 0.9
    head: float = 1.2
    before: float = 0.25
    related: float = 0.4
    assistant: float = 0.4
    named: float = 1.0
    dated: float = 1.0
    date_alone: float = 0.5
    neighbour: float = 0.1
    session: float = 0.4
    recency: float = 0.1
    decay: float = 0.9
    #: Records the world outside this memory is taken to hold: keeps idf sane when a person has few.
    background: int = 150
    #: No more documents than this are scored in full; the others match too little to come first.
    shortlist: int = 120


class Candidate(NamedTuple):
    """What the formula needs to know of a record beside its words. `length` counts its own words,
    `at` is in seconds since 1970. `context` is the earliest document of what was said up to it:
    itself, if nothing before it belongs to it. `assistant` says that the assistant spoke. `session`
    is set for messages only: nothing else has neighbours."""

    length: int
    at: float
    context: int
    assistant: bool = False
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Corpus:
    """The documents a query is put to: how many there are, their average length in words, and
    whether they are messages, numbered in the order in which they were said."""

    size: int
    average_length: float
    spoken: bool = False


class Ranked(NamedTuple):
    """A document with its relevance, 0 to 1."""

    document: int
    relevance: float


class Evidence:
    """A query with all that the index knows of its words, and how much each word tells."""

    def __init__(self, query: Query, postings: Postings, corpus: Corpus, weights: Weights) -> None:
        self.query = query
        self.postings = postings
        self.corpus = corpus
        self.weights = weights
        self._idfs = {word: self._idf(len(places)) for word, places in postings.items()}

    def rarity(self, word: str) -> float:
        """The idf of an index word: high for one that few records hold themselves, 0 for one that
        so many hold that it was not even looked up."""
        return self._idfs.get(word, 0.0)

    def stand_ins(self, term: Term) -> list[tuple[float, Mapping[int, int]]]:
        """For each word that counts as the term: at what score at best, and where it is."""
        shares = [(word, 1.0) for word in term.exact]
        shares += [(word, self.weights.related) for word in term.related]
        found = [(word, share, self.postings.get(word)) for word, share in shares]
        return [(share * self.rarity(word), places) for word, share, places in found if places]

    def _idf(self, holders: int) -> float:
        size = self.corpus.size + self.weights.background
        return math.log(1 + (size - holders + 0.5) / (holders + 0.5))


def shortlist(evidence: Evidence) -> Collection[int]:
    """The documents worth scoring: all that match, or those that match the rarest words."""
    weights = evidence.weights
    promise: dict[int, float] = {}
    for term in evidence.query.terms:
        for score, places in evidence.stand_ins(term):
            passing = score * weights.before
            reply = max(score * weights.assistant, passing)
            for document, counts in places.items():
                gain = reply if REPLY <= counts < HEAD else score
                promise[document] = promise.get(document, 0.0) + gain
                if evidence.corpus.spoken and counts % HEAD:
                    for later in range(document + 1, document + 1 + CONTEXT):
                        promise[later] = promise.get(later, 0.0) + passing
    for word in evidence.query.dates:
        for document in evidence.postings.get(word, ()):
            promise[document] = promise.get(document, 0.0) + weights.dated
    if len(promise) <= weights.shortlist:
        return promise.keys()
    return sorted(promise, key=promise.__getitem__, reverse=True)[: weights.shortlist]


def rank(evidence: Evidence, candidates: Mapping[int, Candidate], now: float) -> list[Ranked]:
    """The candidates by relevance, best first; of equals, the newer first. `now` is in seconds
    since 1970."""
    weights = evidence.weights
    scores = _with_context(
        _standing(_lexical(evidence, candidates), evidence, candidates), candidates, weights
    )
    ranked = []
    for document, score in scores.items():
        at = candidates[document].at
        ranked.append((score * _freshness(now - at, weights), at, document))
    ranked.sort(reverse=True)
    return [Ranked(document, min(1.0, score)) for score, _, document in ranked]


def _lexical(evidence: Evidence, candidates: Mapping[int, Candidate]) -> dict[int, float]:
    """What the words alone say, as a share of all that was asked for."""
    sums: dict[int, float] = {}
    asked = 0.0
    norms = _length_norms(candidates, evidence.corpus, evidence.weights)
    for term in evidence.query.terms:
        asked += max(map(evidence.rarity, term.exact))
        for document, score in _term_scores(term, evidence, candidates, norms).items():
            sums[document] = sums.get(document, 0.0) + score
    scores = {document: score / (asked or 1.0) for document, score in sums.items()}
    if not evidence.query.topical:
        for document in _heads(evidence.query.dates, evidence.postings, candidates):
            scores[document] = max(evidence.weights.date_alone, scores.get(document, 0.0))
    return scores


def _length_norms(
    candidates: Mapping[int, Candidate], corpus: Corpus, weights: Weights
) -> dict[int, float]:
    """By how much a count shrinks in each document because the document is long."""
    slope = weights.b / max(1.0, corpus.average_length)
    return {d: 1 - weights.b + slope * candidate.length for d, candidate in candidates.items()}


def _term_scores(
    term: Term,
    evidence: Evidence,
    candidates: Mapping[int, Candidate],
    norms: Mapping[int, float],
) -> dict[int, float]:
    """The score of one term for each candidate that has it, or has it in its context, by the best
    of the words that count as the term."""
    weights = evidence.weights
    best: dict[int, float] = {}
    for most, places in evidence.stand_ins(term):
        full = most * (weights.k1 + 1)
        known = places.keys()
        for document, norm in norms.items():
            context = candidates[document].context
            if known.isdisjoint(range(context, document + 1)):
                continue
            counts = places.get(document, 0)
            tf = (counts % REPLY + counts % HEAD // REPLY) / norm
            if counts >= HEAD:
                tf += weights.head
            for earlier in range(context, document):
                if earlier in places and places[earlier] % HEAD:
                    tf += weights.before
                    break
            if tf:
                best[document] = max(full * tf / (tf + weights.k1), best.get(document, 0.0))
    return best


def _heads(words: Collection[str], postings: Postings, among: Collection[int]) -> set[int]:
    """The documents that have any of these words in their head."""
    return {
        document
        for word in words
        for document, counts in postings.get(word, {}).items()
        if counts >= HEAD and document in among
    }


def _standing(
    scores: dict[int, float], evidence: Evidence, candidates: Mapping[int, Candidate]
) -> dict[int, float]:
    """The scores weighed by who spoke, and by whether the query names them or the day."""
    weights = evidence.weights
    exact = [word for term in evidence.query.terms for word in term.exact]
    named = _heads(exact, evidence.postings, scores)
    dated = Counter(
        document
        for word in evidence.query.dates
        for document in _heads((word,), evidence.postings, scores)
    )
    weighed = {}
    for document, score in scores.items():
        if candidates[document].assistant:
            score *= weights.assistant
        gain = weights.named * (document in named) + weights.dated * dated[document]
        weighed[document] = score * (1 + gain)
    return weighed


def _with_context(
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


def _freshness(age: float, weights: Weights) -> float:
    months = max(0.0, age / _MONTH_SECONDS)
    return 1 - weights.recency * (1 - math.pow(weights.decay, months))
