"""A study of 100,000 outputs loaded and opened by the commands: CPU seconds and peak memory, beside the limits.

CPU seconds are those of the command and of the database together, and include the start of Django. Loading checks the
file, draws the plan once to see that it can be drawn, and stores the texts; opening draws the plan and stores its
places. `python -m bench opening 1000000` takes another number of outputs, which are then loaded only.
"""

import sys
import tempfile
from pathlib import Path

from bench import crowds, importing

OUTPUTS, SYSTEMS, K = 100_000, 5, 3
# Promised for 100,000 outputs: CPU seconds to load and to open, and MiB of either.
MOST_TO_LOAD, MOST_TO_OPEN, MOST_MEMORY = 20, 15, 300
# Promised for a million outputs loaded, in MiB.
MOST_MEMORY_OF_A_MILLION = 2048


def main() -> None:
    """Print a line for loading, and one for opening."""
    given = [int(word) for word in sys.argv[1:] if word.isdigit()]
    outputs = given[0] if given else OUTPUTS
    slug = f"opening-{outputs}"
    with tempfile.TemporaryDirectory() as name:
        # With the known ones, as many texts as a file may have.
        items = (outputs - crowds.KNOWN) // SYSTEMS
        crowds.write_files(Path(name), slug, items=items, systems=SYSTEMS, k=K, criteria=2)
        loaded = importing.run("load_study", name)
    memory = MOST_MEMORY if outputs == OUTPUTS else MOST_MEMORY_OF_A_MILLION
    print(_line(f"{outputs:,} outputs loaded", loaded, MOST_TO_LOAD if outputs == OUTPUTS else None, memory))
    if outputs == OUTPUTS:
        opened = importing.run("move_study", slug, "open", "--reason", "bench")
        print(_line(f"{outputs:,} outputs opened", opened, MOST_TO_OPEN, MOST_MEMORY))


def _line(what: str, used: importing.Used, most_seconds: int | None, most_memory: int) -> str:
    """Format the cost of a command beside the limits; without seconds, only the memory is."""
    promised = (
        f"under {most_memory:,} MiB" if most_seconds is None else f"at most {most_seconds} s, under {most_memory} MiB"
    )
    seconds = used.command + used.database
    return (
        f"{what}: {seconds:.1f} CPU seconds (command {used.command:.1f}, database {used.database:.1f}), "
        f"{used.memory:.0f} MiB (promised: {promised})"
    )
