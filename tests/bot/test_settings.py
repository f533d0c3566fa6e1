"""What the operator may say, where, and what is said back."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st
from pydantic import SecretStr, ValidationError

from bot.settings import Settings, SettingsError, in_force, load, settings_table, share_env_file

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "123456789:" + "A" * 35


@pytest.fixture(autouse=True)
def clean_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, and an environment that says nothing of ours."""
    monkeypatch.chdir(tmp_path)
    for name in os.environ:
        if name.startswith(("MORDECAI_", "TELEGRAM_", "OTEL_")):
            monkeypatch.delenv(name)
    return tmp_path


def write_config(folder: Path, **values: object) -> Path:
    path = folder / "config.json"
    path.write_text(json.dumps(values))
    return path


def problems(config: Path | None = None) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        load(config)
    return caught.value.problems


def test_without_any_source_the_documented_defaults_are_in_force(tmp_path: Path):
    settings = load().settings
    assert settings.memory_enabled is True
    assert settings.memory_id is None
    assert settings.memory_name == "MordecaiMemory"
    assert settings.memory_description == "Mordecai multi-user memory with strategies"
    assert settings.memory_retrieval_top_k == 10
    assert settings.memory_retrieval_relevance_score == 0.2
    assert settings.conversation_window_size == 20
    assert settings.max_conversation_messages == 30
    assert settings.extraction_timeout_seconds == 30
    assert settings.memory_backend == "embedded"
    assert settings.model is None
    assert settings.access == "pairing"
    assert settings.data_dir == tmp_path / "data"


def test_embedded_memory_may_be_called_by_its_old_name(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MORDECAI_MEMORY_BACKEND", "sqlite")
    assert load().settings.memory_backend == "embedded"


def test_later_sources_win_and_each_value_knows_its_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write_config(tmp_path, threads=1, stale_minutes=1, session_idle_minutes=1, log_level="error")
    Path(".env").write_text(
        "MORDECAI_STALE_MINUTES=2\nMORDECAI_SESSION_IDLE_MINUTES=2\nMORDECAI_LOG_LEVEL=debug\n"
    )
    monkeypatch.setenv("MORDECAI_SESSION_IDLE_MINUTES", "3")
    monkeypatch.setenv("MORDECAI_LOG_LEVEL", "warning")
    loaded = load(options={"log_level": "info"})
    found = loaded.settings
    assert (found.threads, found.stale_minutes, found.session_idle_minutes) == (1, 2, 3)
    assert found.log_level == "info"
    assert loaded.sources == {
        "threads": "config.json",
        "stale_minutes": ".env",
        "session_idle_minutes": "environment",
        "log_level": "command line",
    }


def test_the_config_file_is_named_by_option_then_variable_then_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write_config(tmp_path, threads=1)
    for number, name in ((2, "variable"), (3, "option")):
        (tmp_path / name).mkdir()
        write_config(tmp_path / name, threads=number)
    assert load().settings.threads == 1
    monkeypatch.setenv("MORDECAI_CONFIG", str(tmp_path / "variable" / "config.json"))
    assert load().settings.threads == 2
    assert load(tmp_path / "option" / "config.json").settings.threads == 3


def test_a_named_config_file_that_is_missing_is_an_error():
    (line,) = problems(Path("nowhere.json"))
    assert "nowhere.json" in line
    assert "No such file" in line


def test_a_relative_data_dir_starts_at_the_folder_of_the_config_file(tmp_path: Path):
    (tmp_path / "etc").mkdir()
    config = write_config(tmp_path / "etc", data_dir="kept")
    assert load(config).settings.data_dir == tmp_path / "etc" / "kept"
    assert load(config, {"data_dir": Path("/elsewhere")}).settings.data_dir == Path("/elsewhere")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"memory_retrieval_topk": 3}, "Did you mean memory_retrieval_top_k?"),
        ({"colour": "red"}, "mordecai config --table"),
        ({"conversation_window_size": 500}, "conversation_window_size = 500 ("),
        ({"memory_retrieval_top_k": 0}, "greater than or equal to 1"),
        ({"memory_retrieval_relevance_score": 1.5}, "less than or equal to 1"),
        ({"extraction_timeout_seconds": 0}, "greater than 0"),
        ({"memory_enabled": "yes"}, "valid boolean"),
        ({"threads": True}, "valid integer"),
        ({"threads": "8"}, "valid integer"),
        ({"access": "everyone"}, "'pairing', 'allowlist' or 'open'"),
        ({"allowed_users": ["anna"]}, "valid integer"),
        ({"allowed_users": [-100123]}, "greater than or equal to 1"),
        ({"allowed_users": 7}, "array"),
        ({"model": "gpt"}, "vendor:model"),
        ({"model_base_url": "localhost:11434"}, "http://127.0.0.1:11434/v1"),
        ({"memory_name": "my memory"}, "pattern"),
        ({"identity": ""}, "at least 1 character"),
        ({"fallback_models": ["gpt-4"], "model": "openai:a"}, "expected vendor:model"),
        ({"fallback_models": 7}, "array"),
        ({"fallback_models": ["openai:a"]}, "name the first one in model"),
        ({"fallback_models": ["openai:a"], "model": "offline"}, "name the first one in model"),
        ({"access": "allowlist"}, "list the numeric ids in allowed_users"),
    ],
)
def test_a_bad_value_is_one_line_with_key_value_source_and_remedy(
    tmp_path: Path, values: dict[str, object], said: str
):
    (line,) = problems(write_config(tmp_path, **values))
    assert said in line
    assert next(iter(values)) in line
    assert "\n" not in line


