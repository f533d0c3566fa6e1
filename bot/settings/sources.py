"""The sources of settings. Later ones win: defaults, config.json, `.env` in the working directory,
the environment (`MORDECAI_…`), command-line options. Secrets come only from the environment or
`.env`. Every value is checked at its source, so that error messages can name it."""

import difflib
import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from dotenv import load_dotenv
from dotenv.parser import parse_stream
from pydantic import SecretStr, TypeAdapter, ValidationError
from pydantic_settings import DotEnvSettingsSource, EnvSettingsSource

from bot.errors import OperatorError
from bot.settings.keys import (
    MASK,
    PLAIN_VARIABLES,
    SECRETS,
    as_json,
    default_of,
    variable_of,
)
from bot.settings.schema import PREFIX, Settings

_CONFIG_VARIABLE = "MORDECAI_CONFIG"
_SECRETIVE = re.compile("token$|key|secret|pass|database|dsn", re.IGNORECASE)
#: The name and password that an address may have.
_LOGIN = re.compile(r"(?<=://)[^\s\"]+(?=@)")


class SettingsError(OperatorError):
    """The settings can't be used. `problems` holds one line for each reason."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings and their sources. `sources` names the source of every key that is not a default;
    `config_file` is the file that was read, if any."""

    settings: Settings
    sources: Mapping[str, str] = field(default_factory=dict)
    config_file: Path | None = None


@dataclass(frozen=True, slots=True)
class _Layer:
    """The values of one source. Typed ones (JSON) are checked strictly; the others are strings."""

    source: str
    values: Mapping[str, Any]
    typed: bool = False


def load(config: Path | None = None, options: Mapping[str, object] | None = None) -> Loaded:
    """Read all sources and return the settings in force.

    `config` names the file; without it MORDECAI_CONFIG does, or ./config.json if there is one.
    `options` are those of the command line. Raises SettingsError with every problem found."""
    file = _config_file(config)
    layers = [
        _Layer("config.json" if file is None else str(file), _read_json(file), typed=True),
        _Layer(".env", _env_file_values(Path(".env"))),
        _Layer("environment", _environment_values()),
        _Layer("command line", options or {}),
    ]
    problems = [problem for layer in layers for problem in _problems(layer)]
    if problems:
        raise SettingsError(problems)
    merged = {key: value for layer in layers for key, value in layer.values.items()}
    sources = {key: layer.source for layer in layers for key in layer.values}
    try:
        settings = Settings(**merged)
    except ValidationError as error:
        raise SettingsError([_reason(problem) for problem in error.errors()]) from None
    start = file.parent if file else Path.cwd()
    settings = settings.model_copy(update=_absolute_paths(settings, start.absolute()))
    return Loaded(settings, sources, file)


def _absolute_paths(settings: Settings, start: Path) -> dict[str, Path]:
    """The paths among the settings, made absolute from `start`."""
    given = {key: getattr(settings, key) for key in Settings.model_fields}
    return {
        key: start / value.expanduser() for key, value in given.items() if isinstance(value, Path)
    }


def _config_file(named: Path | None) -> Path | None:
    variable = EnvSettingsSource(Settings).env_vars.get(_CONFIG_VARIABLE.lower())
    if named or variable:
        return named or Path(str(variable))
    usual = Path("config.json")
    return usual if usual.exists() else None


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SettingsError([f"{file} can't be read: {error.strerror}. Check the path"]) from None
    except UnicodeDecodeError:
        raise SettingsError([f"{file} is not UTF-8 text: save it as UTF-8"]) from None


