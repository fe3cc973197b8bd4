"""Collect the texts that raters read, bring the catalogues of every language up to date, and compile them.

`make messages` runs this. It keeps the translations there are, drops those of texts that are gone, and says which
texts still need one. `SOURCES` is the one place that says which files hold texts for raters; pages of researchers are
in English only.
"""

import ast
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from django.utils.translation import to_locale
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts import po  # noqa: E402  found once the folder of the project is on the path

LANGUAGES = ("de", "es", "fr", "pt", "ar", "zh-hans", "ja", "ko")


@dataclass(frozen=True, slots=True)
class Source:
    """Files with texts for raters.

    `only` names the classes, functions, variables and calls whose texts raters read, where the others are for
    researchers; `without` names those whose texts are for researchers, where the others are for raters. A variable of
    a class is written with it (Likert.label), and `*` stands for anything. Of a JSON file, `only` names what is
    translated at its top level. Where a file is in several sources, the first one counts.
    """

    files: str
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


# Researchers' pages show the descriptions of task types and of their parameters, and faults of known answers.
OF_RESEARCHERS = (
    "*.label", "*.purpose", "*.summary", "*.use_when", "*.analysed", "*.limits", "Outcome", "Settings", "ValueError",
    "LineField", "TextField", "YesNoField", "OwnField", "WordsField", "EntriesField", "QuestionsField", "whole_field",
    "number_field", "line_field", "choice_field", "problems", "problems_of", "item_problems", "problems_together",
    "_problems_of_systems", "_problems_of_texts", "missing_for_raters", "problem_in_value", "prefill_problem",
    "prefill_problem_together", "prefilled", "NO_INSTRUCTION", "_wrong_payload", "heds", "simulated", "named_wrongly",
    "_translated*",
)  # fmt: skip
ALL = ("*",)

SOURCES = (
    Source("templates/base.html"),
    Source("templates/[345]*.html"),
    Source("templates/rater/*.html"),
    Source("templates/components/*.html"),
    Source("templates/task_types/**/*.html"),
    Source("templates/mail/*.txt"),
    Source("tasks_app/task_types/blocks.py", without=ALL),
    Source("tasks_app/task_types/option_questions.py"),
    Source("tasks_app/task_types/*/facts.py", without=ALL),
    Source("tasks_app/task_types/list_fields.py", only=("TickField", "brought")),
    Source("tasks_app/task_types/*/params.py", only=("TickField", "brought")),
    Source("tasks_app/task_types/*/reading.py", without=ALL),
    Source("tasks_app/task_types/error_labels/typology.py", only=("typology_of", "criteria_of")),
    Source("tasks_app/task_types/error_spans/scheme.py", without=ALL),
    Source("tasks_app/task_types/highlights.py", without=ALL),
    Source("tasks_app/task_types/comprehension/questions.py", without=ALL),
    Source("tasks_app/task_types/labels/options.py", without=ALL),
    Source("tasks_app/task_types/magnitude/tick_boxes.py", without=("TickEntry", "Outcome", "heds")),
    Source("tasks_app/task_types/clock.py", without=ALL),
    Source("tasks_app/task_types/errand.py", without=ALL),
    Source("tasks_app/task_types/elsewhere.py", without=ALL),
    Source("tasks_app/task_types/**/*.py", without=OF_RESEARCHERS),
    Source("tasks_app/task_types/error_labels/elrc.json", only=("follow_ups", "flags")),
    Source("tasks_app/task_types/questionnaire/data/demographics.json", only=("introduction", "questions")),
    Source("tasks_app/task_types/questionnaire/data/exit.json", only=("introduction", "questions")),
    Source("tasks_app/templatetags/judged.py"),
    Source("tasks_app/texts/richtext.py"),
    Source("tasks_app/texts/plaintext.py"),
    Source("tasks_app/texts/languages.py"),
    Source("tasks_app/forms.py"),
    Source("tasks_app/channels/*.py", only=("*.way_in", "*.way_out", "*.stores", "NotArrived", "Ending")),
    Source("tasks_app/models/judgments.py", only=("JudgmentSkip",)),
    Source("tasks_app/selectors/overview.py"),
    Source("tasks_app/selectors/waves.py"),
    Source("tasks_app/services/arrival/enrolment.py"),
    Source("tasks_app/services/judging/between_units.py"),
    Source("tasks_app/services/plan/loads.py"),
    Source("tasks_app/views/rater/arriving.py"),
    Source("tasks_app/views/rater/continuing.py"),
    Source("tasks_app/views/rater/ending.py"),
    Source("tasks_app/views/pay_words.py", without=("below", "promised")),
    Source("tasks_app/views/rater/people.py"),
    Source("tasks_app/views/rater/journey.py"),
    Source("tasks_app/views/rater/rights.py"),
    Source("tasks_app/views/signing_in.py", without=ALL),
    Source("tasks_app/views/rater/elsewhere.py"),
    Source("tasks_app/views/rater/set_time.py"),
    Source("tasks_app/views/rater/set_time_words.py"),
    Source("tasks_app/views/rater/stages.py"),
    Source("tasks_app/views/rater/steps.py"),
    Source("tasks_app/views/researcher/trying.py", without=ALL),
    Source("tasks_app/views/researcher/setup/preview.py", without=ALL),
    Source("tasks_app/views/researcher/setup/stage_pages.py", without=ALL),
    Source("tasks_app/views/waves.py", without=("due*", "_row")),
    Source("tasks_app/views/rater/judging.py"),
    Source("tasks_app/views/rater/document_view.py"),
    Source("tasks_app/views/rater/messages.py"),
    Source("tasks_app/views/rater/unit_page.py"),
    Source("tasks_app/views/rater/visit.py"),
    Source("tasks_app/views/rater/pages.py"),
    Source("tasks_app/views/rater/overview.py"),
    Source("evalweb/views.py"),
)

