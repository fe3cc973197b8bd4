"""What a researcher copies from our pages to read an export keeps every label and key as it is."""

import ast
import io
import re

import pandas as pd
import pytest

from evalweb.local_services.folder import BASE_DIR

PAGES = ("README.md", "docs/api.md", "docs/methods/which-conclusion.md", "docs/methods/intervals.md",
         "templates/researcher/data.html", "templates/researcher/tokens.html")  # fmt: skip

# Words that pandas takes for missing values, and keys that it takes for numbers.
LABELS = ("None", "NA", "null", "nan", "N/A", "civil")
KEYS = ("007", "7", "1.10", "1.1", "1e3", "True")
TABLE = "item,label,value,excluded_by\n" + "".join(
    f"{key},{label},4,\n" for key, label in zip(KEYS, LABELS, strict=True)
)


def settings_of(page: str) -> list[dict[str, object]]:
    """Return the settings of every call of read_csv on a page that are about the types of cells."""
    text = (BASE_DIR / page).read_text(encoding="utf-8")
    shared = re.search(r"^as_text = (\{[^}]*\})", text, re.MULTILINE)
    keys = re.search(r"^KEYS = (dict\.fromkeys\(.*?\n\))", text, re.MULTILINE | re.DOTALL)
    known = {"dict": dict, "str": str}
    names = {
        "as_text": eval(shared[1], known) if shared else {},
        "KEYS": eval(keys[1], known) if keys else {},
        "str": str,
    }
    found = []
    for begin in [match.end() for match in re.finditer(r"read_csv\(", text)]:
        depth, end = 1, begin
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        arguments = text[begin : end - 1].replace("{{ addresses.1.1 }}", "address")
        call = ast.parse(f"f({arguments})", mode="eval").body
        assert isinstance(call, ast.Call)
        settings: dict[str, object] = {}
        for keyword in call.keywords:
            if keyword.arg != "storage_options":
                value = eval(compile(ast.Expression(keyword.value), page, "eval"), names)
                settings |= value if keyword.arg is None else {keyword.arg: value}
        found.append(settings)
    return found


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_lost_by_the_calls_of_our_pages(page: str) -> None:
    calls = settings_of(page)
    assert calls
    for settings in calls:
        frame = pd.read_csv(io.StringIO(TABLE), **settings)
        assert tuple(frame["item"]) == KEYS, page
        assert tuple(frame["label"]) == LABELS, page
        assert pd.to_numeric(frame["value"]).sum() == 4 * len(KEYS)
