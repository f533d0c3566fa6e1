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
#: person, of REPLY in the words of the assistant, of HEAD in the head, of BEFORE in what was said
#: before. A search looks at thousands of these within a few milliseconds.
OWN, REPLY, HEAD, BEFORE = 1, 1 << 20, 1 << 40, 1 << 50

#: For each index word, the documents that hold it, and where.
Postings = Mapping[str, Mapping[int, int]]

_MONTH_SECONDS = 30 * 86_400


@dataclass(frozen=True, slots=True)
class Weights:
    """The named weights of the formula above."""

    k1: float = 1.2
    b: float = 0.85
    head: float = 0.7
    before: float = 0.25
    related: float = 0.4
    assistant: float = 0.4
    named: float = 0.4
    dated: float = 0.4
    date_alone: float = 0.5
    neighbour: float = 0.2
    session: float = 0.2
    recency: float = 0.1
    decay: float = 0.9
    #: Records the world outside this memory is taken to hold: keeps idf sane when a person has few.
    background: int = 50
    #: No more documents than this are scored in full; the others match too little to come first.
    shortlist: int = 120


class Candidate(NamedTuple):
    """What the formula needs to know of a record beside its words. `length` counts its own words,
    `at` is in seconds since 1970. `assistant` says that the assistant spoke; `session` is set for
    messages only: nothing else has neighbours."""

    length: int
    at: float
    assistant: bool = False
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Corpus:
    """The documents a query is put to: how many there are, and their average length in words."""

    size: int
    average_length: float


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
        self._unseen = self._idf(0)
        self._idfs = {
            word: self._idf(sum(1 for counts in places.values() if counts % BEFORE))
            for word, places in postings.items()
        }

    def rarity(self, word: str) -> float:
        """The idf of an index word: high for one that few records hold themselves."""
        return self._idfs.get(word, self._unseen)

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
            for document, counts in places.items():
                gain = score * _strength(counts, weights)
                promise[document] = promise.get(document, 0.0) + gain
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


def _strength(counts: int, weights: Weights) -> float:
    """How much it says that a word is there, from the fields alone."""
    if counts % REPLY or counts % BEFORE >= HEAD:
        return 1.0
    return weights.assistant if counts % HEAD else weights.before


def _lexical(evidence: Evidence, candidates: Mapping[int, Candidate]) -> dict[int, float]:
    """What the words alone say, as a share of all that was asked for."""
    sums: dict[int, float] = {}
    asked = 0.0
    norms = _length_norms(candidates, evidence.corpus, evidence.weights)
    for term in evidence.query.terms:
        asked += max(map(evidence.rarity, term.exact))
        for document, score in _term_scores(term, evidence, norms).items():
            sums[document] = sums.get(document, 0.0) + score
    scores = {document: score / asked for document, score in sums.items()}
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


def _term_scores(term: Term, evidence: Evidence, norms: Mapping[int, float]) -> dict[int, float]:
    """The score of one term for each candidate that holds it, by the best of its words."""
    weights = evidence.weights
    best: dict[int, float] = {}
    for most, places in evidence.stand_ins(term):
        full = most * (weights.k1 + 1)
        for document in places.keys() & norms.keys():
            counts = places[document]
            tf = (counts % REPLY + counts % HEAD // REPLY) / norms[document]
            if counts >= HEAD:
                tf += weights.before * (counts >= BEFORE) + weights.head * (counts % BEFORE >= HEAD)
            score = full * tf / (tf + weights.k1)
            if score > best.get(document, 0.0):
                best[document] = score
    return best


def _heads(words: Collection[str], postings: Postings, among: Collection[int]) -> set[int]:
    """The documents that have any of these words in their head."""
    return {
        document
        for word in words
        for document, counts in postings.get(word, {}).items()
        if counts % BEFORE >= HEAD and document in among
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
        lifted[document] += weights.neighbour * beside + weights.session * best[session]
    return lifted


def _freshness(age: float, weights: Weights) -> float:
    months = max(0.0, age / _MONTH_SECONDS)
    return 1 - weights.recency * (1 - math.pow(weights.decay, months))
