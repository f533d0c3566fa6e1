"""Secrets in what people say: found by their shape, their check digits or the word beside them.

Check digits are what keeps order numbers and phone numbers readable: a number is masked without a
word beside it only if its kind has a shape of its own or digits that must add up."""

import re
from collections.abc import Callable

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

_WORDS_BEFORE = (
    r"pass ?word|passcode|passphrase|pin(?: ?code| number)?|cvv|cvc|secret key|private key|"
    r"api[ -]?key|access key|token|seed phrase|"
    r"парол[ья]|пин-?код|passwort|kennwort|geheimzahl|contraseña|clave|senha|palavra-passe|"
    r"mot de passe|parola d'ordine|wachtwoord|hasło|şifre[m]?|пароль"
)
_WORDS_WITHOUT_SPACES = r"密码|密碼|口令|パスワード|暗証番号|비밀번호"
_IS = r"(?:\bis\b|\bist\b|\bes\b|\bé\b|\best\b|\bè\b|[:=：—-]|是|は)"

#: "my password is hunter2": the word says that what follows is a secret.
_NAMED_SECRET = re.compile(
    rf"(?P<name>(?:\b(?:{_WORDS_BEFORE})\b|{_WORDS_WITHOUT_SPACES})"
    rf"[^.\n]{{0,40}}?{_IS}\s*[\"'“«]?)"
    r"(?P<value>\S*[^\s.,;:!?\"'“”«»)。，])",
    re.IGNORECASE,
)

_DOCUMENT_WORDS = (
    r"passports?|pass(?:port)?nummer|reisepass(?:nummer)?|personalausweis(?:nummer)?|"
    r"ausweis(?:nummer)?|id card|identity card|id number|national id|driving licen[cs]e|"
    r"driver'?s? licen[cs]e|führerschein(?:nummer)?|ssn|social security|social insurance|"
    r"national insurance|tax (?:id|number|identification)|tin|steuer-?(?:id|nummer)|"
    r"sozialversicherungsnummer|паспорт\w*|снилс|инн|водительск\w+|удостоверени\w+|"
    r"dni|nie|pasaporte|seguridad social|passaporto|carta d'identità|codice fiscale|patente|"
    r"passaporte|cpf|rg|nif|passeport|carte d'identité|sécurité sociale|pesel|aadhaar|"
    r"pan card|bsn|kimlik"
)
_DOCUMENT_WORDS_UNSPACED = r"身份证|身分證|护照|護照|パスポート|マイナンバー|आधार"
_DATE = r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}(?!\d)|\d{4}-\d\d-\d\d"

#: "passport 4509 123456": at least five digits that are no date, near the name of a document.
_NAMED_DOCUMENT = re.compile(
    rf"(?P<name>(?i:(?<!\w)(?:{_DOCUMENT_WORDS})\b|{_DOCUMENT_WORDS_UNSPACED})[^\d.\n]{{0,40}}?)"
    rf"(?!{_DATE})"
    rf"(?P<value>(?<![A-Za-z\d])(?:[A-Z]{{1,6}}[ -]?)?\d(?:[A-Z]{{0,3}}[ "
    rf"./№-]{{0,2}}\d){{4,}}[A-Z]{{0,2}}(?![A-Za-z\d]))"
)


#: "card number 6222 0200 …": where a word says so, also what does not add up, from eight digits.
_NAMED_ACCOUNT = re.compile(
    r"(?P<name>(?i:(?<!\w)(?:(?:card|account|iban)\s*(?:number|no)?|credit card|debit card|"
    r"(?:konto|karten)nummer|"
    r"kreditkarte|tarjeta|cuenta|carta di credito|conto|cartão|conta|carte bancaire|compte|"
    r"карт[аеуыо]\w*|счёт\w*|счет\w*)"
    r"(?!\w)|银行卡号?|信用卡号?|卡号|账号|帳號|カード番号|口座番号)[^\d.\n]{0,30}?)"
    r"(?P<value>(?<![A-Za-z\d])\d(?:[ -]?\d){7,}(?!\d))"
)


def mask_secrets(text: str) -> str:
    """The text with passwords, keys, card, account and document numbers replaced by a mark."""
    for pattern in _KEYS:
        text = pattern.sub(MASK, text)
    for named in (_NAMED_SECRET, _NAMED_DOCUMENT, _NAMED_ACCOUNT):
        text = named.sub(lambda m: m["name"] + MASK, text)
    for shape, adds_up in _NUMBERS:
        for number in {found[0] for found in shape.finditer(text) if adds_up(found[0])}:
            text = text.replace(number, MASK)
    return text


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
    """A shape that nothing else has."""
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
