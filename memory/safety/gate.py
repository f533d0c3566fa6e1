"""The write gate: what may become a record at all, and which parts are masked."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from memory.errors import Refusal, RefusedText
from memory.records import ToolUse, Turn
from memory.search.lexicon.lexicon import Secrets, Words, lexicons, secret_names

#: A fact is a sentence or two; a longer text is a document.
MAX_RECORD_LENGTH = 1000


def admit(text: str) -> str:
    """The text as it may be stored: on one line, without control characters, secrets masked. Raises
    RefusedText if nothing meaningful is left, if it is too long for a record, or if it gives the
    assistant orders."""
    folded = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if not any(c.isalnum() for c in folded):
        raise RefusedText("there is nothing to remember in an empty text", Refusal.EMPTY)
    if len(folded) > MAX_RECORD_LENGTH:
        raise RefusedText(
            f"a memory has at most {MAX_RECORD_LENGTH} characters, this one has {len(folded)}: "
            "say what matters in a sentence or two",
            Refusal.LONG,
        )
    if is_instruction(text):
        raise RefusedText(
            "this reads as an order about the assistant's own rules: a memory says something about "
            "a person, or how they wish to be spoken to",
            Refusal.ORDER,
        )
    return mask_secrets(folded)


def mask_turn(turn: Turn) -> Turn:
    """The turn with all secrets in its texts masked, as it may be stored."""
    messages = tuple(replace(message, text=mask_secrets(message.text)) for message in turn.messages)
    tools = tuple(
        ToolUse(use.name, mask_secrets(use.arguments), mask_secrets(use.result))
        for use in turn.tools
    )
    return replace(turn, messages=messages, tools=tools)


# Orders to the assistant. The rule for what is to be stored, and read by a model from then on:
#
# - Kept: statements, and wishes on how to be spoken to, also as an imperative: "Always answer
#   briefly", "Remember to always call me Anna", "Don't use emojis".
# - Refused: what speaks of the assistant's instructions, rules, prompt or limits in order to have
#   them ignored, changed or told; what obliges the assistant in the second person ("you must
#   always …"); what puts it into another mode or gives somebody rights; what wants things hidden
#   from the user, links in every answer, tools called; and marks of the machinery: roles with a
#   colon, tokens of chat templates, tags.
#
# It is a net, not a proof: recalled text stays escaped, delimited data whatever this lets through.

_RULES = (
    r"(?:instructions?|rules?|prompts?|guidelines?|directives?|polic(?:y|ies)|restrictions?|"
    r"safeguards?|safety|filters?|guardrails?|programming|training|"
    r"anweisung\w*|regeln?|vorgaben?|richtlinien?|einschränkung\w*|"
    r"instrucciones|reglas|restricciones|normas|istruzioni|regole|restrizioni|"
    r"instruções|instrucoes|regras|restrições|consignes|règles|directives|restrictions|"
    r"инструкци\w+|правил\w*|указани\w+|ограничени\w+|промпт\w*)"
)
_IGNORE = (
    r"(?:ignor\w*|disregard\w*|forget|overrid\w+|bypass\w*|discard|drop|stop\s+following|"
    r"do\s+not\s+follow|"
    r"don't\s+follow|disobey|vergiss|vergesst|missachte\w*|umgeh\w*|"
    r"olvida\w*|dimentica\w*|esqueça|esqueca|desconsider\w+|oublie\w*|contourne\w*|"
    r"игнорир\w+|проигнорир\w+|забудь\w*|обойди\w*|нарушай\w*)"
)
_YOURS = (
    r"(?:your|all|any|every|previous|prior|earlier|above|preceding|the|these|those|system|safety|"
    r"deine?n?|ihre|alle|vorherigen?|bisherigen?|obigen?|tus|sus|todas|las|anteriores|previas|"
    r"le|tue|tutte|precedenti|suas|as|todas|tes|vos|toutes|les|précédentes|"
    r"сво\w+|тво\w+|все|всех|предыдущ\w+|прежн\w+|системн\w+)"
)
_SHAPES = (
    # Have the rules ignored.
    rf"\b{_IGNORE}\s+(?:[\w-]+\s+){{0,3}}?{_YOURS}\s+(?:[\w-]+\s+){{0,3}}?{_RULES}\b",
    rf"\b{_IGNORE}\s+(?:everything|all|anything|alles|todo|tutto|tudo|tout|всё|все)\b.{{0,25}}"
    r"\b(?:above|before|said|told|previous\w*|vorher\w*|oben|anterior\w*|precedente?|avant|выше|"
    r"раньше|до\s+этого)\b",
    r"(?:忽略|无视|無視し?|忘记|忘掉)[^。！]{0,12}(?:指令|指示|规则|規則|提示|说明|命令|ルール)",
    r"(?:指示|ルール|命令|プロンプト)を?(?:すべて)?(?:無視|忘れ)",
    rf"\b(?:new|updated|real|true|secret|neue|nuevas|nuove|novas|nouvelles|"
    rf"новые)\s+(?:system\s+)?{_RULES}\s*[:：]",
    # Oblige the assistant.
    r"\b(?:you|assistant|the\s+(?:assistant|ai|bot|model))\s+(?:must(?!\s+(?:be|have|feel|love|"
    r"really|think)\b)|shall|have\s+to|has\s+to|are\s+(?:required|obliged|ordered)|"
    r"will\s+(?:always|never|now|from\s+now)|are\s+(?:no\s+longer|not)\s+allowed|"
    r"may\s+no\s+longer)\b",
    r"\b(?:du\s+musst|sie\s+müssen|du\s+darfst\s+nicht|debes|tienes\s+que|deberás|devi|"
    r"devi\s+sempre|dovrai|"
    r"você\s+deve|voce\s+deve|tu\s+dois|vous\s+devez)\b",
    r"(?<!\w)(?:ты|вы)\s+(?:всегда\s+|теперь\s+)?(?:должен|должна|должны|обязан\w*)\b",
    r"(?:你|您)(?:必须|必須|一定要)|あなたは.{0,20}(?:なければならない|必要があります)",
    # Another mode, other rights.
    r"\b(?:developer|debug|god|admin|root|sudo|maintenance|dan|jailbreak|unrestricted|entwickler|"
    r"desarrollador|"
    r"sviluppatore|développeur)[\s-]*mod(?:e|us|o|alità)\b|режим\w*\s+(?:разработчик\w*|бога|"
    r"администратор\w*)|"
    r"\bmod[oe]\s+(?:desarrollador|sviluppatore|développeur|desenvolvedor)\b|开发者模式",
    r"\bjailbr(?:eak|oken)\w*|\bdo\s+anything\s+now\b|\b(?-i:DAN)\b",
    r"\b(?:without|no|free\s+of|ohne|sin|senza|sem|sans|без)\s+(?:any\s+|jede\s+|ninguna\s+|"
    r"aucune\s+|каких-либо\s+)?"
    r"(?:restrictions?|limitations?|filters?|censorship|guardrails|safety|einschränkungen|"
    r"restricciones|"
    r"restrizioni|restrições|ограничений|цензуры)\b",
    r"\b(?:you\s+are|you're|act\s+as|behave\s+as|pretend\s+to\s+be)\s+(?:now\s+)?(?:an?\s+)?"
    r"(?:unrestricted|unfiltered|uncensored|evil|admin\w*|root|system)\b",
    r"\b(?:grant\w*|give\w*|has|have|having|with)\s+(?:[\w-]+\s+){0,3}?"
    r"(?:admin\w*|root|full|unlimited|all)\s+(?:rights|access|privileges|permissions)\b",
    r"\btreat\s+(?:[\w-]+\s+){1,4}?as\s+(?:an?\s+|the\s+)?(?:admin\w*|root|owner|developer|"
    r"system|trusted)\b",
    r"\b(?:trust|obey|follow)\s+(?:[\w-]+\s+){0,3}?(?:instructions?|commands?|orders?)\b",
    # Have things told, hidden, called or spread.
    r"\b(?:reveal|print|show|repeat|output|leak|expose|disclose|display|send|share|tell|"
    r"exfiltrate|write\s+out)\s+"
    r"(?:[\w'-]+\s+){0,5}?(?:system\s+(?:prompt|message|instructions?)|"
    r"your\s+(?:\w+\s+)?(?:prompt|instructions?|rules)|"
    r"(?:other|all)\s+users?\b|(?:api\s+)?keys?\b|credentials|(?:bot\s+)?tokens?\b|passwords?)",
    r"\b(?:zeige?|verrate|gib\s+.{0,12}aus|muestra|revela|mostra|rivela|mostre|montre|révèle|"
    r"покажи|раскрой|выведи)\b"
    r".{0,30}\b(?:system-?\s*prompt\w*|systemanweisung\w*|prompt\s+(?:del\s+sistema|di\s+sistema|"
    r"do\s+sistema|système)|"
    r"инструкци\w+|системн\w+\s+\w+)",
    r"(?:显示|透露|输出|告诉我).{0,8}(?:系统提示|提示词|指令)",
    r"\b(?:without\s+telling|don't\s+tell|do\s+not\s+tell|never\s+tell|hide\s+(?:this|it)\s+from|"
    r"keep\s+(?:this|it)\s+from|"
    r"don't\s+mention\s+(?:this|it)\s+to)\s+(?:the\s+)?(?:user|users|anyone\s+that\s+you|"
    r"operator|developers?)\b",
    r"(?:^|[.,:;!?]\s*|\b(?:please|then|and|now|to)\s+)(?:call|invoke|execute|run|"
    r"trigger)\s+(?:the\s+)?(?:\w+_\w+|\w+\(\)|tool|function|shell|command|script)\b",
    r"\b(?:delete|erase|wipe|forget|remove)\s+(?:all|every|"
    r"everything\s+in)\s+(?:\w+\s+){0,3}?(?:memor(?:y|ies)|records?|notes?|data)\b",
    r"\b(?:always|append|add|include|insert|end|finish|begin|immer|siempre|sempre|toujours|"
    r"всегда)\b.{0,60}https?://",
    # Marks of the machinery.
    r"^\W*(?:system|assistant|developer|user|human|ai|tool|instructions?|"
    r"система|ассистент|пользователь|sistema|système|asistente|assistente|系统|助手|用户|システム)"
    r"(?:\s+(?:message|prompt|note|override))?\s*[:：>\]]",
    r"\bsystem\s+(?:prompt|message|override|note|instruction)s?\s*[:：]",
    r"\[\s*(?:system|/?inst|assistant|developer)\b|<<\s*/?\s*sys\s*>>|<\|[^|>]{1,30}\|>|"
    r"^\W*###?\s*(?:system|instruction|assistant|human|user)\b",
    r"</?\s*(?:system|assistant|user|developer|instructions?|prompt|recalled_notes|about_the_user|"
    r"known_notes|conversation|notes|memory|memories|script)\b[^>]*>",
    r"\b(?:begin|end)\s+(?:of\s+)?(?:system|user|assistant|prompt|instructions?|conversation)\b|"
    r"```\s*(?:system|tool|prompt)",
)  # fmt: skip
_INSTRUCTION = re.compile("|".join(f"(?:{shape})" for shape in _SHAPES), re.IGNORECASE)


def is_instruction(text: str) -> bool:
    """True if the text is an order to the assistant about itself. Look-alike and invisible letters
    make no difference."""
    folded = unicodedata.normalize("NFKC", text)
    plain = "".join(c for c in folded if unicodedata.category(c) != "Cf").replace("’", "'")
    return _INSTRUCTION.search(" ".join(plain.split())) is not None


# Secrets are found by their shape, their check digits or the word beside them. Check digits keep
# order numbers and phone numbers readable: a number is masked without a word beside it only if its
# kind has a shape of its own or digits that must add up.

#: What stands where a secret was.
MASK = "[hidden]"

_KEYS = (
    re.compile(r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_A-Za-z0-9]{16,}", re.ASCII),
    re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b", re.ASCII),
    re.compile(r"\bgh[pousr]_[A-Za-z0-9]{20,}", re.ASCII),
    re.compile(r"\bglpat-[A-Za-z0-9_-]{16,}", re.ASCII),
    re.compile(r"\bAIza[A-Za-z0-9_-]{30,}", re.ASCII),
    re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10,}", re.ASCII),
    re.compile(r"\b\d{6,12}:[A-Za-z0-9_-]{30,}", re.ASCII),
    re.compile(r"\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}", re.ASCII),
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*", re.DOTALL | re.ASCII),
)

_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_DATE = rf"{_DAY}[./-]{_DAY}(?:[./-]\d{{2,4}})?(?!\d)|\d{{4}}-\d\d-\d\d|\d{{1,2}}:\d\d"
_YEAR = r"(?:19|20)\d\d(?!\w)"
#: A value in one piece, without what ends a sentence or a quotation.
_VALUE = r"\S*[^\s.,;:!?\"'“”«»)。，]"
#: A value that nobody would take for a word: digits, or letters with digits or signs among them.
_ODD = (
    rf"(?!{_DATE}|{_YEAR})(?:(?=\S*[^\W\d_])(?=\S*\d)[^\s.,;:!?\"“”«»)。，]{{4,}}|"
    r"[^\s\W]+[!@#$%&*+=]\S*[^\s.,;:!?\"'“”«»)。，]|\d{3,10}#?(?![\w:.,/]*\w))"
)
#: Digits that are a secret, even if they look like a year, because they come right after its name.
_DIGITS = r"(?:\d{3,10}#?|\d{1,4}(?:-\d{1,4}){2,})(?![\w:.,/-]*\w)"
#: So far from a code a word says which code it is, in characters.
_BESIDE = 16
_OPENING = r"[\"'“«„]?"
#: Where a word may begin: Chinese puts no space before it.
_START = r"(?<![^\W\u3400-\u9fff])"
#: What a number measures makes it no code.
_MEASURE = r"\s*(?:[€$£₽₹%°×]|(?:[mck]?m|k?g|qm|gb|mbit|eur\w*)\b|by\s\d)"
#: Nothing but a short word ("auf") comes after a number before its clause ends.
_ALONE = r"(?=\s*(?:[^\s\d.,;!]{1,4})?\s*(?:[,.;!)，。]|$))"


def _either(part: Callable[[Secrets], Words]) -> str:
    """A pattern for what secrets are called in any language."""
    spaced = secret_names(part, unspaced=False)
    return rf"(?:(?<!\w)(?:{spaced})(?!\w)|{secret_names(part, unspaced=True)})"


@cache
def _named_values() -> tuple[re.Pattern[str], ...]:
    """What is a secret because a word beside it says so: "my password is hunter2", "locker code is
    7731", "new padlock, 7731", "the alarm goes off with 7731", "the secret word pineapple", "4711
    is my PIN", "the safe is 22-14-8", "passport 4509 123456" (at least five digits that are no
    date), "card number 6222 0200 …" (also what does not add up, from eight digits)."""
    password, pin = _either(lambda s: s.passwords), _either(lambda s: s.pins)
    code, lock = _either(lambda s: s.codes), _either(lambda s: (*s.locks, *s.wireless))
    document, account = _either(lambda s: s.documents), _either(lambda s: s.accounts)
    bolt, phrase = _either(lambda s: s.bolts), _either(lambda s: s.phrases)
    unlocks, by = _either(lambda s: s.unlocks), _either(lambda s: s.by)
    equals = rf"(?:{_either(lambda s: s.equals)}|[:=：→—]|(?<!\w)-(?!\w))"
    odd = rf"(?:{password}|{pin}|(?P<code>{code}))"
    return (
        re.compile(
            rf"(?P<name>(?:{password}|{phrase})[^.\n]{{0,40}}?{equals}\s*{_OPENING})"
            rf"(?P<value>{_VALUE})",
            re.IGNORECASE,
        ),
        re.compile(
            rf"(?P<name>{odd}(?:[^.\n]{{0,40}}?{equals})?\s*{_OPENING})(?P<value>{_DIGITS})",
            re.IGNORECASE,
        ),
        re.compile(
            rf"(?P<name>{odd}[^.\n]{{0,40}}?{_START}{_OPENING})(?P<value>{_ODD})(?!{_MEASURE})",
            re.IGNORECASE,
        ),
        re.compile(
            rf"(?P<name>{lock}\s*{equals}\s*{_OPENING})(?P<value>(?!{_YEAR})(?:{_DIGITS}|{_ODD}))"
            rf"(?<!\b\d\d\d)(?!{_MEASURE})",
            re.IGNORECASE,
        ),
        re.compile(
            rf"(?P<name>(?:{bolt}(?:\s+[^\s\d,:]+){{0,4}}\s*[,，:：=→]\s*|{bolt}\s*))"
            rf"(?P<value>(?!{_YEAR}){_DIGITS}(?<!\b\d\d\d)){_ALONE}",
            re.IGNORECASE,
        ),
        re.compile(
            rf"(?P<name>(?:(?:{lock}|{bolt})[^.,\d\n]{{0,25}}?{by}|{unlocks}[^.,\d\n]{{0,25}}?)"
            rf"\s*)(?P<value>(?!{_YEAR}){_START}{_DIGITS}(?<!\b\d\d\d)){_ALONE}",
            re.IGNORECASE,
        ),
        re.compile(rf"(?P<name>{phrase}\s+)(?P<value>{_VALUE}){_ALONE}", re.IGNORECASE),
        re.compile(
            rf"(?P<value>(?<!\w){_ODD})(?P<after>{_OPENING}\s+(?:{equals}\s+)?"
            rf"(?:[^\W\d]+\s+){{0,2}}?(?:{password}|{pin})|{_OPENING}\s+{equals}\s+"
            rf"(?:[^\s\d]+\s+){{0,3}}?(?P<code>{code}))",
            re.IGNORECASE,
        ),
        re.compile(
            rf"(?P<name>(?i:{document})[^\d.\n]{{0,40}}?)(?!{_DATE})"
            r"(?P<value>(?<![A-Za-z\d])(?:[A-Z]{1,6}[ -]?)?\d(?:[A-Z]{0,3}[ ./№-]{0,2}\d){4,}"
            r"[A-Z]{0,2}(?![A-Za-z\d]))"
        ),
        re.compile(
            rf"(?P<name>(?i:{account})[^\d.\n]{{0,30}}?)"
            r"(?P<value>(?<![A-Za-z\d])\d(?:[ -]?\d){7,}(?!\d))"
        ),
    )


@dataclass(frozen=True, slots=True)
class _Names:
    """What secrets are called, as single words can be looked up: most texts name none, and the
    patterns cost much."""

    words: frozenset[str]
    beginnings: tuple[str, ...]
    endings: tuple[str, ...]
    unspaced: tuple[str, ...]


@cache
def _names() -> _Names:
    kinds = (
        "passwords", "phrases", "pins", "codes", "locks", "bolts", "unlocks", "wireless",
        "documents", "accounts",
    )  # fmt: skip
    spaced: set[str] = set()
    unspaced: set[str] = set()
    for lexicon in lexicons().values():
        for kind in kinds:
            (unspaced if lexicon.unspaced else spaced).update(getattr(lexicon.secrets, kind))
    first = [(_WORD.findall(name)[0], name) for name in spaced]
    return _Names(
        frozenset(word for word, name in first if "*" not in name),
        tuple(word for word, name in first if name.endswith("*")),
        tuple(word for word, name in first if name.startswith("*")),
        tuple(unspaced),
    )


_WORD = re.compile(r"\w+")


def _names_a_secret(text: str) -> bool:
    names = _names()
    for word in _WORD.findall(text.lower()):
        if word in names.words or word.startswith(names.beginnings) or word.endswith(names.endings):
            return True
    return not text.isascii() and any(name in text for name in names.unspaced)


@cache
def _harmless() -> re.Pattern[str]:
    return re.compile(_either(lambda s: s.harmless), re.IGNORECASE)


def mask_secrets(text: str) -> str:
    """The text with passwords, keys, and card, account and document numbers masked."""
    for pattern in _KEYS:
        text = pattern.sub(MASK, text)
    if _names_a_secret(text):
        for named in _named_values():
            text = named.sub(_without_value, text)
    for shape, adds_up in _NUMBERS:
        for number in {found[0] for found in shape.finditer(text) if adds_up(found[0])}:
            text = text.replace(number, MASK)
    return text


def _without_value(named: re.Match[str]) -> str:
    parts = named.groupdict()
    around = named.string[max(0, named.start() - _BESIDE) : named.end() + _BESIDE]
    if parts.get("code") and _harmless().search(around):
        return named[0]
    return f"{parts.get('name') or ''}{MASK}{parts.get('after') or ''}"


def _digits(text: str) -> list[int]:
    return [int(c) for c in text if c.isascii() and c.isdigit()]


def _luhn(number: str) -> bool:
    """Payment cards (ISO/IEC 7812-1)."""
    digits = _digits(number)[::-1]
    doubled = [d if i % 2 == 0 else (d * 2 - 9 if d > 4 else d * 2) for i, d in enumerate(digits)]
    return sum(doubled) % 10 == 0


def _mod_97(iban: str) -> bool:
    """Bank accounts (ISO 13616)."""
    plain = iban.replace(" ", "")
    digits = "".join(str(int(c, 36)) for c in plain[4:] + plain[:4])
    return int(digits) % 97 == 1


def _us_social_security(number: str) -> bool:
    """No area, group or serial of zeros, no area of 666 or from 900 on (SSA)."""
    area, group, serial = re.split(r"[ -]", number)
    return area not in ("000", "666") and area < "900" and group != "00" and serial != "0000"


def _snils(number: str) -> bool:
    """Russia's insurance number: the nine digits by their place from the right, modulo 101."""
    digits = _digits(number)
    total = sum(d * (9 - i) for i, d in enumerate(digits[:9])) % 101
    return total % 100 == digits[9] * 10 + digits[10]