# Keys of a JSON file whose values are words to translate.
WORDS = frozenset({"introduction", "question", "note", "words", "low", "high", "name", "definition"})

# The functions of django.utils.translation: which arguments are context, text and plural.
FUNCTIONS = {
    "gettext": (None, 0, None),
    "gettext_lazy": (None, 0, None),
    "gettext_noop": (None, 0, None),
    "ngettext": (None, 0, 1),
    "ngettext_lazy": (None, 0, 1),
    "pgettext": (0, 1, None),
    "pgettext_lazy": (0, 1, None),
    "npgettext": (0, 1, 2),
    "npgettext_lazy": (0, 1, 2),
}

_CALL = re.compile(r"(?<!\w)(gettext|ngettext|pgettext|npgettext|_)\(")
_LITERAL = re.compile(r"""\s*,?\s*u?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""")


def files_of(source: Source) -> list[Path]:
    """Return the files of a source, in the order of their names."""
    return sorted(ROOT.glob(source.files))


def collect() -> dict[po.Message, tuple[str, ...]]:
    """Return every text for raters with the files it stands in; a plural stands for the singular that equals it."""
    files_of_message: dict[po.Message, list[str]] = {}
    read: set[Path] = set()
    for source in SOURCES:
        for path in (file for file in files_of(source) if file not in read):
            read.add(path)
            for message in READERS[path.suffix](path, source):
                places = files_of_message.setdefault(message, [])
                if (place := str(path.relative_to(ROOT))) not in places:
                    places.append(place)
    plurals = {message.key for message in files_of_message if message.plural}
    return {
        message: tuple(places)
        for message, places in files_of_message.items()
        if message.plural or message.key not in plurals
    }


def in_template(path: Path, _source: Source, *, strict: bool = True) -> Iterator[po.Message]:
    """Yield the texts of a template."""
    code = templatize(path.read_text(encoding="utf-8"), origin=str(path))
    for call in _CALL.finditer(code):
        name = "gettext" if call[1] == "_" else call[1]
        arguments, offset = [], call.end()
        while literal := _LITERAL.match(code, offset):
            arguments.append(str(ast.literal_eval(literal[1])))
            offset = literal.end()
        yield _message(name, arguments)


