"""A text that broke off within a code block goes on within it."""

import pytest

from bot.markdown import Continuation, open_fence


@pytest.mark.parametrize(
    ("text", "fence"),
    [
        ("See:\n\n```python\nprint(1)\nprint(", "```python"),
        ("```python", "```python"),
        ("Text\n\n```", "```"),
        ("~~~~ sh\nls\n```\n~~~", "~~~~ sh"),
        ("1. Do\n   ```sh\n   ls", "```sh"),
        ("```\na\n```\n\n```js\nb", "```js"),
        ("```\na\n```", ""),
        ("```\na\n```\n\nThat was it", ""),
        ("1. Do\n   ```sh\n   ls\n   ```", ""),
        ("Use ```x``` and", ""),
        ("", ""),
    ],
)
def test_the_code_block_that_is_open_is_known(text: str, fence: str) -> None:
    assert open_fence(text) == fence


@pytest.mark.parametrize(
    ("rest", "shown"),
    [
        ("print(2)\n```\n\nThat was **it**.", "```py\nprint(2)\n```\n\nThat was **it**."),
        ("    print(2)", "```py\n    print(2)"),
        ("```py\nprint(2)\n```\nDone", "```py\nprint(2)\n```\nDone"),
        ("```\nprint(2)\n```\nDone", "```\nprint(2)\n```\nDone"),
        ("```\n\nThat was **it**.", "That was **it**."),
        ("`x`\n```\nDone", "```py\n`x`\n```\nDone"),
    ],
)
def test_the_rest_opens_the_block_again_unless_it_does_so_itself(rest: str, shown: str) -> None:
    assert Continuation("```py").whole(rest) == shown
    assert Continuation("").whole(rest) == rest


@pytest.mark.parametrize("rest", ["a = 1\n```\nDone", "```py\na\n```\nDone", "```\n\nDone"])
def test_a_rest_that_comes_in_pieces_is_the_same(rest: str) -> None:
    continuation = Continuation("```py")
    assert "".join(map(continuation.piece, rest)).strip() == Continuation("```py").whole(rest)
