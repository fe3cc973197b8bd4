"""Scripts and style sheets of a rater's page, joined when static files are collected."""

import re
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings

from evalweb import static_joining
from evalweb.local_services.folder import BASE_DIR

SOURCES = {
    "js/core/words.js": 'export function word(key) {\n  return `${key}`;\n}\n\nexport const EMPTY = "";\n',
    "js/core/say.js": 'import { EMPTY, word as wordOf } from "./words.js";\n\nexport class Say {}\n',
    "js/core/main.js": 'import * as say from "./say.js";\nimport "./words.js";\n\nnew say.Say();\n',
    "js/task_types/stars.js": (
        'import {\n  word,\n} from "../core/words.js";\nimport { star } from "./stars/star.js";\n\nstar(word);\n'
    ),
    "js/task_types/stars/star.js": "export async function star(word) {}\n",
    "css/page.css": '/* All of it. */\n@import "tokens.css";\n@import "parts/rater.css";\np { color: red }\n',
    "css/tokens.css": ":root { --ink: black }\n",
    "css/parts/rater.css": '@import "../tokens.css";\n.rater {}\n',
}

PAGE = """\
const _core_words = (() => {
function word(key) {
  return `${key}`;
}

const EMPTY = "";
return { word, EMPTY };
})();
const _core_say = (() => {
const { EMPTY, word: wordOf } = _core_words;

class Say {}
return { Say };
})();
const _core_main = (() => {
const say = _core_say;


new say.Say();
})();
export { _core_words, _core_say };
"""

OF_TYPE = """\
import { _core_words } from "../core/main.js";
const _task_types_stars_star = (() => {
async function star(word) {}
return { star };
})();
const _task_types_stars = (() => {
const {
  word,
} = _core_words;
const { star } = _task_types_stars_star;

star(word);
})();
"""


def test_a_page_script_runs_each_module_once_and_offers_it_to_the_scripts_of_types() -> None:
    assert static_joining.joined("js/core/main.js", SOURCES.__getitem__) == PAGE
    assert static_joining.joined("js/task_types/stars.js", SOURCES.__getitem__) == OF_TYPE


def test_style_sheets_keep_the_order_of_their_imports() -> None:
    assert static_joining.joined("css/page.css", SOURCES.__getitem__) == (
        "/* All of it. */\n:root { --ink: black }\n:root { --ink: black }\n.rater {}\np { color: red }\n"
    )


@pytest.mark.parametrize(
    ("source", "line", "says"),
    [
        ("\nexport default 1;\n", 2, "exports of functions, classes and constants"),
        ("export let count = 0;\n", 1, "exports of functions, classes and constants"),
        ('import words from "./words.js";\n', 1, "only `import { … } from`"),
        ('\n\nconst late = await import("./words.js");\n', 3, "only `import { … } from`"),
        ('import { word } from "./main.js";\n', 1, "js/core/main.js imports this module, too."),
    ],
)
def test_sources_that_cannot_be_joined_are_refused_with_their_place(source: str, line: int, says: str) -> None:
    sources = SOURCES | {"js/core/say.js": source}
    with pytest.raises(static_joining.JoiningError) as refused:
        static_joining.joined("js/core/main.js", sources.__getitem__)
    assert str(refused.value).startswith(f"static/js/core/say.js, line {line}: ")
    assert says in str(refused.value)


def test_collected_entries_import_nothing_but_the_page_script(tmp_path: Path, settings: Settings) -> None:
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = settings.STORAGES | {"staticfiles": {"BACKEND": "evalweb.static_storage.StaticStorage"}}
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    call_command("collectstatic", interactive=False, verbosity=0)
    (page,) = tmp_path.glob("js/core/main.*.js")
    assert "import" not in re.findall(r"^\w+", page.read_text(), re.MULTILINE)
    scripts = sorted((BASE_DIR / "static/js/task_types").glob("*.js"))
    for script in scripts:
        (collected,) = tmp_path.glob(f"js/task_types/{script.stem}.*.js")
        imported = re.findall(r'^import .* from "(.*)";$', collected.read_text(), re.MULTILINE)
        assert imported in ([], [f"../core/{page.name}"]), script.name
    for sheet in tmp_path.glob("css/page.*.css"):
        assert "@import" not in sheet.read_text()