_ODD_PLACES = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25,
               24, 23)  # fmt: skip


def _codice_fiscale(code: str) -> bool:
    """Italy's tax code: letters and digits by a table of their own in odd places (1976)."""
    values = [int(c) if c.isdigit() else ord(c) - ord("A") for c in code[:15].upper()]
    total = sum(_ODD_PLACES[v] if i % 2 == 0 else v for i, v in enumerate(values))
    return chr(ord("A") + total % 26) == code[15].upper()


def _spanish_id(number: str) -> bool:
    """DNI and NIE: the letter is the number modulo 23."""
    plain = re.sub(r"[ -]", "", number).upper()
    digits = plain[:-1].translate(str.maketrans("XYZ", "012"))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(digits) % 23] == plain[-1]


def _cpf(number: str) -> bool:
    """Brazil's taxpayer number: two digits modulo 11."""
    digits = _digits(number)
    for length in (9, 10):
        total = sum(d * (length + 1 - i) for i, d in enumerate(digits[:length]))
        if total * 10 % 11 % 10 != digits[length]:
            return False
    return True


def _chinese_id(number: str) -> bool:
    """The resident identity card (GB 11643-1999): weights are powers of two modulo 11."""
    total = sum(int(d) * (2 ** (17 - i) % 11) for i, d in enumerate(number[:17]))
    return "10X98765432"[total % 11] == number[17].upper()


