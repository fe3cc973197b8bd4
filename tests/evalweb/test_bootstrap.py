"""Making .venv: once, again when the lists change, and by one of several at a time."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from evalweb.local_services.folder import BASE_DIR


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone that needs no package, so that nothing has to be downloaded."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(BASE_DIR / "scripts" / "bootstrap.py", tmp_path / "scripts")
    (tmp_path / "requirements.txt").write_text("# nothing\n")
    (tmp_path / "requirements-dev.txt").write_text("-r requirements.txt\n")
    return tmp_path


def bootstrap(clone: Path, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "scripts/bootstrap.py", *arguments],
        cwd=clone,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def said(process: "subprocess.Popen[str]") -> str:
    output, _nothing = process.communicate(timeout=120)
    assert process.returncode == 0, output
    return output


@pytest.mark.exhaustive
@pytest.mark.whole
def test_it_is_made_once_and_what_has_changed_or_failed_is_installed(clone: Path) -> None:
    """One environment, which takes three seconds to make, goes through everything."""
    (clone / ".venv" / "bin").mkdir(parents=True)
    (clone / ".venv" / "bin" / "python").write_text("an unfinished environment is made anew")
    outputs = [said(process) for process in [bootstrap(clone) for _ in range(3)]]
    assert sorted("Making .venv" in output for output in outputs) == [False, False, True]
    assert sum("Installing what requirements.txt names" in output for output in outputs) == 1
    assert subprocess.run([clone / ".venv/bin/python", "-c", ""], check=True).returncode == 0
    assert set(json.loads((clone / ".venv" / "installed.json").read_text())) == {"run"}
    assert said(bootstrap(clone)) == ""

    (clone / "requirements.txt").write_text("./there-is-no-such-package\n")
    process = bootstrap(clone)
    output, _nothing = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "pip could not install requirements.txt" in output
    (clone / "requirements.txt").write_text("# nothing else\n")
    assert said(bootstrap(clone, "--dev")).startswith("Installing what requirements-dev.txt names")
    assert said(bootstrap(clone, "--dev")) == said(bootstrap(clone)) == "", "the tests' list includes the other one"

    uv = clone / ".venv" / "bin" / "uv"
    uv.write_text('#!/bin/sh\necho "$@" > "$0.arguments"\n')
    uv.chmod(0o755)
    (clone / "requirements.txt").write_text("./there-is-no-such-package\n")
    assert "could not" not in said(bootstrap(clone))
    used = (clone / ".venv" / "bin" / "uv.arguments").read_text().split()
    assert used[:2] == ["pip", "install"]
    assert used[-2:] == ["--requirement", str(clone / "requirements.txt")]
    uv.write_text("#!/bin/sh\necho uv cannot >&2; exit 2\n")
    (clone / "requirements.txt").write_text("# nothing, which pip can install\n")
    assert "uv cannot" not in said(bootstrap(clone)), "pip installs what uv cannot, and nobody needs to know"


def test_an_old_python_is_told_what_to_do() -> None:
    """The check stands before everything that an older Python could not read or import."""
    story = "import runpy, sys; sys.version_info = (3, 8, 2, 'final', 0); runpy.run_path('scripts/bootstrap.py')"
    answer = subprocess.run([sys.executable, "-c", story], cwd=BASE_DIR, capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    assert answer.stderr.startswith(
        "evalweb needs Python 3.11 or newer; this is 3.8. Name another one: make run PYTHON="
    )


def test_a_python_without_ensurepip_uses_its_pip_from_outside(clone: Path) -> None:
    """As Debian's does until python3-venv is installed."""
    story = "import runpy, sys; sys.modules['ensurepip'] = None; runpy.run_path(sys.argv[1], run_name='__main__')"
    subprocess.run([sys.executable, "-c", story, "scripts/bootstrap.py"], cwd=clone, check=True, capture_output=True)
    assert not list((clone / ".venv").glob("lib/*/site-packages/pip"))
    assert said(bootstrap(clone)) == ""
