"""How good the estimate of tokens is, beside real tokenizers:

    python -m tests.benchmarks.tokens VOCABULARY... --data FILE...

A vocabulary is a file as tiktoken has them (`cl100k_base.tiktoken`); data are as `mordecai eval
recall` reads them. Printed for each pair: how many times the true number the estimate says, at the
start and after a hundred requests of a window that moves through the same data; and which share of
texts of about two hundred tokens it says too little for, which should be none."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import tiktoken
from tiktoken.load import load_tiktoken_bpe

from bot.evals.recall import read_dialogues
from memory.conversation.tokens import Tokens, estimate_tokens

_SPLIT = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
#: What every request has besides its conversation, in tokens; and each of its messages.
_OVERHEAD, _MESSAGE = 900, 4
_TURNS = 100
_WINDOW = 20

Count = Callable[[str], int]


def tokenizer(path: Path) -> Count:
    """A real count, by a vocabulary of byte pairs."""
    ranks = load_tiktoken_bpe(str(path))
    encoding = tiktoken.Encoding(
        path.stem, pat_str=_SPLIT, mergeable_ranks=ranks, special_tokens={}
    )
    return lambda text: len(encoding.encode_ordinary(text))


def blocks(texts: Sequence[str]) -> Iterator[str]:
    """The texts joined to pieces of about two hundred tokens, the size of most budgets."""
    block = ""
    for text in texts:
        block = f"{block} {text}"
        if estimate_tokens(block) > 200:
            yield block
            block = ""


def calibrated(texts: Sequence[str], count: Count) -> Tokens:
    """The estimate after a long conversation of these texts."""
    tokens = Tokens()
    tokens.observe("model", ["Hi"], _OVERHEAD)
    for turn in range(_TURNS):
        size = 2 * turn % (_WINDOW + 1)
        window = [texts[(turn + place) % len(texts)] for place in range(size)]
        taken = _OVERHEAD + count("\n".join(window)) + _MESSAGE * len(window)
        tokens.observe("model", window, taken)
    return tokens


def said_of(pieces: Sequence[str], count: Count, estimate: Count) -> str:
    """An estimate beside the truth, as one cell."""
    ratio = sum(map(estimate, pieces)) / sum(map(count, pieces))
    low = sum(estimate(piece) < count(piece) for piece in pieces) / len(pieces)
    return f"{ratio:.2f}, low {low:.0%}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("vocabularies", nargs="+", type=Path)
    parser.add_argument("--data", nargs="+", type=Path, required=True)
    arguments = parser.parse_args()
    for data in arguments.data:
        turns = (turn for conversation in read_dialogues(data) for turn in conversation.turns)
        texts = [turn.messages[0].text for turn in turns][:2000]
        pieces = list(blocks(texts))
        for vocabulary in arguments.vocabularies:
            count = tokenizer(vocabulary)
            learned = calibrated(texts, count).count
            first, later = (said_of(pieces, count, each) for each in (estimate_tokens, learned))
            print(f"{data.name} | {vocabulary.name} | {first} | {later}")


if __name__ == "__main__":
    main()
