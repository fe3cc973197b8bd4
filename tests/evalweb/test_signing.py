"""The keys that sign archives: made once, changed by their command, and never trusted again by a restore."""

import stat
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from pytest_django import Settings

from analytics_app.archive import keys
from analytics_app.archive.keys import LINE, BadKeys, KeyRing
from evalweb import backup, signing
from evalweb.local_services import ServiceError, VarFolder
from evalweb.local_services.folder import BASE_DIR

NOW = keys.now()
DAY = timedelta(days=1)


@pytest.fixture
def var(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings) -> VarFolder:
    monkeypatch.setenv("EVALWEB_VAR", str(tmp_path / "var"))
    folder = VarFolder()
    settings.EVALWEB_SECRETS = folder.secrets
    return folder


def ring_of(var: VarFolder) -> KeyRing:
    return KeyRing.read(var.read_secrets()[LINE])


def test_processes_that_start_at_once_get_one_key(tmp_path: Path) -> None:
    root = tmp_path / "var"
    story = (
        "import sys; from pathlib import Path; from evalweb.local_services import VarFolder\n"
        "var = VarFolder(Path(sys.argv[1])); var.make(); print(sorted(var.make_secrets().items()))\n"
    )
    command = [sys.executable, "-c", story, str(root)]
    started = [subprocess.Popen(command, cwd=BASE_DIR, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    printed = {process.communicate(timeout=120)[0] for process in started}
    assert len(printed) == 1
    assert stat.S_IMODE((root / "secrets").stat().st_mode) == 0o600
    assert len(ring_of(VarFolder(root)).keys) == 1


def test_the_command_makes_retires_and_condemns_keys(var: VarFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert keys.site_ring() is None
    assert signing.main(["show"]) == 0
    first = ring_of(var)
    assert keys.site_ring() == first
    assert capsys.readouterr().out == f"{first.current.fingerprint}  {first.current.standing}\n"
    assert first.current.standing.endswith(", signs new archives")
    var.write_secrets(var.read_secrets() | {"SECRET_KEY": "stays"})
    assert signing.main(["rotate"]) == 0
    second = ring_of(var)
    assert var.read_secrets()["SECRET_KEY"] == "stays"
    assert [key.public for key in second.keys[:-1]] == [first.current.public]
    assert (second.keys[0].retired, second.current.retired) != (None, None)
    capsys.readouterr()
    assert signing.main(["compromised", second.current.fingerprint.upper()]) == 0
    third = ring_of(var)
    newest, middle, oldest = capsys.readouterr().out.splitlines()
    assert "signs new archives" in newest
    assert "declared compromised on" in middle
    assert ": it signs nothing new" in oldest
    assert third.current.fingerprint not in {first.current.fingerprint, second.current.fingerprint}
    assert signing.main(["compromised", "0" * 64]) == 1
    assert "no key with the fingerprint 000" in capsys.readouterr().err
    assert ring_of(var) == third
    assert "private" not in repr(third)


@pytest.mark.parametrize("damage", ["{", "[]", '{"private_key": "AA==", "keys": []}'])
def test_damaged_keys_are_told_and_not_replaced(
    var: VarFolder, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    var.make()
    var.write_secrets({LINE: damage})
    assert signing.main(["rotate"]) == 1
    assert f"{LINE} in the file of secrets is damaged. Restore that file from a backup." in capsys.readouterr().err
    assert var.read_secrets() == {LINE: damage}
    with pytest.raises(BadKeys):
        keys.site_ring()
    with pytest.raises(ServiceError, match=r"damaged.*Nothing was changed"):
        backup.joined_secrets({LINE: damage}, {LINE: KeyRing.new(NOW).write()})


def test_a_private_key_needs_its_public_key() -> None:
    one, other = KeyRing.new(NOW), KeyRing.new(NOW)
    with pytest.raises(BadKeys, match="lacks the public key of its private key"):
        KeyRing.read(KeyRing(one.private, other.keys).write())


def test_a_restore_brings_keys_back_and_forgets_none() -> None:
    backed_up = KeyRing.new(NOW - 9 * DAY)
    line = {LINE: backed_up.write(), "SECRET_KEY": "of the backup"}
    # On another machine, that has signed nothing that anybody relies on: the key of the backup signs again.
    there = KeyRing.new(NOW - DAY)
    joined = backup.joined_secrets({LINE: there.write(), "EVALWEB_BROKER_PASSWORD": "stays"}, line)
    assert (joined["SECRET_KEY"], joined["EVALWEB_BROKER_PASSWORD"]) == ("of the backup", "stays")
    ring = KeyRing.read(joined[LINE])
    assert ring.current.fingerprint == backed_up.current.fingerprint
    assert [key.public for key in ring.keys] == [backed_up.current.public, there.current.public]
    assert ring.keys[1].retired is not None
    # After a rotation here, or after the key was declared compromised: both hold on.
    for later in (backed_up.rotated(NOW), backed_up.without_trust(backed_up.current.fingerprint, NOW)):
        ring = KeyRing.read(backup.joined_secrets({LINE: later.write()}, line)[LINE])
        assert ring == later
    # A backup from before there were keys takes none away; an empty machine takes what the backup has.
    assert backup.joined_secrets({LINE: there.write()}, {"SECRET_KEY": "x"})[LINE] == there.write()
    assert backup.joined_secrets({}, line) == line
    assert backup.joined_secrets({LINE: there.write()}, line, is_new=True) == line