def _read_json(file: Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        values = json.loads(_text_of(file))
    except (ValueError, RecursionError) as error:
        raise SettingsError([f"{file} is not valid JSON: {error}. Correct it there"]) from None
    if not isinstance(values, dict):
        raise SettingsError([f'{file} must hold one JSON object, such as {{"log_level": "info"}}'])
    return values


def _env_file_values(file: Path) -> dict[str, Any]:
    if not file.is_file():
        return {}
    bindings = parse_stream(io.StringIO(_text_of(file)))
    broken = [binding.original.line for binding in bindings if binding.error]
    if broken:
        raise SettingsError([f"{file} line {n} can't be read: write KEY=value" for n in broken])
    return _our_values(DotEnvSettingsSource(Settings, env_file=file, env_file_encoding="utf-8-sig"))


def share_env_file() -> None:
    """Copy `.env` into the environment, where libraries look for AWS_PROFILE, HTTPS_PROXY and the
    like. Variables that are already set stay."""
    load_dotenv(Path(".env"), encoding="utf-8-sig")


def _environment_values() -> dict[str, Any]:
    values = _our_values(EnvSettingsSource(Settings))
    values.pop(_CONFIG_VARIABLE.lower().removeprefix(PREFIX.lower()), None)
    return values


def _our_values(source: EnvSettingsSource) -> dict[str, Any]:
    """Our settings in this source, and unknown variables with our prefix."""
    prefix = PREFIX.lower()
    given = {name.lower(): value for name, value in source.env_vars.items()}
    known = {name: value for name, value in source().items() if name in Settings.model_fields}
    for key, variable in PLAIN_VARIABLES.items():
        if plain := given.get(variable.lower()):
            known.setdefault(key, plain)
    unknown = {
        name.removeprefix(prefix): value
        for name, value in given.items()
        if name.startswith(prefix) and name.removeprefix(prefix) not in Settings.model_fields
    }
    return known | unknown


def _problems(layer: _Layer) -> Iterator[str]:
    for key, value in layer.values.items():
        if key not in Settings.model_fields:
            yield _unknown_key(key, layer)
        elif layer.typed and key in SECRETS:
            yield (
                f"{key} = {MASK} ({layer.source}): a secret may not be in this file. "
                f"Remove it there and set {variable_of(key)} in the environment or in .env"
            )
        elif reason := _find_fault(key, value, layer.typed):
            yield (
                f"{key} = {_display_value(key, value)} ({layer.source}): {reason}. "
                f"Correct it, or remove it for the default, {default_of(key)}"
            )


def _unknown_key(key: str, layer: _Layer) -> str:
    close = difflib.get_close_matches(key.lower(), Settings.model_fields, n=1, cutoff=0.7)
    meant = close and (close[0] if layer.typed else variable_of(close[0]))
    advice = f"Did you mean {meant}?" if meant else "See `mordecai config --table`"
    name = as_json(key) if layer.typed else variable_of(key)
    shown = _display_value(key, layer.values[key])
    return f"{name} = {shown} ({layer.source}): there is no such setting. {advice}"


def _find_fault(key: str, value: object, strict: bool) -> str | None:
    """Why this value is invalid for the key; None if it is valid."""
    info = Settings.model_fields[key]
    shape: Any = Annotated[info.annotation, key, *info.metadata]
    adapter: TypeAdapter[object] = TypeAdapter(shape)
    try:
        if strict:
            adapter.validate_json(json.dumps(value), strict=True)
        else:
            adapter.validate_python(value)
    except ValidationError as error:
        return _reason(error.errors()[0])
    return None


def _reason(problem: Any) -> str:
    return str(problem["msg"]).removeprefix("Value error, ").replace("Input should", "it should")


def _display_value(key: str, value: object) -> str:
    # A database's address may have a password in more than one place, also under a mistyped key.
    is_unknown = key not in Settings.model_fields
    meant = difflib.get_close_matches(key.lower(), SECRETS, n=1) if is_unknown else [key]
    names = "postgres|password|://|@" if is_unknown else "postgres|password"
    if set(meant) & set(SECRETS) or _SECRETIVE.search(key) or re.search(names, str(value)):
        return MASK
    text = _LOGIN.sub(MASK, as_json(value))
    return text if len(text) <= 60 else f"{text[:57]}…"


def in_force(loaded: Loaded) -> str:
    """The settings in force, one line each: value, then source. Secrets are masked."""
    lines = [f"config file: {loaded.config_file or 'none'}"]
    for key in Settings.model_fields:
        value = getattr(loaded.settings, key)
        shown = MASK if isinstance(value, SecretStr) else _LOGIN.sub(MASK, as_json(value))
        lines.append(f"{key} = {shown}  ({loaded.sources.get(key, 'default')})")
    return "\n".join(lines)
