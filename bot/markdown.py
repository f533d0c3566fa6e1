"""Parses Markdown as models write it. Pure.

The parser is markdown-it-py's CommonMark with tables and strikethrough. HTML is no markup, so
`List<String>` is text; math stays as it is written, as no client shows it otherwise, and so does
`2*3*4`; reference definitions are text, so that a list of sources is not swallowed; and a line of
dashes under a paragraph is a rule, so that it does not make a heading of all of it."""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

#: Deeper nesting is not meant as formatting, and the parser would drop its content.
_DEEPEST = 50
#: What is worth a link.
_LINK = re.compile(r"(?:https?://|tg://|mailto:)\S", re.IGNORECASE)
_MATH = re.compile(
    r"\$\$[^$]{1,2000}\$\$"
    r"|\\\((?:[^\\]|\\(?!\))){1,1000}\\\)"
    r"|\\\[(?:[^\\]|\\(?!\])){1,2000}\\\]"
    # Pandoc's rule: no space inside the dollars and no digit after them, so that prices are none.
    r"|\$(?![\s$])[^$`\n]{0,300}(?<!\s)(?<!\$)\$(?!\d)"
)
_MATH_ENDS = {"$$": "$$", "\\[": "\\]"}
#: A product or a power, as in "2*3*4", "(a+b)*(c+d)*e" and "2**3**4".
_TIMES = re.compile(r"(?<=[0-9A-Za-z)\]])\*(?=[0-9A-Za-z(])|(?<=[0-9)])\*\*(?=[0-9A-Za-z(])")
#: A name of Python's, as in "__init__.py", "__str__()" and "a.__name__".
_DUNDER = re.compile(r"__[a-z]\w{0,40}?__(?=\(|\.\w)|(?<=\w\.)__[a-z]\w{0,40}?__(?!\w)")


class _Parser(MarkdownIt):
    def __init__(self) -> None:
        super().__init__("commonmark", {"html": False, "maxNesting": _DEEPEST})
        self.enable(["table", "strikethrough"])
        self.disable(["reference", "lheading"])
        self.inline.ruler.before("escape", "math", _math)
        self.inline.ruler.before("emphasis", "literal", _literal)
        interrupted = {"alt": ["paragraph", "blockquote", "list"]}
        self.block.ruler.before("fence", "math", _math_block, interrupted)  # type: ignore[arg-type]

    def validateLink(self, url: str) -> bool:  # noqa: N802 - the parser's own name
        """Leave text that is no usable link as it is."""
        return bool(_LINK.match(url))


def _math(state: StateInline, silent: bool) -> bool:
    found = _MATH.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.push("text", "", 0).content = found.group()
    state.pos = found.end()
    return True


def _literal(state: StateInline, silent: bool) -> bool:
    """Stars and underscores within words that are no marks, although CommonMark takes them for
    some."""
    times = _TIMES.match(state.src, state.pos, state.posMax)
    if times and _is_begun(state, len(times.group())):
        return False
    found = times or _DUNDER.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.push("text", "", 0).content = found.group()
    state.pos = found.end()
    return True


def _is_begun(state: StateInline, stars: int) -> bool:
    """True if this many stars have opened something that is still open."""
    same = [d for d in state.delimiters if d.marker == ord("*") and d.length == stars]
    return len(same) // stars % 2 == 1


def _math_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    first = _line(state, start)
    closing = _MATH_ENDS.get(first[:2])
    if closing is None or state.is_code_block(start):
        return False
    last = start
    ending = first[2:]
    while not ending.endswith(closing):
        last += 1
        if closing in ending or last >= end or state.sCount[last] < state.blkIndent:
            return False
        ending = _line(state, last)
    if not silent:
        token = state.push("math_block", "", 0)
        token.content = "\n".join(_line(state, line) for line in range(start, last + 1))
        state.line = last + 1
    return True


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip()


_PARSER = _Parser()


def parse_markdown(source: str) -> list[Token] | None:
    """The tokens of a Markdown text; None if it is nested too deep. Math in a block of its own is a
    token `math_block`."""
    tokens = _PARSER.parse(source)
    return None if any(token.level >= _DEEPEST - 1 for token in tokens) else tokens


def open_fence(source: str) -> str:
    """The line that opens the code block in which a Markdown text ends; empty if it ends outside of
    one."""
    lines = source.rstrip().split("\n")
    fences = [token for token in _PARSER.parse("\n".join(lines)) if token.type == "fence"]
    fence = fences[-1] if fences else None
    if fence is None or fence.map is None or fence.map[1] < len(lines):
        return ""
    is_closed = len(lines) - fence.map[0] > 1 and _fence_lines(fence.markup, lines[-1]) == [""]
    return "" if is_closed else f"{fence.markup}{fence.info}".rstrip()


class Continuation:
    """The rest of a text that broke off within a code block: its `fence` is opened again, unless
    the rest does so."""

    def __init__(self, fence: str) -> None:
        self._fence, self._held, self._begun = fence, "", not fence

    def piece(self, text: str) -> str:
        """The next piece; empty until it is known what the rest begins with."""
        if self._begun:
            return text
        self._held += text
        start = self._held.lstrip()
        self._begun = bool(start) and (start[0] not in "`~" or "\n" in start)
        return self.whole(self._held) if self._begun else ""

    def whole(self, text: str) -> str:
        """All of the rest."""
        if not self._fence:
            return text
        info, start = self._fence.lstrip("`~"), text.lstrip("\n")
        mark = self._fence.removesuffix(info)
        fences = _fence_lines(mark, start)
        closes_at_once = _fence_lines(mark, start.partition("\n")[0]) == [""]
        if (fences and fences[0]) or (closes_at_once and len(fences) % 2 == 0):
            return text
        if closes_at_once:
            return start.partition("\n")[2].lstrip("\n")
        return f"{self._fence}\n{start}"


def _fence_lines(mark: str, text: str) -> list[str]:
    """What follows the mark in each line that opens or closes a code block with it."""
    found = re.findall(rf"^[ \t>]*{mark}{mark[0]}*([^`\n]*)$", text, re.MULTILINE)
    return [info.strip() for info in found]