def test_every_problem_is_named_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MORDECAI_THREADS", "many")
    monkeypatch.setenv("MORDECAI_SPEED", "11")
    Path(".env").write_text("MORDECAI_ACCESS=x\n")
    lines = problems(write_config(tmp_path, threads=0))
    assert len(lines) == 4
    assert [line for line in lines if line.startswith('MORDECAI_SPEED = "11" (environment)')]


@pytest.mark.parametrize("key", ["telegram_bot_token", "model_api_key", "database_url"])
def test_a_secret_in_the_config_file_is_refused_and_not_repeated(tmp_path: Path, key: str):
    (line,) = problems(write_config(tmp_path, **{key: TOKEN}))
    assert key in line
    assert TOKEN not in line
    assert "environment" in line


@pytest.mark.parametrize(
    ("mistyped", "secret", "meant"),
    [
        ("MORDECAI_MODEL_APIKEY", "sk-1234", "MORDECAI_MODEL_API_KEY"),
        ("MORDECAI_DATABASE_URI", "postgresql://h/d?password=sk-1234", "MORDECAI_DATABASE_URL"),
        ("MORDECAI_DATABASE_URI", "host=h password=sk-1234", "MORDECAI_DATABASE_URL"),
        ("MORDECAI_DATABSE_URL", "mysql://ann:x/sk-1234@db/bot", "MORDECAI_DATABASE_URL"),
        ("MORDECAI_DATABSE_URL", "sk-1234", "MORDECAI_DATABASE_URL"),
        ("MORDECAI_WEBHOOK_URI", "https://ann:x/sk-1234@h", "MORDECAI_WEBHOOK_URL"),
    ],
)
def test_a_mistyped_secret_is_not_repeated_either(
    mistyped: str, secret: str, meant: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(mistyped, secret)
    (line,) = problems()
    assert "sk-1234" not in line
    assert f"Did you mean {meant}?" in line


@pytest.mark.parametrize(
    "address",
    [
        "mysql://ann:s3cret@db.example.org/bot",
        "host=h user=ann password=s3cret",
        "s3cret",
        "postgres//ann:s3cret@h/bot",
        "Postgresql://ann:s3cret@h/bot",
        "postgresql:/ann:s3cret@h/bot",
    ],
)
def test_an_address_of_another_kind_of_database_is_refused_without_its_password(
    monkeypatch: pytest.MonkeyPatch, address: str
):
    monkeypatch.setenv("MORDECAI_DATABASE_URL", address)
    (line,) = problems()
    assert line.startswith("database_url = ")
    assert "expected an address such as postgresql://user:password@host/database" in line
    assert "s3cret" not in line


@pytest.mark.parametrize("sign", ["[", "\u2100"])
def test_signs_that_no_web_address_may_have_are_not_the_databases_business(
    monkeypatch: pytest.MonkeyPatch, sign: str
):
    address = f"postgresql://ann:s3cret{sign}pa@h/bot"
    monkeypatch.setenv("MORDECAI_DATABASE_URL", address)
    assert load().settings.database_url == SecretStr(address)


def test_a_password_with_a_slash_is_not_shown_with_an_address(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MORDECAI_MODEL_BASE_URL", "http://ann:x/s3cret@127.0.0.1/v1")
    assert "s3cret" not in in_force(load())
    monkeypatch.setenv("MORDECAI_MODEL_BASE_URL", "htp://ann:x/s3cret@127.0.0.1/v1")
    assert "s3cret" not in "".join(problems())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"threads": 1,}', "not valid JSON"),
        (b"[1]", "one JSON object"),
        (b"[" * 100_000, "not valid JSON"),
        (b'{"model": "\xff"}', "UTF-8"),
        (b"", "not valid JSON"),
    ],
)
def test_a_config_file_that_is_no_json_object_is_a_clear_error(content: bytes, said: str):
    Path("config.json").write_bytes(content)
    (line,) = problems()
    assert said in line
    assert "config.json" in line


