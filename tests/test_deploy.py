"""What operators deploy with names only what there is."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from configparser import RawConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.operations.metrics import GAUGES, Scrape
from bot.settings import Settings, variable_of
from tests.scraped import scraped

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
COMPOSE = sorted(ROOT.glob("compose*.yaml"))
UNITS = sorted(DEPLOY.glob("*.service"))
#: A worker does not start with one of ours that it does not know.
VARIABLES = {variable_of(key) for key in Settings.model_fields} | {"MORDECAI_CONFIG"}


def parsed(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def named(path: Path) -> str:
    return path.name


def unit(path: Path) -> RawConfigParser:
    # A key may stand twice.
    parser = RawConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(path, encoding="utf-8")
    return parser


def seconds(text: str) -> float:
    assert re.fullmatch(r"\d+s?", text), text
    return float(text.removesuffix("s"))


# -- settings -------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [*COMPOSE, *UNITS, *DEPLOY.glob("*")], ids=named)
def test_every_variable_is_a_setting(path: Path):
    found = set(re.findall(r"\bMORDECAI_[A-Z_]+\b", path.read_text(encoding="utf-8")))
    assert found <= VARIABLES


# -- compose --------------------------------------------------------------------------------------


def services(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield from parsed(path)["services"].items()


def ours(path: Path) -> list[Mapping[str, Any]]:
    return [service for _, service in services(path) if service.get("image") == "mordecai"]


def test_one_worker_keeps_files_and_three_share_a_database():
    one, many = ours(ROOT / "compose.yaml"), ours(ROOT / "compose.scale.yaml")
    assert (len(one), len(many)) == (1, 3)
    assert one[0]["volumes"] == ["data:/data"]
    for worker in many:
        assert worker["environment"]["MORDECAI_DATABASE_URL"].startswith("postgresql://")
        assert "MORDECAI_WEBHOOK_SECRET" in worker["environment"]
        # The file with the variables holds these too, and they are not a worker's to know.
        assert worker["environment"]["POSTGRES_PASSWORD"] == ""
        assert worker["depends_on"] == {"postgres": {"condition": "service_healthy"}}


@pytest.mark.parametrize("path", COMPOSE, ids=named)
def test_compose_gives_workers_the_time_to_finish_and_looks_after_them(path: Path):
    for worker in ours(path):
        assert seconds(worker["stop_grace_period"]) > 2 * Settings().stop_seconds
        assert worker["healthcheck"]["test"] == ["CMD", "mordecai", "health"]
        assert worker["restart"] == "unless-stopped"


@pytest.mark.parametrize("path", COMPOSE, ids=named)
def test_compose_names_volumes_and_files_that_are_there(path: Path):
    volumes = parsed(path)["volumes"].keys()
    mounted = set()
    for _, service in services(path):
        for mount in service.get("volumes", ()):
            source = mount.split(":")[0]
            if source.startswith("./"):
                assert (ROOT / source).is_file(), source
            else:
                mounted.add(source)
    assert mounted == volumes


def test_the_proxy_and_prometheus_know_every_worker():
    workers = {
        name for name, service in services(ROOT / "compose.scale.yaml")
        if service.get("image") == "mordecai"
    }  # fmt: skip
    proxy = (DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    assert set(re.findall(r"(worker-\d+):8443", proxy)) == workers
    (job,) = parsed(DEPLOY / "prometheus.yaml")["scrape_configs"]
    (targets,) = job["static_configs"]
    assert set(targets["targets"]) == {f"{worker}:8080" for worker in workers}


def test_the_workers_role_is_no_superuser_and_what_it_is_given_is_the_password_of_its_address():
    script = (DEPLOY / "postgres.sh").read_text(encoding="utf-8")
    assert "SUPERUSER" not in script
    assert "CREATE ROLE mordecai LOGIN" in script
    environment = dict(services(ROOT / "compose.scale.yaml"))["postgres"]["environment"]
    assert environment["WORKER_PASSWORD"] == "${WORKER_PASSWORD}"


# -- systemd --------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", UNITS, ids=named)
def test_systemd_gives_a_worker_the_time_to_finish_and_starts_it_again(path: Path):
    service = unit(path)["Service"]
    assert seconds(service["TimeoutStopSec"]) > 2 * Settings().stop_seconds
    assert service["Restart"] == "always"
    assert service["ExecStart"].endswith("/mordecai run")


def test_an_operators_mistake_is_final_but_not_where_a_database_may_just_be_away():
    one, many = (unit(DEPLOY / f"mordecai{at}.service")["Service"] for at in ("", "@"))
    assert one["RestartPreventExitStatus"] == "2"
    assert "RestartPreventExitStatus" not in many


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze")
def test_systemd_finds_nothing_wrong_with_the_units(tmp_path: Path):
    copies = []
    for path in UNITS:
        copy = tmp_path / path.name.replace("@", "@1")
        text = path.read_text(encoding="utf-8").replace("/opt/mordecai/bin/mordecai", "/bin/true")
        copy.write_text(text.replace("User=mordecai", "User=root"), encoding="utf-8")
        copies.append(copy)
    checked = subprocess.run(
        ["systemd-analyze", "verify", *copies], capture_output=True, text=True, timeout=60
    )
    assert (checked.returncode, checked.stderr) == (0, "")


# -- metrics --------------------------------------------------------------------------------------

_NAME = re.compile(r"\b((?:mordecai|process|python)_[a-z_]+)\b")


async def known_names() -> set[str]:
    """What a query may name: every metric, and a histogram's buckets, sum and count."""
    found = scraped(await Scrape({}).text())
    suffixed = {
        name + suffix
        for name, kind in found.types.items()
        if kind == "histogram"
        for suffix in ("_bucket", "_sum", "_count")
    }
    return set(found.types) | set(GAUGES) | suffixed


def dashboard_queries() -> list[str]:
    panels = json.loads((DEPLOY / "grafana.json").read_text(encoding="utf-8"))["panels"]
    return [target["expr"] for panel in panels for target in panel.get("targets", ())]


def alert_queries() -> list[str]:
    groups = parsed(DEPLOY / "alerts.yaml")["groups"]
    return [rule["expr"] for group in groups for rule in group["rules"]]


@pytest.mark.parametrize("queries", [dashboard_queries, alert_queries])
async def test_every_query_names_metrics_that_exist(queries: Any):
    known = await known_names()
    assert len(queries()) > 5
    for query in queries():
        names = set(_NAME.findall(query))
        assert names or query.startswith("up{"), query
        assert names <= known, query


def test_the_dashboards_panels_do_not_overlap():
    panels = json.loads((DEPLOY / "grafana.json").read_text(encoding="utf-8"))["panels"]
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not cells & taken, panel["title"]
        assert at["x"] + at["w"] <= 24
        taken |= cells
    assert len({panel["id"] for panel in panels}) == len(panels)


async def test_the_documents_name_every_metric():
    text = (ROOT / "docs" / "telegram.md").read_text(encoding="utf-8")
    names = {name for name in await known_names() if name.startswith("mordecai_")}
    for name in names:
        whole = re.sub("_(bucket|sum|count)$", "", name)
        assert f"`{whole}" in text, name
