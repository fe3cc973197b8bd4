"""Style sheets: raw values only in tokens.css, colours that can be read, and one dark palette."""

import re
from pathlib import Path

import pytest
from django.conf import settings

CSS = Path(settings.BASE_DIR) / "static" / "css"
OTHERS = [path for path in sorted(CSS.rglob("*.css")) if path.name not in {"tokens.css", "admin_tokens.css"}]
TOKENS = (CSS / "tokens.css").read_text(encoding="utf-8")

# What stands on what. 4.5 for texts and 3 for edges of controls: WCAG 2.2, 1.4.3 and 1.4.11.
TEXTS = [
    (ink, ground)
    for ink in ("ink", "ink-quiet", "accent", "accent-strong")
    for ground in ("ground", "surface", "sunken")
] + [
    ("on-accent", "accent"),
    ("on-accent", "accent-strong"),
    ("ink", "accent-soft"),
    *((state, f"{state}-soft") for state in ("good", "warn", "bad")),
    *((state, "surface") for state in ("good", "warn", "bad")),
    *(("ink", f"{state}-soft") for state in ("good", "warn", "bad")),
]
EDGES = [("line-strong", ground) for ground in ("ground", "surface")] + [("accent", "accent-soft")]


def block(opening: str) -> dict[str, str]:
    """Return the custom properties of one block of tokens.css."""
    inside = TOKENS.split(opening, 1)[1].split("}", 1)[0]
    return dict(re.findall(r"--([a-z0-9-]+):\s*([^;]+);", inside))


LIGHT = block(":root {")
DARK = block(':root[data-theme="dark"] {')


def luminance(colour: str) -> float:
    """Return the relative luminance of #rrggbb, as WCAG 2.2 defines it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, from 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_measured_right() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)  # WebAIM's example of the least grey


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("pairs", "least"), [(TEXTS, 4.5), (EDGES, 3.0)], ids=["texts", "edges"])
def test_colours_can_be_told_from_their_ground(
    palette: dict[str, str], pairs: list[tuple[str, str]], least: float
) -> None:
    weak = {pair: round(contrast(palette[pair[0]], palette[pair[1]]), 2) for pair in pairs}
    assert {pair: ratio for pair, ratio in weak.items() if ratio < least} == {}


def test_both_dark_palettes_are_one() -> None:
    assert block(':root:not([data-theme="light"]) {') == DARK
    assert set(DARK) <= set(LIGHT)


@pytest.mark.parametrize("sheet", OTHERS, ids=[path.name for path in OTHERS])
def test_raw_colours_and_sizes_stand_in_tokens_only(sheet: Path) -> None:
    text = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.DOTALL)
    # A query cannot read a custom property.
    declarations = re.sub(r"@(?:media|container)[^{]+", "", text)
    assert re.findall(r"#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)\(|\b[\d.]+(?:px|rem|ms)\b", declarations) == []


# A sheet that is only ever loaded after another uses that one's own names.
AFTER = dict.fromkeys(
    (
        "help.css",
        "library.css",
        "monitor.css",
        "new_run.css",
        "setup.css",
        "setup_preview.css",
        "starting.css",
        "researcher_parts.css",
        "results.css",
        "results_summary.css",
        "results_tables.css",
        "results_shared.css",
        "pay.css",
        "plan.css",
        "planning.css",
        "recruit.css",
    ),
    "researcher.css",
) | {"setup_texts.css": "researcher.css"}


@pytest.mark.parametrize("sheet", OTHERS, ids=[path.name for path in OTHERS])
def test_every_token_in_use_exists(sheet: Path) -> None:
    text = sheet.read_text(encoding="utf-8")
    before = (sheet.parent / AFTER.get(sheet.name, sheet.name)).read_text(encoding="utf-8")
    known = (
        set(LIGHT) | set(re.findall(r"--([a-z0-9-]+):", text + before)) | {"at", "gap"}
    )  # the last two are the slider script's
    used = {
        name for name in re.findall(r"var\(--([a-z0-9-]+)", text) if not name.startswith(("color-", "border-radius"))
    }
    assert used <= known


@pytest.mark.parametrize("path", [path for path in OTHERS if "--ew-accent-soft);" in path.read_text(encoding="utf-8")])
def test_quiet_words_are_darker_on_the_ground_of_the_accent(path: Path) -> None:
    """Quiet grey has a contrast below 4.5 there; axe-core sees it only where a page happens to have such words."""
    for rule in path.read_text(encoding="utf-8").split("}"):
        if re.search(r"background: var\(--ew-accent-soft\)", rule):
            assert "--ew-quiet: var(--ew-ink);" in rule
