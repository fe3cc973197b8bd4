"""Show and change the keys that sign archives: `python -m evalweb.signing show`, `... rotate`, `... compromised KEY`.

The private key and all public keys are one line in the file of secrets (EVALWEB_VAR/secrets), which backups contain.
Processes read it whenever they sign an archive or show the keys, so a change holds at once and needs no restart.
"""

import argparse
import sys
from collections.abc import Callable

from analytics_app.archive.keys import LINE, BadKeys, KeyRing, now
from evalweb.local_services import ServiceError, VarFolder
from evalweb.local_services.processes import sentence


def main(arguments: list[str] | None = None) -> int:
    """Carry out the command line, print the keys, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m evalweb.signing", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("show", help="print the keys, and make one where there is none")
    commands.add_parser("rotate", help="make a new key that signs from now on; the present one is retired")
    declaring = commands.add_parser(
        "compromised", help="declare that others may have a key; where it still signs, a new one is made"
    )
    declaring.add_argument("fingerprint", help="the 64 digits of the key")
    options = parser.parse_args(arguments)
    changes: dict[str, Callable[[KeyRing], KeyRing]] = {
        "show": lambda ring: ring,
        "rotate": lambda ring: ring.rotated(now()),
        "compromised": lambda ring: ring.without_trust(options.fingerprint.lower(), now()),
    }
    try:
        ring = changed(VarFolder(), changes[options.command])
    except (BadKeys, ServiceError) as problem:
        sys.stderr.write(f"{problem}\n")
        return 1
    except OSError as problem:
        sys.stderr.write(f"{sentence(problem)}\n")
        return 1
    for key in reversed(ring.keys):
        sys.stdout.write(f"{key.fingerprint}  {key.standing}\n")
    return 0


def changed(var: VarFolder, change: Callable[[KeyRing], KeyRing]) -> KeyRing:
    """Change the keys of a folder, and return them; where it has none, a key is made first.

    Raises
    ------
    BadKeys
        Where the keys are damaged, or there is no key of a fingerprint.
    ServiceError
        Where the folder belongs to somebody else or cannot be made.
    """
    var.make()
    with var.changed_secrets() as values:
        ring = KeyRing.read(values[LINE]) if LINE in values else KeyRing.new(now())
        ring = change(ring)
        values[LINE] = ring.write()
    return ring


if __name__ == "__main__":
    sys.exit(main())
