"""A web process gives memory back after requests with files."""

import subprocess
import sys

import pytest

from evalweb import memory
from evalweb.local_services.folder import BASE_DIR

HOLES = """
import re
from pathlib import Path
from evalweb import memory

def mebibytes():
    return int(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) >> 10

# Blocks that malloc itself hands out; one in a thousand stays, so that the heap cannot end before the last of them.
blocks = [bytes(16_000) for _block in range(5_000)]
full = mebibytes()
blocks = blocks[::1000] + blocks[-1:]
with_holes = mebibytes()
memory.give_back()
print(full, with_holes, mebibytes())
"""


@pytest.mark.skipif(memory._malloc_trim is None, reason="the C library is not glibc")
def test_memory_between_blocks_in_use_is_given_back() -> None:
    command = [sys.executable, "-c", HOLES]
    found = subprocess.run(command, cwd=BASE_DIR, capture_output=True, text=True, check=True)
    full, with_holes, after = map(int, found.stdout.split())
    assert full - with_holes < 30 < full - after, found.stdout
