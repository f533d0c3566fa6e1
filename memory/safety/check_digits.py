"""Which numbers of cards, accounts and documents add up: each kind by the rule of its issuer."""

import re


def _digits(text: str) -> list[int]:
    return [int(c) for c in text if c.isascii() and c.isdigit()]


def luhn(number: str) -> bool:
    """Payment cards (ISO/IEC 7812-1)."""
    digits = _digits(number)[::-1]
    doubled = [d if i % 2 == 0 else (d * 2 - 9 if d > 4 else d * 2) for i, d in enumerate(digits)]
    return sum(doubled) % 10 == 0


def mod_97(iban: str) -> bool:
    """Bank accounts (ISO 13616)."""
    plain = iban.replace(" ", "")
    digits = "".join(str(int(c, 36)) for c in plain[4:] + plain[:4])
    return int(digits) % 97 == 1


def us_social_security(number: str) -> bool:
    """No area, group or serial of zeros, no area of 666 or from 900 on (SSA)."""
    area, group, serial = re.split(r"[ -]", number)
    return area not in ("000", "666") and area < "900" and group != "00" and serial != "0000"


def snils(number: str) -> bool:
    """Russia's insurance number: the nine digits by their place from the right, modulo 101."""
    digits = _digits(number)
    total = sum(d * (9 - i) for i, d in enumerate(digits[:9])) % 101
    return total % 100 == digits[9] * 10 + digits[10]


_ODD_PLACES = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25,
               24, 23)  # fmt: skip


def codice_fiscale(code: str) -> bool:
    """Italy's tax code: letters and digits by a table of their own in odd places (1976)."""
    values = [int(c) if c.isdigit() else ord(c) - ord("A") for c in code[:15].upper()]
    total = sum(_ODD_PLACES[v] if i % 2 == 0 else v for i, v in enumerate(values))
    return chr(ord("A") + total % 26) == code[15].upper()


def spanish_id(number: str) -> bool:
    """DNI and NIE: the letter is the number modulo 23."""
    plain = re.sub(r"[ -]", "", number).upper()
    digits = plain[:-1].translate(str.maketrans("XYZ", "012"))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(digits) % 23] == plain[-1]


def cpf(number: str) -> bool:
    """Brazil's taxpayer number: two digits modulo 11."""
    digits = _digits(number)
    for length in (9, 10):
        total = sum(d * (length + 1 - i) for i, d in enumerate(digits[:length]))
        if total * 10 % 11 % 10 != digits[length]:
            return False
    return True


def chinese_id(number: str) -> bool:
    """The resident identity card (GB 11643-1999): weights are powers of two modulo 11."""
    total = sum(int(d) * (2 ** (17 - i) % 11) for i, d in enumerate(number[:17]))
    return "10X98765432"[total % 11] == number[17].upper()


def french_nir(number: str) -> bool:
    """France's social security number: 97 less the rest modulo 97."""
    digits = "".join(map(str, _digits(number)))
    return 97 - int(digits[:13]) % 97 == int(digits[13:])


_VERHOEFF_TURN = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


def verhoeff(number: str) -> bool:
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