def test_a_config_that_is_a_directory_is_a_clear_error():
    Path("config.json").mkdir()
    (line,) = problems()
    assert "directory" in line


def test_a_broken_line_in_the_env_file_is_named():
    Path(".env").write_text("MORDECAI_THREADS=2\nthis is nothing\n")
    (line,) = problems()
    assert ".env line 2" in line


def test_an_unreadable_env_file_is_a_clear_error():
    Path(".env").write_bytes(b"MORDECAI_THREADS=\xff\n")
    (line,) = problems()
    assert "UTF-8" in line


@pytest.mark.parametrize("name", ["TELEGRAM_BOT_TOKEN", "MORDECAI_TELEGRAM_BOT_TOKEN"])
def test_the_token_comes_from_either_variable(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(name, f" {TOKEN}\n")
    token = load().settings.telegram_bot_token
    assert token is not None
    assert token.get_secret_value() == TOKEN


def test_a_malformed_token_is_refused_without_showing_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", "hunter2")
    (line,) = problems()
    assert "@BotFather" in line
    assert "hunter2" not in line


def test_empty_variables_count_as_absent_and_null_means_null(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write_config(tmp_path, model="openai:x")
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", "")
    monkeypatch.setenv("MORDECAI_THREADS", "")
    monkeypatch.setenv("MORDECAI_MODEL", "null")
    settings = load().settings
    assert settings.telegram_bot_token is None
    assert settings.threads == 4
    assert settings.model is None


@pytest.mark.parametrize("written", ["7,8", "[7, 8]", " 7 , 8, "])
def test_allowed_users_are_a_json_list_or_separated_by_commas(
    written: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("MORDECAI_ALLOWED_USERS", written)
    assert load().settings.allowed_users == (7, 8)


@pytest.mark.parametrize(
    "written", ["bedrock:us.nova-pro-v1:0, openai:b", '["bedrock:us.nova-pro-v1:0", "openai:b"]']
)
def test_fallback_models_are_a_json_list_or_separated_by_commas_in_their_order(
    written: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("MORDECAI_MODEL", "openai:a")
    monkeypatch.setenv("MORDECAI_FALLBACK_MODELS", written)
    assert load().settings.fallback_models == ("bedrock:us.nova-pro-v1:0", "openai:b")


def test_lists_and_addresses_of_the_config_file_arrive(tmp_path: Path):
    write_config(tmp_path, allowed_users=[7, 8], model_base_url="http://127.0.0.1:1/v1/")
    settings = load().settings
    assert settings.allowed_users == (7, 8)
    assert settings.model_base_url == "http://127.0.0.1:1/v1"


def test_what_the_env_file_says_for_libraries_reaches_them(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HTTPS_PROXY", "already-set")
    monkeypatch.setenv("AWS_PROFILE", "to be removed afterwards")
    monkeypatch.delenv("AWS_PROFILE")
    Path(".env").write_text("AWS_PROFILE=me\nHTTPS_PROXY=other\n")
    share_env_file()
    assert os.environ["AWS_PROFILE"] == "me"
    assert os.environ["HTTPS_PROXY"] == "already-set"


def test_settings_are_frozen_and_read_nothing_by_themselves(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MORDECAI_THREADS", "3")
    settings = Settings()
    assert settings.threads == 4
    with pytest.raises(ValidationError):
        settings.threads = 3  # type: ignore[misc]  # that it can't be set is what is tested


def test_what_is_in_force_masks_secrets_and_names_sources(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", TOKEN)
    shown = in_force(load())
    assert TOKEN not in shown
    assert "telegram_bot_token = ********  (environment)" in shown
    assert "threads = 4  (default)" in shown
    assert len(shown.splitlines()) == 1 + len(Settings.model_fields)


def test_what_is_in_force_names_addresses_without_the_password_in_them(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv("MORDECAI_MODEL_BASE_URL", "http://ann:s3cret@llm.example.org/v1")
    assert 'model_base_url = "http://********@llm.example.org/v1"  (env' in in_force(load())


def test_every_setting_has_a_meaning():
    assert [key for key, info in Settings.model_fields.items() if not info.description] == []


def test_the_documented_table_is_the_one_of_the_code():
    """Remedy: put the output of `mordecai config --table` between the markers of the file."""
    document = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert document.count("<!-- settings:begin -->") == 1
    assert document.count("<!-- settings:end -->") == 1
    between = document.split("<!-- settings:begin -->")[1].split("<!-- settings:end -->")[0]
    assert between.strip() == settings_table()


def test_the_config_file_in_the_repository_repeats_defaults_only():
    written = json.loads((ROOT / "config.json").read_text())
    loaded = load(ROOT / "config.json")
    assert set(written) == set(loaded.sources)
    defaults = json.loads(Settings().model_dump_json(include=set(written)))
    assert written == defaults


def variables() -> Iterator[str]:
    for line in (ROOT / ".env.example").read_text().splitlines():
        name, mark, _ = line.lstrip("#").partition("=")
        if mark and " " not in name:
            yield name


def test_the_env_example_names_variables_that_exist(monkeypatch: pytest.MonkeyPatch):
    names = list(variables())
    assert len(names) >= 5
    known = {f"MORDECAI_{key.upper()}" for key in Settings.model_fields} | {"TELEGRAM_BOT_TOKEN"}
    compose = (ROOT / "compose.scale.yaml").read_text(encoding="utf-8")
    assert set(names) <= known | set(re.findall(r"\$\{(\w+)", compose))


def refusals() -> list[str]:
    try:
        load()
    except SettingsError as error:
        return error.problems
    return []


@hypothesis(deadline=None)
@given(st.text(), st.text())
def test_any_text_is_in_force_or_refused_line_by_line(key: str, value: str):
    Path("config.json").write_text(json.dumps({key: value, "model": value, "goals": value}))
    for line in refusals():
        assert "config.json" in line
        assert "\n" not in line


def test_a_webhook_is_where_telegram_calls_and_nowhere_else(tmp_path: Path):
    for address in ("https://bot.example.org", "https://bot.example.org:8443/telegram?x=1"):
        assert load(write_config(tmp_path, webhook_url=address)).settings.webhook_url == address
    for address in ("http://bot.example.org/", "https://", "bot.example.org", "https://x:99999/"):
        [problem] = problems(write_config(tmp_path, webhook_url=address))
        assert problem.startswith("webhook_url")
    [problem] = problems(write_config(tmp_path, webhook_url="https://bot.example.org:5000/"))
    assert "443, 80, 88 and 8443" in problem


def test_a_webhooks_secret_is_of_the_environment_and_of_what_telegram_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    [problem] = problems(write_config(tmp_path, webhook_secret="abc"))
    assert "MORDECAI_WEBHOOK_SECRET" in problem
    assert "abc" not in problem
    (tmp_path / "config.json").unlink()
    for wrong in ("with space", "ä", "x" * 257):
        monkeypatch.setenv("MORDECAI_WEBHOOK_SECRET", wrong)
        [problem] = problems()
        assert "openssl rand" in problem
        assert wrong not in problem
    monkeypatch.setenv("MORDECAI_WEBHOOK_SECRET", "aZ09_-")
    secret = load().settings.webhook_secret
    assert secret is not None
    assert secret.get_secret_value() == "aZ09_-"


def test_paths_start_at_the_folder_of_the_configuration(tmp_path: Path):
    folder = tmp_path / "etc"
    folder.mkdir()
    config = write_config(folder, webhook_certificate="cert.pem", webhook_key="/keys/key.pem")
    settings = load(config).settings
    assert settings.webhook_certificate == folder / "cert.pem"
    assert settings.webhook_key == Path("/keys/key.pem")
    assert settings.data_dir == folder / "data"


def test_a_key_without_its_certificate_is_a_mistake(tmp_path: Path):
    [problem] = problems(write_config(tmp_path, webhook_key="key.pem"))
    assert "webhook_certificate" in problem


def test_owners_alone_are_somebody_to_let_in() -> None:
    assert Settings(access="allowlist", owners=(1001,)).allowed_users == ()


def test_the_collector_is_found_where_opentelemetry_looks_for_it_and_ours_wins(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318/")
    assert load().settings.otel_endpoint == "http://collector:4318"
    monkeypatch.setenv("MORDECAI_OTEL_ENDPOINT", "http://ours:4318")
    assert load().settings.otel_endpoint == "http://ours:4318"
