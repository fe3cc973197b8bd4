"""docker-compose.yml and the Dockerfile: the same processes as `make run`, and no secret written down."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from evalweb.environment import VARIABLES
from evalweb.local_services.folder import BASE_DIR, VarFolder
from evalweb.serve.children import WORKER_ENVIRONMENT, commands
from tasks_app.studyfile.files.limits import MIB, Limits
from tasks_app.uploads.request_sizes import BESIDE_THE_FILE

SECRETS = {"SECRET_KEY", "POSTGRES_PASSWORD", "VALKEY_PASSWORD"}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    parsed: dict[str, Any] = yaml.safe_load((BASE_DIR / "docker-compose.yml").read_text())
    return parsed


def test_it_runs_the_processes_of_make_run(compose: dict[str, Any]) -> None:
    for name, command in commands(Path("/tmp/beat-schedule")).items():
        assert compose["services"][name]["command"] == ["python", *command[1:]]
    assert compose["services"]["worker"]["environment"].items() >= WORKER_ENVIRONMENT.items()


def test_every_service_says_whether_it_is_well(compose: dict[str, Any]) -> None:
    unwatched = {name for name, one in compose["services"].items() if one["healthcheck"].get("disable")}
    assert unwatched == {"prepare", "scheduler", "backup"}  # the first ends, the others answer nobody


def test_pages_wait_for_the_migrations_and_not_for_the_broker_alone(compose: dict[str, Any]) -> None:
    for name in ("web", "worker", "scheduler"):
        waits = compose["services"][name]["depends_on"]
        assert waits["prepare"] == {"condition": "service_completed_successfully"}
    assert compose["services"]["prepare"]["command"] == ["python", "-m", "evalweb.prepare"]
    assert compose["services"]["prepare"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}


def test_secrets_are_asked_for_and_never_given() -> None:
    text = (BASE_DIR / "docker-compose.yml").read_text()
    for name in SECRETS:
        uses = re.findall(rf"\${{{name}([^}}]*)}}", text)
        assert uses
        assert all(use.startswith(":?set ") for use in uses)
    for line in text.splitlines():
        named = re.match(r"\s+(\w*(?:SECRET|PASSWORD)\w*): (.*)", line)
        assert named is None or named[2].startswith("${"), line


# What an image settles itself, what only `make run` and tests read, and what Compose makes of the secrets.
NOT_OF_COMPOSE = {"HOST", "PORT", "DEBUG", "EVALWEB_VAR", "EVALWEB_STATIC"} | {
    "EVALWEB_DEMO", "EVALWEB_SERVICE_USER", "EVALWEB_CHROMIUM", "EVALWEB_RESEARCHER_PASSWORD",
}  # fmt: skip
FROM_SECRETS = {"SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL", "REDIS_URL"}


def test_every_variable_it_sets_exists(compose: dict[str, Any]) -> None:
    for name in ("web", "worker", "scheduler", "prepare"):
        assert set(compose["services"][name]["environment"]) <= set(VARIABLES)


def test_every_documented_variable_is_passed_on_with_its_default(compose: dict[str, Any]) -> None:
    passed = compose["services"]["web"]["environment"]
    assert set(VARIABLES) - set(passed) == NOT_OF_COMPOSE
    for name in set(passed) - FROM_SECRETS - {"EVALWEB_PROXIES"}:
        assert passed[name] == f"${{{name}:-{VARIABLES[name].default}}}"
    # One stands in docker-compose.yml.
    assert passed["EVALWEB_PROXIES"] == "${EVALWEB_PROXIES:-1}"


def test_the_log_of_every_container_has_a_limit(compose: dict[str, Any]) -> None:
    for name, one in compose["services"].items():
        options = one["logging"]["options"]
        assert options == {"max-size": "10m", "max-file": "5"}, name


def test_the_proxy_buffers_and_lets_the_largest_upload_through(compose: dict[str, Any]) -> None:
    proxy = compose["services"]["proxy"]
    assert proxy["ports"] == ["${PUBLISH:-127.0.0.1:8000}:8080"]
    assert "ports" not in compose["services"]["web"], "nobody passes the proxy by"
    directives = dict(re.findall(r"^ +(\w+) (.+);", (BASE_DIR / "deploy" / "nginx.conf").read_text(), re.MULTILINE))
    assert (directives["proxy_request_buffering"], directives["proxy_buffering"]) == ("on", "on")
    assert int(directives["client_max_body_size"].removesuffix("m")) * MIB == Limits().upload_bytes + BESIDE_THE_FILE
    assert int(directives["keepalive_timeout"].removesuffix("s")) < gunicorn_keepalive()
    assert directives["proxy_http_version"] == "1.1"
    assert directives["access_log"] == "off", "paths hold raters' tokens"


def gunicorn_keepalive() -> int:
    found = re.search(r"^keepalive = (\d+)$", (BASE_DIR / "evalweb" / "gunicorn_conf.py").read_text(), re.MULTILINE)
    assert found
    return int(found[1])


def test_backups_are_made_by_themselves_and_lie_off_the_volumes(compose: dict[str, Any]) -> None:
    backup = compose["services"]["backup"]
    assert "${BACKUPS:-./backups}:/data/backups" in backup["volumes"]
    assert "python -m evalweb.backup create" in backup["command"][2]
    assert VarFolder(Path("/data")).backups == Path("/data/backups")
    assert backup["environment"]["EVALWEB_STATEMENT_SECONDS"] == "0"


def test_a_failed_backup_deletes_no_old_one_and_ends(compose: dict[str, Any], tmp_path: Path) -> None:
    """The command of the service itself, with stand-ins for what it calls; two rounds, of which the second fails."""
    script = compose["services"]["backup"]["command"][2].replace("$$", "$").replace("/data/backups", str(tmp_path))
    stand_ins = (
        f'python() {{ echo "backup $*" >> {tmp_path}/calls; [ ! -e {tmp_path}/failing ]; }}\n'
        f"sleep() {{ echo sleep $1 >> {tmp_path}/calls; touch {tmp_path}/failing; }}\n"
    )
    old = tmp_path / "evalweb-20200101T000000000000Z.tar.gz"
    old.touch()
    os.utime(old, (0, 0))
    (tmp_path / "evalweb-new.tar.gz").touch()
    environment = {"PATH": os.environ["PATH"], "BACKUP_DAYS": "14", "BACKUP_SECONDS": "86400"}
    ended = subprocess.run(["sh", "-c", stand_ins + script], env=environment, check=False)
    assert ended.returncode == 1
    call = "backup -m evalweb.backup create"
    assert (tmp_path / "calls").read_text().splitlines() == [call, "sleep 86400", call, "sleep 60"]
    assert not old.exists()
    assert (tmp_path / "evalweb-new.tar.gz").exists()


def test_the_image_installs_the_exact_versions() -> None:
    lines = (BASE_DIR / "Dockerfile").read_text().splitlines()
    assert "RUN pip install --no-cache-dir --requirement requirements.lock" in lines
    assert "COPY requirements.lock ." in lines
    assert {"!requirements.lock", "!requirements.txt"} <= set((BASE_DIR / ".dockerignore").read_text().splitlines())


def test_every_volume_that_is_used_is_kept(compose: dict[str, Any]) -> None:
    mounted = {volume.rpartition("/data/backups")[0] or volume for volume in _volumes(compose)}
    used = {volume.split(":")[0] for volume in mounted if not volume.startswith(("${BACKUPS", "./"))}
    assert used == set(compose["volumes"]) == {"data", "postgres", "valkey"}


def _volumes(compose: dict[str, Any]) -> list[str]:
    return [volume for one in compose["services"].values() for volume in one.get("volumes", [])]


def test_the_image_runs_nothing_as_root_and_holds_no_secret() -> None:
    lines = (BASE_DIR / "Dockerfile").read_text().splitlines()
    assert [line for line in lines if line.startswith("USER ")] == ["USER evalweb"]
    assert lines.index("USER evalweb") < next(n for n, line in enumerate(lines) if line.startswith("CMD"))
    assert not [line for line in lines if re.match(r"(ENV|ARG).*(SECRET|PASSWORD)", line)]
    copied = (BASE_DIR / ".dockerignore").read_text().splitlines()
    assert copied[0] == "*"
    assert "!var" not in copied
