"""The folder of everything kept: who holds it, and that its secrets are private and stay."""

import errno
import os
import pwd
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from evalweb.local_services import InUse, ServiceError, VarFolder
from evalweb.local_services.folder import SECRET_NAMES
from evalweb.local_services.processes import mark_of, still_alive


@pytest.fixture
def var(tmp_path: Path) -> VarFolder:
    return VarFolder(tmp_path / "var")


def test_secrets_are_made_once_and_for_their_owner_only(var: VarFolder) -> None:
    var.make()
    made = var.make_secrets()
    assert set(made) == set(SECRET_NAMES)
    assert len(made["SECRET_KEY"]) >= 50
    assert var.make_secrets() == var.read_secrets() == made
    assert stat.S_IMODE(var.secrets.stat().st_mode) == 0o600


def test_a_secret_that_a_newer_version_needs_is_added(var: VarFolder) -> None:
    var.make()
    made = var.make_secrets()
    var.write_secrets({"SECRET_KEY": made["SECRET_KEY"]})
    again = var.make_secrets()
    assert again["SECRET_KEY"] == made["SECRET_KEY"]
    assert set(again) == set(SECRET_NAMES)


def test_one_holder_at_a_time_and_the_second_is_told_about_the_first(var: VarFolder) -> None:
    with var.held("the first"):
        var.write_state({"url": "http://127.0.0.1:8000"})
        with (
            pytest.raises(InUse, match=r"the first is already running at http://127\.0\.0\.1:8000, since 2"),
            var.held("x"),
        ):
            pytest.fail("held twice")
    with var.held("the second"):
        assert var.state()["what"] == "the second"
    assert var.state() == {}


def test_the_state_holds_a_password_and_is_private(var: VarFolder) -> None:
    with var.held("anybody"):
        assert stat.S_IMODE((var.root / "running.json").stat().st_mode) == 0o600


def test_a_killed_holder_leaves_neither_lock_nor_processes(var: VarFolder) -> None:
    """Killed outright, with a fork that still runs and a process it had started."""
    story = (
        "import multiprocessing, os, subprocess, sys, threading\n"
        "from evalweb.local_services import VarFolder\n"
        "from evalweb.local_services.processes import mark_of\n"
        "from pathlib import Path\n"
        "var = VarFolder(Path(sys.argv[1]))\n"
        "with var.held('the killed one'):\n"
        "    child = subprocess.Popen(['cat'], stdin=subprocess.PIPE, start_new_session=True)\n"
        "    var.add_child(mark_of(child.pid))\n"
        "    context = multiprocessing.get_context('fork')\n"
        "    begun = context.Event()\n"
        "    context.Process(target=lambda: (begun.set(), child.wait())).start()\n"
        "    begun.wait()\n"
        "    print('held', flush=True)\n"
        "    threading.Event().wait()\n"
    )
    with subprocess.Popen([sys.executable, "-c", story, str(var.root)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        (mark,) = var.state()["children"]
        assert still_alive(mark)
        with pytest.raises(InUse), var.held("too early"):
            pytest.fail("held twice")
        holder.kill()
    with var.held("the next one") as ended:
        assert ended == 1
    assert still_alive(mark) is None


def test_a_mark_does_not_fit_another_process_of_the_same_number() -> None:
    mark = mark_of(os.getpid())
    assert mark is not None
    assert still_alive(mark)
    assert still_alive({**mark, "created": mark["created"] - 100}) is None


def test_the_folder_is_closed_to_other_users(var: VarFolder) -> None:
    var.root.mkdir()
    var.mail.mkdir(mode=0o755)  # as older versions made it
    var.make()
    others = stat.S_IROTH | stat.S_IWOTH
    assert var.root.stat().st_mode & others == 0
    for inner in (var.media, var.backups, var.logs, var.mail):
        assert stat.S_IMODE(inner.stat().st_mode) == 0o700


@contextmanager
def somebody_else() -> Iterator[None]:
    """Act for a moment as a user who owns nothing here, which root can and others already do."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(pwd.getpwnam("nobody").pw_uid)
    try:
        yield
    finally:
        os.seteuid(user)


def test_a_folder_that_belongs_to_somebody_else_is_named(tmp_path: Path) -> None:
    root = tmp_path / "var" if os.geteuid() == 0 else Path("/usr/var-of-evalweb")
    with somebody_else(), pytest.raises(ServiceError, match=r"/var\S* belongs to somebody else, or lies in a folder"):
        VarFolder(root).make()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ServiceError, match=r"file/var cannot be made\. Not a directory"):
        VarFolder(tmp_path / "file" / "var").make()


def test_a_full_disk_is_said_by_whoever_wants_the_folder(var: VarFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def full_disk(file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "fsync", full_disk)
        with (
            pytest.raises(ServiceError, match=r"var cannot be used\. The disk is full\. Make room and try again\."),
            var.held("a command"),
        ):
            pytest.fail("held without a state")
    with var.held("a command"):
        assert var.state()["what"] == "a command"
