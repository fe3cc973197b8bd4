"""docker-compose.yml and the Dockerfile: the same processes as `make run`, and no secret written down."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from evalweb.environment import VARIABLES
from evalweb.local_services.folder import BASE_DIR
from evalweb.serve.children import WORKER_ENVIRONMENT, commands

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
    assert unwatched == {"prepare", "scheduler"}  # one ends, the other answers nobody


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


def test_every_variable_it_sets_exists(compose: dict[str, Any]) -> None:
    for name in ("web", "worker", "scheduler", "prepare"):
        assert set(compose["services"][name]["environment"]) <= set(VARIABLES)


def test_every_volume_that_is_used_is_kept(compose: dict[str, Any]) -> None:
    used = {volume.split(":")[0] for one in compose["services"].values() for volume in one.get("volumes", [])}
    assert used == set(compose["volumes"]) == {"data", "postgres", "valkey"}


def test_the_image_runs_nothing_as_root_and_holds_no_secret() -> None:
    lines = (BASE_DIR / "Dockerfile").read_text().splitlines()
    assert [line for line in lines if line.startswith("USER ")] == ["USER evalweb"]
    assert lines.index("USER evalweb") < next(n for n, line in enumerate(lines) if line.startswith("CMD"))
    assert not [line for line in lines if re.match(r"(ENV|ARG).*(SECRET|PASSWORD)", line)]
    copied = (BASE_DIR / ".dockerignore").read_text().splitlines()
    assert copied[0] == "*"
    assert "!var" not in copied