def in_module(path: Path, source: Source, *, strict: bool = True) -> Iterator[po.Message]:
    """Yield the texts of a Python module that are for raters.

    Raises
    ------
    SyntaxError
        Where a text is not written out, so that nobody can translate it; with `strict` off it is left out.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    aliases = {
        name.asname or name.name: name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "django.utils.translation"
        for name in node.names
        if name.name in FUNCTIONS
    }
    for call, names in _calls(tree):
        function = aliases.get(call.func.id if isinstance(call.func, ast.Name) else "")
        if function is not None and _is_for_raters(names, source):
            count = max(index for index in FUNCTIONS[function] if index is not None) + 1
            arguments = [_text(argument) for argument in call.args[:count]]
            if None not in arguments:
                yield _message(function, [str(text) for text in arguments])
            elif strict:
                raise SyntaxError(f"{path}, line {call.lineno}: a text to be translated must be written out.")


def in_data(path: Path, source: Source, *, strict: bool = True) -> Iterator[po.Message]:
    """Yield the words of a JSON file: texts under names of words, and lists of nothing but texts."""
    data = json.loads(path.read_text(encoding="utf-8"))
    yield from (po.Message(words) for name in source.only for words in _words({name: data[name]}))


def _words(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        for name, value in data.items():
            if isinstance(value, str) and name in WORDS:
                yield from [value] if value else []
            else:
                yield from _words(value)
    elif isinstance(data, list):
        for value in data:
            yield from [value] if isinstance(value, str) else _words(value)


READERS = {".html": in_template, ".txt": in_template, ".py": in_module, ".json": in_data}


def _calls(node: ast.AST, within: tuple[str, ...] = (), owner: str = "") -> Iterator[tuple[ast.Call, tuple[str, ...]]]:
    """Yield every call below a node, with the names of the classes, functions, variables and calls it stands in."""
    if isinstance(node, ast.Call):
        yield node, within
        within = (*within, node.func.id) if isinstance(node.func, ast.Name) else within
    elif isinstance(node, ast.ClassDef | ast.FunctionDef):
        within = (*within, node.name)
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        within = (*within, *(f"{owner}{target.id}" for target in targets if isinstance(target, ast.Name)))
    owner = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
    for child in ast.iter_child_nodes(node):
        yield from _calls(child, within, owner)


def _is_for_raters(within: tuple[str, ...], source: Source) -> bool:
    def has(names: tuple[str, ...]) -> bool:
        return any(fnmatch(part, name) for name in names for part in within)

    return has(source.only) if source.only else not has(source.without)


def _text(argument: ast.expr) -> str | None:
    return argument.value if isinstance(argument, ast.Constant) and isinstance(argument.value, str) else None


def _message(function: str, arguments: list[str]) -> po.Message:
    context, text, plural = (arguments[index] if index is not None else "" for index in FUNCTIONS[function])
    return po.Message(text, plural, context)


def catalogue(language: str) -> Path:
    """Return the path of the catalogue of a language."""
    return ROOT / "locale" / to_locale(language) / "LC_MESSAGES" / "django.po"


def merged(language: str, files_of_message: dict[po.Message, tuple[str, ...]]) -> dict[po.Message, po.Entry]:
    """Return the catalogue of a language for the texts there are now, with the translations there are already."""
    old_entries = po.read(catalogue(language))
    entries = {}
    for message, places in files_of_message.items():
        old = old_entries.get(message)
        n_forms = po.n_forms(language) if message.plural else 1
        if old is None or len(old.translations) != n_forms:
            entries[message] = po.Entry(message, ("",) * n_forms, places)
        else:
            entries[message] = po.Entry(message, old.translations, places, old.flags)
    return entries


def main() -> None:
    """Bring all catalogues up to date, compile them, and count the messages left to translate."""
    files_of_message = collect()
    n_untranslated = 0
    for language in LANGUAGES:
        entries = merged(language, files_of_message)
        path = catalogue(language)
        po.write(path, language, entries.values())
        path.with_suffix(".mo").write_bytes(po.compiled(language, entries))
        untranslated = [entry.message for entry in entries.values() if not entry.is_done]
        n_untranslated += len(untranslated)
        say(f"{path.relative_to(ROOT)}: {len(entries)} texts, {len(untranslated)} without a translation")
        for message in untranslated:
            say(f"  {message.text!r}")
    if n_untranslated:
        sys.exit("Write the missing translations into the .po files and run this again; docs/languages.md says how.")


def say(line: str) -> None:
    """Write a line to standard output."""
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
