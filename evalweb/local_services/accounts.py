"""The account that PostgreSQL runs under: it refuses to run as root, so root uses another account."""

import os
import pwd
import secrets
import shutil
import subprocess
from pathlib import Path

from evalweb import environment
from evalweb.local_services.processes import Account, ServiceError

SHELTER = Path("/var/lib/evalweb")


def for_data_in(folder: Path) -> Account:
    """Return the Popen arguments of the account that may own `folder`: none unless root asks.

    A folder that exists keeps its owner; a new one goes to EVALWEB_SERVICE_USER.
    """
    if os.geteuid() != 0:
        return Account()
    if folder.exists() and (owner := folder.stat()).st_uid != 0:
        return {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []}
    name = environment.text("EVALWEB_SERVICE_USER")
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        raise ServiceError(
            f"PostgreSQL cannot run as root, and there is no account {name!r} to run it as. "
            "Set EVALWEB_SERVICE_USER to one, or start evalweb as an ordinary user."
        ) from None
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def may_enter(folder: Path, account: Account) -> bool:
    """Return whether the account can reach `folder`, asked of the kernel rather than read from mode bits."""
    if not account:
        return True
    answer = subprocess.run(["test", "-x", str(folder)], cwd="/", check=False, **account)
    return answer.returncode == 0


def give(folder: Path, account: Account) -> None:
    """Make `folder` the account's own, closed to others."""
    if account:
        os.chown(folder, account["user"], account["group"])
    folder.chmod(0o700)


def sheltered(folder: Path, account: Account) -> Path:
    """Return a folder for data meant for `folder`: itself, or one below /var/lib where the account cannot reach it.

    The clone of root's often lies in a folder closed to everybody else (/root). Opening that would be the wrong
    answer, so the data moves out and `folder` becomes a link to it.
    """
    if folder.is_symlink() or may_enter(folder.parent, account):
        return folder.resolve()
    if folder.exists():
        raise ServiceError(
            f"PostgreSQL's account cannot enter {folder.parent} any more. Move evalweb to a folder that every "
            "account may enter, or open the way (chmod o+x) from the top down to that folder."
        )
    refuge = SHELTER / secrets.token_hex(6)
    refuge.mkdir(parents=True, mode=0o711)
    for opened in (SHELTER, refuge):
        opened.chmod(0o711)
    target = refuge / folder.name
    folder.symlink_to(target)
    return target


def reachable_copy(installed: Path, libraries: Path, beside: Path, account: Account) -> Path:
    """Return an installation of PostgreSQL that the account can run: `installed`, or a copy of it in `beside`."""
    if may_enter(installed / "bin", account):
        return installed
    copy = beside / libraries.name.removesuffix(".libs") / installed.name
    if not copy.exists():
        # Libraries first and the programs by a rename, so that a copy cut short is made again.
        shutil.copytree(libraries, beside / libraries.name, dirs_exist_ok=True)
        unfinished = copy.with_name(f"{copy.name}.new")
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.copytree(installed, unfinished, symlinks=True)
        unfinished.rename(copy)
    return copy
