"""The command, as far as it goes without a conversation."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bot.conftest import Run

_OWN = ("MORDECAI_", "TELEGRAM_")
TOKEN = "123456789:" + "A" * 35


def run(
    *arguments: str, cwd: Path, stdin: bytes = b"", **variables: str
) -> subprocess.CompletedProcess[bytes]:
    own = {k: v for k, v in os.environ.items() if not k.startswith(_OWN)}
    return subprocess.run(
        [Path(sys.executable).with_name("mordecai"), *arguments],
        cwd=cwd,
        env={**own, **variables},
        input=stdin,
        capture_output=True,
        timeout=60,
        check=False,
    )


def test_version_and_help_are_printed(tmp_path: Path):
    assert run("--version", cwd=tmp_path).stdout.startswith(b"mordecai ")
    shown = run("--help", cwd=tmp_path)
    assert shown.returncode == 0
    assert all(word in shown.stdout for word in (b"run", b"chat", b"config"))


def test_help_loads_neither_telegram_nor_a_model_library(tmp_path: Path):
    code = (
        "import sys; from bot.__main__ import main\n"
        "sys.argv = ['mordecai', '--help']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'telegram', 'pydantic_ai', 'boto3', 'openai'} & set(sys.modules)\n"
        "sys.exit(f'loaded: {heavy}' if heavy else 0)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, timeout=60, check=False
    )
    assert ran.returncode == 0, ran.stderr


def test_config_shows_what_is_in_force_without_the_secret(tmp_path: Path):
    shown = run("config", cwd=tmp_path, TELEGRAM_BOT_TOKEN=TOKEN, MORDECAI_THREADS="3")
    assert shown.returncode == 0
    assert b"threads = 3  (environment)" in shown.stdout
    assert TOKEN.encode() not in shown.stdout + shown.stderr


def test_the_table_is_printed_for_the_readme(tmp_path: Path):
    shown = run("config", "--table", cwd=tmp_path)
    assert shown.stdout.startswith(b"| key | environment variable |")


@pytest.mark.parametrize("arguments", [("config",), ("chat",), ("run",), ()])
def test_a_mistake_in_the_settings_is_one_line_and_exit_2(
    run_here: Run, arguments: tuple[str, ...]
):
    code, out, err = run_here(*arguments, MORDECAI_THREADS="none")
    assert (code, out) == (2, "")
    (line,) = err.splitlines()
    assert 'threads = "none" (environment)' in line


@pytest.mark.parametrize("user", ["0", "-1", "anna", "1.5", str(2**52)])
def test_a_user_is_a_positive_number(run_here: Run, tmp_path: Path, user: str):
    code, _, err = run_here("chat", "--user", user)
    assert code == 2
    assert "--user" in err
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_command_or_option_exits_2(run_here: Run):
    assert run_here("talk")[0] == 2
    assert run_here("--loud")[0] == 2


def test_a_data_directory_that_cannot_be_is_the_operators_mistake(tmp_path: Path):
    (tmp_path / "file").write_text("")
    ran = run("chat", "--data", "file/data", cwd=tmp_path)
    assert ran.returncode == 2
    assert "--data" in ran.stderr.decode().splitlines()[-1]
    assert b"Traceback" not in ran.stderr


def test_nobody_reading_the_output_is_no_crash(tmp_path: Path):
    process = subprocess.Popen(
        [Path(sys.executable).with_name("mordecai"), "config", "--table"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    with process.stderr:
        assert b"Traceback" not in process.stderr.read()
    process.wait(60)
