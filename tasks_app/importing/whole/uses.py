"""The use of each column of a table of texts and ratings, and the mapping that says the same.

A mapping can say more than that: patterns, joins, words to replace. What no use can say stays in `Choices.rest`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.hooks.sections import Json
from tasks_app.importing.whole.columns import ATTRIBUTE, FEATURE, OF_SYSTEM, OUTPUTS, declared
from tasks_app.setup.tables.layout import feature_name

# Uses that stand for no single column of ours: the column is not read, or the part `wide` of the mapping reads it.
LEAVE_OUT, BY_TEXT = "", "by-text"

# Uses that several columns may have, each with a name: a rating on a question of its own, or by a rater of its own.
OF_QUESTION, OF_RATER = "question", "rating-by"
ANSWERS = ("value", "label", "text")
_OF_ANSWERS = {f"{of}-{answer}": (of, answer) for of in (OF_QUESTION, OF_RATER) for answer in ANSWERS}

# Attributes, each with a name as well.
_PREFIXES = {"attribute-text": FEATURE, "attribute-rater": ATTRIBUTE, "attribute-system": OF_SYSTEM}

# Uses that have a name.
NAMED = (*_OF_ANSWERS, *_PREFIXES)

_LABELS: Mapping[str, Promise] = {
    LEAVE_OUT: gettext_lazy("leave out"),
    BY_TEXT: gettext_lazy("as the text under More says"),
    "rater": gettext_lazy("rater (who rated)"),
    "item": gettext_lazy("text key (which item)"),
    "system": gettext_lazy("system (who or what wrote the text)"),
    "output": gettext_lazy("output (the text that was rated)"),
    "source": gettext_lazy("source (the input)"),
    "reference": gettext_lazy("reference text"),
    "criterion": gettext_lazy("question of the row (such as fluency)"),
    "question-value": gettext_lazy("rating of a question: a number"),
    "question-label": gettext_lazy("rating of a question: a word"),
    "question-text": gettext_lazy("rating of a question: written text"),
    "rating-by-value": gettext_lazy("ratings by one rater: a number"),
    "rating-by-label": gettext_lazy("ratings by one rater: a word"),
    "rating-by-text": gettext_lazy("ratings by one rater: written text"),
    "attribute-text": gettext_lazy("attribute of the text"),
    "attribute-rater": gettext_lazy("attribute of the rater"),
    "attribute-system": gettext_lazy("attribute of the system"),
    "group": gettext_lazy("group of the rater"),
    "document": gettext_lazy("document"),
    "position": gettext_lazy("place of the text in the document"),
    "language": gettext_lazy("language of the output"),
    "source_language": gettext_lazy("language of the source"),
    "variant": gettext_lazy("variant (one of several outputs of a system)"),
    "system_b": gettext_lazy("second system, where two texts were compared"),
    "output_b": gettext_lazy("second output, where two texts were compared"),
    "submitted_at": gettext_lazy("time of the answer"),
    "started_at": gettext_lazy("time when the text was shown"),
    "seconds": gettext_lazy("seconds that the answer took"),
    "judgment": gettext_lazy("key of the answer"),
    "wave": gettext_lazy("wave, in a study with several"),
    "span_side": gettext_lazy("marked words: in the source or the output"),
    "span_start": gettext_lazy("marked words: first character"),
    "span_end": gettext_lazy("marked words: end"),
    "category": gettext_lazy("marked words: kind of error"),
    "severity": gettext_lazy("marked words: severity"),
    "mark_origin": gettext_lazy("marked words: own, kept or changed"),
    "mark_of": gettext_lazy("marked words: number of the mark given beforehand"),
    "mark_reason": gettext_lazy("marked words: why they are an error"),
}

# The order of a form: what nearly every table has, ratings, attributes; then the rest.
_MAIN = ("rater", "item", "system", *OUTPUTS[:1], "source", "reference")
_RATINGS = ("question-value", "question-label", "question-text", "criterion",
            "rating-by-value", "rating-by-label", "rating-by-text")  # fmt: skip
_ATTRIBUTES = (*_PREFIXES, "group")


def label_of(use: str) -> str:
    """Return the words for a use."""
    return str(_LABELS.get(use, use))


def use_choices() -> list[tuple[str, str | list[tuple[str, str]]]]:
    """Return everything that a column may be, in groups, as the choices of a form field."""
    ours = [column.name for column in declared({}).columns if column.name not in {*ANSWERS, *_MAIN, "criterion"}]
    groups = (
        (_("Text and rater"), _MAIN),
        (_("Ratings"), _RATINGS),
        (_("Attributes, by which results can be split"), _ATTRIBUTES),
        (_("Other columns"), tuple(name for name in (*_LABELS, *ours) if name in ours and name not in _ATTRIBUTES)),
    )
    choices: list[tuple[str, str | list[tuple[str, str]]]] = [(LEAVE_OUT, label_of(LEAVE_OUT))]
    choices += [(name, [(use, label_of(use)) for use in dict.fromkeys(uses)]) for name, uses in groups]
    return [*choices, (BY_TEXT, label_of(BY_TEXT))]


@dataclass(frozen=True, slots=True)
class ColumnUse:
    """The use of a column of the file, and the name of its question, rater or attribute."""

    column: str
    use: str = LEAVE_OUT
    name: str = ""

    @property
    def called(self) -> str:
        """Return the name, which is that of the column where none was given."""
        return self.name.strip() or self.column


@dataclass(frozen=True, slots=True)
class Choices:
    """The uses of the columns, the system of a table that names none, and the other parts of a mapping."""

    uses: Sequence[ColumnUse]
    system: str = ""
    rest: Mapping[str, Json] = field(default_factory=dict)


class BadUses(ValueError):
    """Uses that contradict each other: a sentence for each column that a person should look at."""

    def __init__(self, sentences: Mapping[str, str]) -> None:
        self.sentences = sentences
        super().__init__(" ".join(dict.fromkeys(sentences.values())))


def choices_of(document: Mapping[str, Json], columns: Iterable[str]) -> Choices:
    """Return the uses by which a mapping reads the columns of a file, and its other parts."""
    rest = {part: dict(content) if isinstance(content, Mapping) else content for part, content in document.items()}
    rest.pop("unknown_raters", None)
    chosen: dict[str, ColumnUse] = {}
    for ours, theirs in list(rest.get("columns", {}).items()):
        if theirs not in chosen:
            chosen[theirs] = _use(ours, theirs)
            del rest["columns"][ours]
    _take_wide(rest, chosen, set(columns))
    constant = rest.get("constant", {})
    answers = [column for column, use in chosen.items() if use.use in _OF_ANSWERS]
    if "criterion" in constant and len(answers) == 1:
        chosen[answers[0]] = ColumnUse(answers[0], chosen[answers[0]].use, str(constant.pop("criterion")))
    system = str(constant.pop("system", ""))
    uses = [chosen.pop(name, ColumnUse(name)) for name in columns]
    return Choices([*uses, *chosen.values()], system, {part: content for part, content in rest.items() if content})


def _use(ours: str, theirs: str) -> ColumnUse:
    if ours in ANSWERS:
        return ColumnUse(theirs, f"{OF_QUESTION}-{ours}")
    for use, prefix in _PREFIXES.items():
        if ours.startswith(prefix) and ours not in _LABELS:
            return ColumnUse(theirs, use, ours.removeprefix(prefix))
    return ColumnUse(theirs, ours)


def _take_wide(rest: dict[str, Json], chosen: dict[str, ColumnUse], columns: set[str]) -> None:
    """Take the part `wide` for uses of columns where it lists them; leave it where it has patterns."""
    wide = rest.get("wide")
    if not isinstance(wide, Mapping):
        return
    of = {"criterion": OF_QUESTION, "rater": OF_RATER}.get(wide.get("of", "criterion"))
    lists = {answer: _by_word(content) for answer, content in wide.items() if answer != "of"}
    names = [name for by_word in lists.values() if by_word is not None for name in by_word.values()]
    is_plain = set(lists) <= set(ANSWERS) and None not in lists.values() and columns.issuperset(names)
    if of is None or not is_plain or len(set(names)) < len(names) or set(names) & set(chosen):
        for name in columns & _written_in(wide):
            chosen.setdefault(name, ColumnUse(name, BY_TEXT))
        return
    del rest["wide"]
    for answer, by_word in lists.items():
        for word, name in (by_word or {}).items():
            chosen[name] = ColumnUse(name, f"{of}-{answer}", "" if word == name else word)


def _by_word(content: Json) -> dict[str, str] | None:
    """Return the columns of a part of `wide` by their words; None where it is a pattern."""
    by_word = dict(zip(content, content, strict=True)) if isinstance(content, list) else content
    if not isinstance(by_word, Mapping) or any("*" in str(name) for name in by_word.values()):
        return None
    return {str(word): str(name) for word, name in by_word.items()}


def _written_in(wide: Mapping[str, Json]) -> set[str]:
    """Return the names of columns that a part `wide` writes out."""
    parts = [content for name, content in wide.items() if name != "of"]
    names = [part if isinstance(part, list) else part.values() if isinstance(part, Mapping) else [part]
             for part in parts]  # fmt: skip
    return {str(name) for part in names for name in part}


def document_of(choices: Choices) -> dict[str, Json]:
    """Return the mapping with the same uses of the columns. Raises BadUses."""
    columns: dict[str, str] = {}
    for number, use in enumerate(choices.uses, start=1):
        if use.use not in {LEAVE_OUT, BY_TEXT, *_OF_ANSWERS}:
            columns[_ours(use, number)] = use.column
    _refuse_twice(choices)
    answers = [use for use in choices.uses if use.use in _OF_ANSWERS]
    of = _kind_of(answers)
    _refuse_contradictions(choices, answers, of)
    constant = {"system": choices.system.strip()} if choices.system.strip() else {}
    document: dict[str, Json] = {"columns": columns}
    if of == OF_QUESTION and len(answers) == 1:
        columns[_OF_ANSWERS[answers[0].use][1]] = answers[0].column
        if "criterion" not in {*columns, *_words({**choices.rest, "columns": columns}), *_words(choices.rest)}:
            constant["criterion"] = answers[0].called
    elif answers:
        document["wide"] = _wide(answers, "rater" if of == OF_RATER else "criterion")
    rest = dict(choices.rest)
    columns |= dict(rest.pop("columns", {}))
    constant |= dict(rest.pop("constant", {}))
    document |= {"constant": constant} if constant else {}
    document |= rest
    wide = document.get("wide", {})
    if "rater" not in {*columns, *constant, *_words(document), *wide, wide.get("of", "criterion")}:
        document["unknown_raters"] = True
    return document


def _ours(use: ColumnUse, number: int) -> str:
    """Return the column of ours that a column of the file is; `number` names an attribute without Latin letters."""
    prefix = _PREFIXES.get(use.use)
    if prefix is None:
        return use.use
    is_plain = prefix in {FEATURE, OF_SYSTEM}
    name = feature_name(use.called) if is_plain else re.sub(r"\W+", "_", use.called).strip("_")
    # A name in another script has no letter that a feature may have.
    is_named = bool(name) and (not is_plain or name != "feature" or use.called == name)
    return f"{prefix}{name}" if is_named else f"{prefix}attribute_{number}"


def _refuse_twice(choices: Choices) -> None:
    """Refuse two columns of which a table has one."""
    met: dict[str, list[ColumnUse]] = {}
    for number, use in enumerate(choices.uses, start=1):
        if use.use in _OF_ANSWERS:
            met.setdefault(f"{_OF_ANSWERS[use.use][0]} {use.called}", []).append(use)
        elif use.use not in {LEAVE_OUT, BY_TEXT}:
            met.setdefault(_ours(use, number), []).append(use)
    sentences: dict[str, str] = {}
    for uses in met.values():
        if len(uses) < 2:
            continue
        names = ", ".join(f"“{use.column}”" for use in uses)
        if uses[0].use in NAMED:
            sentence = _("%(names)s have the same name, “%(name)s”. Give each a name of its own.")
            sentence %= {"names": names, "name": uses[0].called}
        else:
            sentence = _("Only one column can be “%(use)s”. Choose one of %(names)s.")
            sentence %= {"use": label_of(uses[0].use), "names": names}
        sentences |= {use.column: sentence for use in uses}
    if sentences:
        raise BadUses(sentences)


def _kind_of(answers: Sequence[ColumnUse]) -> str:
    """Return whether columns of ratings are of a question each or of a rater each. Raises BadUses."""
    kinds: dict[str, list[ColumnUse]] = {}
    for use in answers:
        kinds.setdefault(_OF_ANSWERS[use.use][0], []).append(use)
    if len(kinds) > 1:
        by_rater = ", ".join(f"“{use.column}”" for use in kinds[OF_RATER])
        of_question = ", ".join(f"“{use.column}”" for use in kinds[OF_QUESTION])
        sentence = _(
            "%(by_rater)s hold the ratings of one rater each, but %(of_question)s those of a question each. A table "
            "has one or the other; columns for each question and each rater are read by a pattern, under More."
        )
        sentence %= {"by_rater": by_rater, "of_question": of_question}
        raise BadUses({use.column: sentence for use in answers})
    return next(iter(kinds), OF_QUESTION)


def _refuse_contradictions(choices: Choices, answers: Sequence[ColumnUse], of: str) -> None:
    """Refuse columns that say the same thing in two ways: the rater, the question, or the system of the text."""
    by_use = {use.use: use.column for use in choices.uses}
    names = ", ".join(f"“{use.column}”" for use in answers)
    about = {"answers": names, **{use: f"“{column}”" for use, column in by_use.items()}}
    if of == OF_RATER and "rater" in by_use:
        sentence = _("%(rater)s says who rated each row, but %(answers)s hold the ratings of one rater each. Keep one.")
        raise BadUses(dict.fromkeys((by_use["rater"], *(use.column for use in answers)), sentence % about))
    if of == OF_QUESTION and "criterion" in by_use and len(answers) > 1:
        sentence = _(
            "%(criterion)s names the question of each row, so that only one column can hold the ratings. Choose one of "
            "%(answers)s, or leave %(criterion)s out."
        )
        raise BadUses(dict.fromkeys((by_use["criterion"], *(use.column for use in answers)), sentence % about))
    if choices.system.strip() and "system" in by_use:
        sentence = _("%(system)s names the system of each row. Leave it out, or empty the field for one system.")
        raise BadUses({by_use["system"]: sentence % about})


def _wide(answers: Sequence[ColumnUse], of: str) -> dict[str, Json]:
    """Return the part `wide` of a mapping: columns that stand for their own names as a list."""
    wide: dict[str, Json] = {"of": of}
    for answer in ANSWERS:
        by_word = {use.called: use.column for use in answers if _OF_ANSWERS[use.use][1] == answer}
        if by_word:
            wide[answer] = list(by_word) if all(word == name for word, name in by_word.items()) else by_word
    return wide


def _words(document: Mapping[str, Json]) -> set[str]:
    """Return our columns that stand in braces or groups of a mapping, or in its constants."""
    texts = [str(text) for part in ("columns", "split") for text in document.get(part, {}).values()]
    found = [re.findall(r"\{(\w+)\}|\(\?P<(\w+)>", text) for text in texts]
    return {word for pairs in found for pair in pairs for word in pair if word} | set(document.get("constant", {}))
