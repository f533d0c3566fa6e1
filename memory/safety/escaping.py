"""Makes recalled text inert: one line that can't close its block or look like markup, a role or a
tool call, whoever wrote it.

Nothing visible is lost: dangerous characters become HTML entities, which `html.unescape` reverses;
only invisible ones are removed."""

import re
import unicodedata

#: Angle brackets, and what looks like them in one font or another.
LOOK_LIKE_BRACKETS = (
    "<>\uff1c\uff1e\ufe64\ufe65\u2039\u203a\u02c2\u02c3\u1438\u1433\u2329\u232a\u3008\u3009\u27e8"
    "\u27e9\u276c\u276d\u276e\u276f\u2770\u2771\u29fc\u29fd\ufe3f\ufe40\u226a\u226b\u2a7d\u2a7e"
    "\U0001f784\u276a\u276b"
)
_NAMED = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_ENTITIES = str.maketrans(
    {char: _NAMED.get(char, f"&#{ord(char)};") for char in f"&{LOOK_LIKE_BRACKETS}"}
)

#: `[INST]`, `[/TOOL_CALLS]`: some chat templates read them as control tokens inside of text, too.
#: The mask of secrets is none, and none begins with an article, as `[a photo]` does.
_TEMPLATE_TOKEN = re.compile(r"\[(?!hidden\])(/?\s*(?!an? )[A-Z][A-Z_ ]{2,}\s*)\]", re.IGNORECASE)
_MARKERS = re.compile(r"^(?:[^\S\n]*>)+[^\S\n]*", re.MULTILINE)
_FENCE = re.compile(r"`{3,}|~{3,}")
#: Joiners belong between letters of Indic and Arabic scripts and within emoji, nowhere else.
_STRAY_JOINER = re.compile(
    "(?<![^\x00-\u024f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\u024f\u200c\u200d])"
)
#: Characters without a look of their own that are letters or marks by category: fillers, and the
#: selectors of variants by which text can be smuggled into text.
_FILLERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\U000e0100-\U000e01ef]"
)
_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn"))
_JOINERS = "\u200c\u200d"

#: Maximum characters of a display name. Telegram allows 64 for each half of a name.
MAX_SPEAKER_LENGTH = 64

_NOT_IN_NAMES = frozenset("<>:[]{}|`~\\" + LOOK_LIKE_BRACKETS)
#: The roles of chat templates. A person with such a name gets parentheses.
_ROLES = frozenset(
    "system assistant user human ai bot model developer tool function claude gpt chatgpt".split()
)


def escape(text: str) -> str:
    """The text on one line, unable to close its block or to look like markup."""
    inert = one_line(text).translate(_ENTITIES)
    inert = _TEMPLATE_TOKEN.sub(r"&#91;\1&#93;", inert)
    return _FENCE.sub(lambda fence: f"&#{ord(fence[0][0])};" * len(fence[0]), inert)


def escape_lines(text: str) -> str:
    """Somebody else's text, escaped line by line; its indentation stays."""
    return "\n".join(map(_escape_line, text.splitlines())).strip("\n")


def quote(text: str, author: str | None = None) -> str:
    """Somebody else's words as lines that don't count as the sender's."""
    heading = [f"{' '.join(author.split())}:"] if author and author.strip() else []
    return "\n".join(f"> {line}".rstrip() for line in (*heading, *text.splitlines()))


def without_markers(text: str) -> str:
    """A message as people read it: without the marks of its quotations (see `quote`), however deep
    they go."""
    return _MARKERS.sub("", text)


def escape_quotations(text: str) -> str:
    """A message with its quotations (see `quote`) escaped: they are somebody else's
    words, names or files. What the sender typed stays as it is."""
    lines = text.split("\n")
    return "\n".join(f"> {_escape_line(it[2:])}" if it.startswith("> ") else it for it in lines)


def _escape_line(line: str) -> str:
    return " " * (len(line) - len(line.lstrip(" "))) + escape(line)


def one_line(text: str) -> str:
    """The text with every run of white space as one blank, and without invisible characters:
    controls, zero widths, reversed writing, halves of surrogates, unassigned characters."""
    folded = " ".join(text.split())
    if folded.isascii():
        return folded if folded.isprintable() else _without(folded)
    return " ".join(_without(_FILLERS.sub("", folded)).split())


def _without(text: str) -> str:
    seen = (c for c in text if c in _JOINERS or unicodedata.category(c) not in _UNSEEN)
    return _STRAY_JOINER.sub("", "".join(seen))


def is_blank(text: str) -> bool:
    """True if the text has only spaces and invisible marks."""
    return all(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zs", "Zl", "Zp") for c in text)


def speaker_name(speaker: str | None) -> str:
    """A display name that can safely precede a message: on one line, cut, and unable to look like
    another speaker's turn, a role or markup. Empty without a speaker."""
    plain = unicodedata.normalize("NFKC", one_line(speaker or ""))
    folded = "".join(c if c.isprintable() and c not in _NOT_IN_NAMES else " " for c in plain)
    name = " ".join(folded.split())[:MAX_SPEAKER_LENGTH].strip()
    return f"({name})" if name.casefold().strip(" #*_-.!") in _ROLES else name
