"""What is shipped: three packages, one command, nothing of the tests, nothing of anybody else's."""

import subprocess
import sys
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OURS = "mordecai-assistant"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_holds_the_three_packages_and_nothing_else(wheel: zipfile.ZipFile):
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"bot", "memory", "tools"}


def test_all_code_and_data_of_the_checkout_is_in_the_wheel(wheel: zipfile.ZipFile):
    files = {
        path.relative_to(ROOT).as_posix()
        for package in ("bot", "memory", "tools")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    data = {"bot/texts/en.toml", "memory/search/lexicon/en.toml"}
    assert {"bot/app.py", *data} <= files <= set(wheel.namelist())


def test_the_wheel_brings_the_command(wheel: zipfile.ZipFile):
    (name,) = [name for name in wheel.namelist() if name.endswith("entry_points.txt")]
    assert "mordecai = bot.__main__:main" in wheel.read(name).decode()


@pytest.mark.parametrize("package", ["bot", "memory", "tools"])
def test_no_other_distribution_owns_one_of_our_names(package: str):
    # `tools` and `memory` exist on the public index too; installing them would overwrite ours.
    assert set(packages_distributions().get(package, [OURS])) <= {OURS}