def _french_nir(number: str) -> bool:
    """France's social security number: 97 less the rest modulo 97."""
    digits = "".join(map(str, _digits(number)))
    return 97 - int(digits[:13]) % 97 == int(digits[13:])


_VERHOEFF_TURN = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


def _verhoeff(number: str) -> bool:
    """India's Aadhaar (Verhoeff's check in the dihedral group of order ten)."""
    check = 0
    for place, digit in enumerate(reversed(_digits(number))):
        for _ in range(place % 8):
            digit = _VERHOEFF_TURN[digit]
        check = _dihedral(check, digit)
    return check == 0


def _dihedral(a: int, b: int) -> int:
    """The product of two elements of the dihedral group of order ten."""
    turn = (a + b if a < 5 else a - b) % 5
    return turn + (5 if (a < 5) != (b < 5) else 0)


def _any(number: str) -> bool:
    """A shape of its own needs no check."""
    return True


_NUMBERS: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = (
    (re.compile(r"\b\d(?:[ -]?\d){12,18}\b", re.ASCII), _luhn),
    (re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b", re.ASCII), _mod_97),
    (re.compile(r"\b[1-9]\d{5}(?:19|20)\d{9}[\dXx]\b", re.ASCII), _chinese_id),
    (
        re.compile(r"\b[12] ?\d\d ?(?:0[1-9]|1[0-2]) ?\d\d ?\d{3} ?\d{3} ?\d\d\b", re.ASCII),
        _french_nir,
    ),
    (re.compile(r"\b\d{3}-\d{2}-\d{4}\b", re.ASCII), _us_social_security),
    (re.compile(r"\b\d{3}-\d{3}-\d{3}[ -]\d{2}\b", re.ASCII), _snils),
    (re.compile(r"\b\d{3}\.\d{3}\.\d{3}-\d{2}\b", re.ASCII), _cpf),
    (
        re.compile(r"\b[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]\b", re.IGNORECASE | re.ASCII),
        _codice_fiscale,
    ),
    (re.compile(r"\b(?:\d{8}|[XYZxyz]-?\d{7})[ -]?[A-Za-z]\b", re.ASCII), _spanish_id),
    (re.compile(r"\b[2-9]\d{3} \d{4} \d{4}\b", re.ASCII), _verhoeff),
    (
        re.compile(
            r"\b(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]\b",
            re.ASCII,
        ),
        _any,
    ),
)
