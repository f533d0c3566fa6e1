"""The languages that the bot speaks: one TOML file each, read when first needed."""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from bot.errors import OperatorError
from bot.texts.plurals import FORMS, PLURAL_RULES, Counted, PluralRule
from bot.texts.texts import Texts
from memory.errors import Refusal

#: What is to be said, in whatever language.
Sentence = Callable[[Texts], str]

_FOLDER = Path(__file__).parent
_PLACEHOLDER = re.compile(r"{(\w+)}")


def texts_in(*languages: str | None) -> Texts:
    """The texts in the first of these languages that there are texts in, each an IETF tag such as
    "en" or "pt-br"; else English. Raises OperatorError if the file of that language is faulty."""
    codes = ((tag or "").lower().split("-")[0] for tag in languages)
    code = next((code for code in codes if code in PLURAL_RULES), "en")
    return read_texts(_FOLDER / f"{code}.toml")


@cache
def languages(folder: Path = _FOLDER) -> Mapping[str, Texts]:
    """All languages by their tag. Raises OperatorError with every fault of every file."""
    found, faults = {}, []
    for tag in PLURAL_RULES:
        try:
            found[tag] = read_texts(folder / f"{tag}.toml")
        except OperatorError as error:
            faults.append(str(error))
    faults += [
        f"{path}: no plural rule for this language: add it to PLURAL_RULES in plurals.py"
        for path in sorted(folder.glob("*.toml"))
        if path.stem not in PLURAL_RULES
    ]
    if faults:
        raise OperatorError("\n".join(faults))
    return found


@cache
def read_texts(path: Path) -> Texts:
    """The texts in this file, complete; it is named for its language. Raises OperatorError with a
    line for each fault."""
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise OperatorError(f"{path}: {error.strerror}: install Mordecai again") from None
    except ValueError as error:
        raise OperatorError(f"{path}: not valid TOML: {error}: correct the file") from None
    rule = PLURAL_RULES[path.stem]
    if faults := list(_faults(given, rule)):
        raise OperatorError("\n".join(f"{path}: {fault}" for fault in faults))
    return Texts(**{name: _value(given[name], name, rule) for name in _shapes()})


@cache
def _shapes() -> Mapping[str, tuple[type, tuple[str, ...]]]:
    """What each text is (str, Counted or a table), with its placeholders or the table's keys."""
    shapes = {}
    for name, hint in get_type_hints(Texts, include_extras=True).items():
        kind: Any = hint
        names: tuple[str, ...] = ()
        if get_origin(hint) is Annotated:
            kind, names = hint.__origin__, hint.__metadata__
        if get_origin(kind) is Mapping and get_args(kind)[0] is Refusal:
            names = tuple(Refusal)
        shapes[name] = (get_origin(kind) or kind, names)
    return shapes


def _value(given: Any, name: str, rule: PluralRule) -> Any:
    kind, names = _shapes()[name]
    if kind is Counted:
        return Counted(rule, given)
    # In the order of Texts: it is the order of the menu.
    return given if kind is str else {key: given[key] for key in names}


def _faults(given: Mapping[str, Any], rule: PluralRule) -> Iterator[str]:
    for name in given:
        if name not in _shapes():
            yield f"{name}: the bot has no such text: remove it, or correct its name"
    for name, (kind, names) in _shapes().items():
        if name not in given:
            yield f"{name} is missing: add it, as in en.toml"
        elif kind is str:
            yield from _text_faults(name, given[name], names)
        elif kind is Counted:
            yield from _table_faults(name, given[name], sorted(FORMS[rule]), ("count", *names))
        else:
            yield from _table_faults(name, given[name], names, ())


def _table_faults(
    name: str, table: Any, keys: Sequence[str], placeholders: Sequence[str]
) -> Iterator[str]:
    if not isinstance(table, dict):
        wanted = ", ".join(f"{name}.{key}" for key in keys)
        yield f"{name} is one text where there are several: write {wanted}"
        return
    for key in table:
        if key not in keys:
            yield f"{name}.{key}: there is no such text: remove it; {name} has {', '.join(keys)}"
    for key in keys:
        if key not in table:
            yield f"{name}.{key} is missing: add it"
        else:
            yield from _text_faults(f"{name}.{key}", table[key], placeholders)


def _text_faults(name: str, text: Any, placeholders: Sequence[str]) -> Iterator[str]:
    if not isinstance(text, str):
        yield f"{name} is not a text: write one, in quotes"
        return
    if text.strip() != text or not text:
        yield f"{name} is blank, or begins or ends with a blank: correct it"
    found = set(_PLACEHOLDER.findall(text))
    if found != set(placeholders):
        yield f"{name} has the placeholders {_in_braces(found)}: use {_in_braces(placeholders)}"
    elif re.search("[{}]", _PLACEHOLDER.sub("", text)):
        yield f"{name} has a brace that belongs to no placeholder: remove it"


def _in_braces(names: Iterable[str]) -> str:
    return " ".join(f"{{{name}}}" for name in sorted(names)) or "(none)"
