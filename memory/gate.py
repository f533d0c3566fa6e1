"""The write gate: what may become a record at all, and with which parts masked."""

import re
from dataclasses import replace

from memory.errors import RefusedText
from memory.records import ToolUse, Turn

#: A fact is a sentence or two; what is longer is a document.
MAX_RECORD_LENGTH = 1000

#: What stands where a secret was.
MASK = "[hidden]"
_SECRETS = (
    re.compile(r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_A-Za-z0-9]{16,}"),
    re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    re.compile(r"\bgh[pousr]_[A-Za-z0-9]{20,}"),
    re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10,}"),
    re.compile(r"\b\d{6,12}:[A-Za-z0-9_-]{30,}"),
    re.compile(r"\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}"),
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*", re.DOTALL),
)
#: "my password is hunter2": the word says that what follows is a secret, in several languages.
_NAMED_SECRET = re.compile(
    r"(?P<name>\b(?:password|passcode|passphrase|pin(?: code)?|cvv|secret key|api[ -]?key|token|"
    r"пароль|пин-?код|passwort|kennwort|contraseña|clave|senha|mot de passe|parola d'ordine)\b"
    r"[^.\n]{0,40}?(?:\bis\b|\bist\b|\bes\b|\bé\b|\best\b|\bè\b|[:=—-])\s*[\"'“«]?)"
    r"(?P<value>\S*[^\s.,;:!?\"'“”«»)])",
    re.IGNORECASE,
)
_CARD = re.compile(r"\b\d(?:[ -]?\d){12,18}\b")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")


def admit(text: str) -> str:
    """The text as it may be stored: on one line, without control characters, secrets masked.
    Raises RefusedText when nothing sensible is left, or when it is too long for a memory."""
    folded = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if not any(c.isalnum() for c in folded):
        raise RefusedText("there is nothing to remember in an empty text")
    if len(folded) > MAX_RECORD_LENGTH:
        raise RefusedText(
            f"a memory has at most {MAX_RECORD_LENGTH} characters, this one has {len(folded)}: "
            "say what matters in a sentence or two"
        )
    return mask_secrets(folded)


def mask_secrets(text: str) -> str:
    """The text with keys, passwords and card numbers replaced by a mark."""
    for pattern in _SECRETS:
        text = pattern.sub(MASK, text)
    text = _NAMED_SECRET.sub(lambda m: m["name"] + MASK, text)
    text = _CARD.sub(lambda m: MASK if _luhn(m[0]) else m[0], text)
    return _IBAN.sub(lambda m: MASK if _mod_97(m[0]) else m[0], text)


def masked(turn: Turn) -> Turn:
    """The turn as it may be written down: with the secrets in its texts masked."""
    messages = tuple(replace(message, text=mask_secrets(message.text)) for message in turn.messages)
    tools = tuple(
        ToolUse(use.name, mask_secrets(use.arguments), mask_secrets(use.result))
        for use in turn.tools
    )
    return replace(turn, messages=messages, tools=tools)


def _luhn(number: str) -> bool:
    """Whether a number's check digit is right (ISO/IEC 7812-1), as every payment card's is."""
    digits = [int(c) for c in reversed(number) if c.isdigit()]
    doubled = [d if i % 2 == 0 else (d * 2 - 9 if d > 4 else d * 2) for i, d in enumerate(digits)]
    return sum(doubled) % 10 == 0


def _mod_97(iban: str) -> bool:
    """Whether an account number's check digits are right (ISO 13616)."""
    plain = iban.replace(" ", "")
    digits = "".join(str(int(c, 36)) for c in plain[4:] + plain[:4])
    return int(digits) % 97 == 1
