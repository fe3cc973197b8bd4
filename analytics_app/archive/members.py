"""Look at the members of a zip: each must be one file that every program unpacks to the same place."""

import re
import stat
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Iterator

# The bit of a zip's flags that says that a member is encrypted.
ENCRYPTED = 0x1
# A segment of a path that leads elsewhere, or that some systems read differently.
ODD = re.compile(r"(^|/)(\.{0,2})(/|$)|[\\:\x00-\x1f\x7f]")


def faults(archive: zipfile.ZipFile) -> Iterator[str]:
    """Yield a sentence for each member that programs would read differently, so that no two see another archive."""
    infos = archive.infolist()
    for name, n in sorted(Counter(info.filename for info in infos).items()):
        if n > 1:
            yield f"{name} is {n} times in the zip."
    yield from _alike({info.filename for info in infos})
    for info in infos:
        name = info.orig_filename
        folder = name.endswith("/")
        if ODD.search(name.removesuffix("/")) or info.filename != name:
            yield f"{name} is no path of a file inside the archive."
        if folder and info.file_size:
            yield f"{name} is a folder with content."
        if info.flag_bits & ENCRYPTED:
            yield f"{name} is encrypted."
        if stat.S_ISLNK(info.external_attr >> 16):
            yield f"{name} is a link."
    if infos and (n_before := min(info.header_offset for info in infos)):
        yield f"The zip begins with {n_before:,} bytes that belong to no file."


def _alike(names: set[str]) -> Iterator[str]:
    """Yield a sentence for names that are the same file on some systems, which ignore case or join accents."""
    first: dict[str, str] = {}
    for name in sorted(names):
        folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
        if (other := first.setdefault(folded, name)) != name:
            yield f"{other} and {name} are the same file on some systems."
