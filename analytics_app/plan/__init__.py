"""The analysis plan: rules, analyses, comparisons and correction.

Frozen at opening it makes the planned run; every other run is exploratory. The document of a plan is what a run
stores as its settings.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from django import forms
from django.db.models import Case, F, Func, Q, QuerySet, Value, When
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app import analyses, quality
from analytics_app.analyses import Condition, RaterSlice, SystemSlice
from analytics_app.models import Plan
from analytics_app.ratings.composites import MOST_CHARACTERS, CompositesField
from analytics_app.ratings.extras.rater_attributes import ATTRIBUTE, questionnaires
from analytics_app.ratings.extras.system_attributes import KIND, OF_SYSTEM
from analytics_app.ratings.table import DOCUMENT
from analytics_app.show.labels import CORRECTIONS as CORRECTION_NAMES
from tasks_app.hooks.registry import Registry
from tasks_app.hooks.sections import Json, Path
from tasks_app.models import Criterion, Group, Item, Study, System
from tasks_app.settings.checks import COPIES
from tasks_app.settings.fields import YesNoField, choice_field, naming, number_field, whole_field
from tasks_app.settings.study import Block, with_defaults
from tasks_app.studyfile.fields import ListField
from tasks_app.studyfile.problems import nearest
from tasks_app.studyfile.schema import plain
from tasks_app.texts.plaintext import problems_in_json

CORRECTIONS = ("none", "holm", "bonferroni", "sidak", "holm-sidak", "fdr_bh")

# Returns the names that there are; None where they are not known yet.
_Known = Callable[[], Sequence[str]] | None

# The default rules of a plan: manual exclusions apply.
DEFAULT_RULES: list[dict[str, Json]] = [{"rule": "manual"}]

ALL = "all"

# The values of settings in plans and runs from before these settings existed.
_BEFORE_THE_CHOICE: dict[str, Json] = {
    "intervals": "percentile",
    "constant": "drop",
    "generalise_to": "texts",
    "over_raters": "percentile",
}


class PlanBlock(Block):
    """How a study is analysed; frozen at opening, it makes the planned run."""

    primary = naming(
        forms.CharField(
            required=False,
            initial="",
            label=gettext_lazy("The question your conclusion rests on"),
            help_text=gettext_lazy("Its results are shown first. Leave empty to treat all questions alike."),
        ),
        "criteria",
    )
    correction = choice_field(
        gettext_lazy("Correction"),
        [(name, CORRECTION_NAMES[name]) for name in CORRECTIONS],
        gettext_lazy("For the p values of one family: all pairs of systems within one criterion."),
        initial="holm",
    )
    generalise_to = choice_field(
        gettext_lazy("Differences between systems hold for"),
        [
            ("raters_and_texts", gettext_lazy("further texts and further raters")),
            ("texts", gettext_lazy("further texts, judged by these raters, as most papers have it")),
        ],
        gettext_lazy(
            "By default a mixed model takes texts and raters as samples. Tests over texts alone find too many "
            "differences where raters disagree about which system is better."
        ),
        initial="raters_and_texts",
    )
    confidence = number_field(gettext_lazy("Confidence"), within=(0.5, 0.999), initial=0.95)
    n_resamples = whole_field(gettext_lazy("Bootstrap samples"), within=(100, 20_000), initial=1000)
    intervals = choice_field(
        gettext_lazy("Bootstrap intervals"),
        [
            ("adjusted", gettext_lazy("adjusted for few items")),
            ("percentile", gettext_lazy("plain percentiles, as most papers have them")),
        ],
        gettext_lazy("Plain percentiles are too narrow below 30 items."),
        initial="adjusted",
    )
    over_raters = choice_field(
        gettext_lazy("Intervals over raters"),
        [
            ("t", gettext_lazy("Student's t, from four raters on")),
            ("percentile", gettext_lazy("percentiles of resampled raters, as in earlier versions")),
        ],
        gettext_lazy("With few raters, resampled raters give intervals that are too narrow."),
        initial="t",
    )
    n_permutations = whole_field(
        gettext_lazy("Permutations of a test"),
        gettext_lazy("The default is raised where a family of tests needs more to find anything."),
        within=(99, 100_000),
        initial=9999,
    )
    ddof = whole_field(
        gettext_lazy("Degrees of freedom subtracted for the standard deviation in z"),
        gettext_lazy("1 as WMT and R do, 0 as Lai et al. (2022) do."),
        within=(0, 1),
        initial=1,
    )
    constant = choice_field(
        gettext_lazy("Raters who gave the same rating throughout"),
        [
            ("drop", gettext_lazy("left out of results with z")),
            ("zero", gettext_lazy("z is 0, as in the published scripts of RankME and E2E")),
        ],
        gettext_lazy("Their z is undefined. Leave their ratings out of results with z, or set it to 0."),
        initial="drop",
    )
    composites = CompositesField(
        required=False,
        initial="",
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        label=gettext_lazy("Composite scores"),
        help_text=gettext_lazy(
            "Several imported scores as one, one composite per line, such as “compliant: all of newspaper >= 0.5, "
            "matches = 1”. Parts combine by all, any, mean, product or share. A part has a limit (>= or <=), a class "
            "(=) or, with mean and product, neither. Composites are analysed like the scores of metrics."
        ),
    )
    surplus = YesNoField(
        label=gettext_lazy("Count surplus judgments"),
        help_text=gettext_lazy("Answers that came after their place went to somebody else."),
    )
    most_judgments = whole_field(
        gettext_lazy("Judgments per unit that may be asked for while the study is open"),
        gettext_lazy(
            "If you may add judgments while the study is open: the most for each unit. Judgments beyond it, at places "
            "added to the plan, are left out of the planned run. With 0, all at added places are."
        ),
        within=(0, 1000),
        initial=0,
    )
    reopen = naming(
        ListField(
            label=gettext_lazy("Rules whose exclusions are asked again"),
            help_text=gettext_lazy(
                "While the study is open, judgments that these rules exclude are collected again from new raters. "
                "Leave empty to ask for none again."
            ),
        ),
        "rules",
    )


class BadPlan(ValueError):
    """A plan that cannot be used; `problems` lists (path, sentence)."""

    def __init__(self, problems: Sequence[tuple[Path, str]]) -> None:
        super().__init__("\n".join(f"{_name(path)}: {sentence}" if path else sentence for path, sentence in problems))
        self.problems = tuple(problems)


def _name(path: Path) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")


# Documents --------------------------------------------------------------------------------------------


# Names of the settings that a plan has.
_OF_A_PLAN = (*PlanBlock.base_fields, "rules", "analyses", "comparisons")


def default_document() -> dict[str, Json]:
    """Return the plan of a study without one: manual exclusions, and every analysis that fits."""
    return complete({}, criteria=(), systems=())


def complete(
    given: Mapping[str, Any],
    *,
    criteria: Sequence[str],
    systems: Sequence[str],
    features: _Known = None,
    groups: _Known = None,
    attributes: _Known = None,
    of_systems: _Known = None,
) -> dict[str, Json]:
    """Check a plan and fill in every default; names of features, groups and attributes if they are known.

    `attributes` are those of raters, `of_systems` those of systems.

    Raises
    ------
    BadPlan
        With every problem.
    """
    problems: list[tuple[Path, str]] = []
    unstorable: list[tuple[Path, str]] = [
        ((path.strip("/"),), sentence) for path, sentence in problems_in_json(dict(given))
    ]
    if unstorable:
        raise BadPlan(unstorable)
    problems += _unknown_settings(given, _OF_A_PLAN, ())
    document = _block(PlanBlock, {name: given[name] for name in given if name in PlanBlock.base_fields}, (), problems)
    if document.get("primary") and document["primary"] not in criteria:
        problems.append((("primary",), _unknown(document["primary"], criteria)))
    document["rules"] = _entries("rules", "rule", quality.registry, given, DEFAULT_RULES, problems)
    in_use = [entry["rule"] for entry in document["rules"]]
    for name in document["reopen"]:
        if name not in in_use:
            problems.append((("reopen",), _unknown(name, in_use)))
    document["analyses"] = _entries("analyses", "analysis", analyses.registry, given, ALL, problems)
    for number, entry in enumerate(document["analyses"] if document["analyses"] != ALL else ()):
        path: Path = ("analyses", number)
        for key in entry.get("without_systems", ()):
            if key not in systems:
                problems.append(((*path, "without_systems"), _unknown(key, systems)))
        problems += [
            ((*path, name), sentence) for name, sentence in _unknown_splits(entry, features, attributes, of_systems)
        ]
        for key in entry.get("experts", ()):
            if groups is not None and key not in groups():
                problems.append(((*path, "experts"), _unknown(key, groups())))
    document["comparisons"] = _comparisons(given.get("comparisons", ALL), systems, problems)
    if problems:
        raise BadPlan(problems)
    return document


def _block(
    form: type[Block], given: Mapping[str, Any], path: Path, problems: list[tuple[Path, str]]
) -> dict[str, Json]:
    """Return one block with its defaults, and add its errors to the problems."""
    crooked = [name for name in given if not _is_list_of_words(form, name, given[name])]
    problems += [((*path, name), _("must be a list of words.")) for name in crooked]
    given = {name: value for name, value in given.items() if name not in crooked}
    bound = with_defaults(form, given)
    problems += _unknown_settings(given, form.base_fields, path)
    for name, errors in bound.errors.items():
        problems.append(((*path, name), " ".join(map(str, errors))))
    return {name: plain(bound.cleaned_data.get(name, field.initial)) for name, field in form.base_fields.items()}


def _unknown_settings(given: Iterable[str], known: Iterable[str], path: Path) -> Iterator[tuple[Path, str]]:
    """Yield a problem, with a suggestion, for each setting that there is not."""
    names = list(known)
    for name in given:
        if name not in names:
            yield (*path, name), f"{_('unknown setting.')} {nearest(str(name), names)}".rstrip()


def unknown_names(document: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """Yield a problem, with a suggestion, for each setting, rule and analysis of a stored plan that there is not."""
    yield from _unknown_settings(document, _OF_A_PLAN, ())
    registries: tuple[tuple[str, str, Registry[Any]], ...] = (
        ("rules", "rule", quality.registry),
        ("analyses", "analysis", analyses.registry),
    )
    for part, word, registry in registries:
        entries = document.get(part)
        for number, entry in enumerate(entries if isinstance(entries, list) else ()):
            path: Path = (part, number)
            if entry.get(word) not in registry:
                yield (*path, word), _unknown(str(entry.get(word)), list(registry))
            else:
                yield from _unknown_settings(entry, [word, *registry[entry[word]].Settings.base_fields], path)


def _is_list_of_words(form: type[Block], name: str, value: Any) -> bool:
    """Return whether a value of a list field is a list of words; other fields check themselves."""
    if not isinstance(form.base_fields.get(name), ListField):
        return True
    return isinstance(value, list | tuple) and all(isinstance(entry, str) for entry in value)


def _entries(
    part: str,
    word: str,
    registry: Registry[Any],
    given: Mapping[str, Any],
    default: Json,
    problems: list[tuple[Path, str]],
) -> Json:
    """Return the entries of a list of rules or analyses; the word all means every analysis that fits."""
    entries = given.get(part, default)
    if entries == ALL and default == ALL:
        return ALL
    checked_entries: list[dict[str, Json]] = []
    if not isinstance(entries, list):
        problems.append(((part,), _("must be a list.")))
        return checked_entries
    for number, entry in enumerate(entries):
        path = (part, number)
        if not isinstance(entry, Mapping) or not isinstance(entry.get(word), str):
            problems.append((path, _("must say which %(word)s it is, as %(word)s: name.") % {"word": word}))
            continue
        if entry[word] not in registry:
            problems.append(((*path, word), _unknown(str(entry[word]), list(registry))))
            continue
        settings = {name: value for name, value in entry.items() if name != word}
        checked = {word: entry[word], **_block(registry[entry[word]].Settings, settings, path, problems)}
        if any(_same(checked, other) for other in checked_entries):
            problems.append((path, _("stands here twice: a number must be found by its name.")))
        checked_entries.append(checked)
    return checked_entries


def _same(entry: Mapping[str, Json], other: Mapping[str, Json]) -> bool:
    """Return whether two analyses would have rows with the same names, or two rules the same settings."""
    if "rule" in entry:
        return entry == other
    if entry["analysis"] != other["analysis"]:
        return False
    settings = analyses.registry[str(entry["analysis"])].distinguishing_settings
    return all(entry.get(name) == other.get(name) for name in ("without_systems", "where", *settings))


def _comparisons(given: Any, systems: Sequence[str], problems: list[tuple[Path, str]]) -> Json:
    if given in (ALL, None):
        return ALL
    pairs: list[list[str]] = []
    for number, pair in enumerate(given if isinstance(given, list) else [given]):
        path = ("comparisons", number)
        if not isinstance(pair, list) or len(pair) != 2 or pair[0] == pair[1]:
            problems.append((path, _("must be two systems, such as [ours, baseline], or the word all.")))
            continue
        if any({str(key) for key in pair} == {*other} for other in pairs):
            problems.append((path, _("is compared already: each pair counts once in the correction.")))
        for place, key in enumerate(pair):
            if key not in systems:
                problems.append(((*path, place), _unknown(str(key), systems)))
        pairs.append([str(key) for key in pair])
    return pairs


def _unknown_splits(
    entry: Mapping[str, Any], features: _Known, attributes: _Known, of_systems: _Known
) -> Iterator[tuple[str, str]]:
    """Yield, with its setting, a sentence for each feature and attribute that an analysis names and nothing has."""
    for name, feature in _features_of(entry):
        if features is None or feature in features():
            continue
        if feature.startswith(OF_SYSTEM):
            if of_systems is not None and feature not in of_systems():
                yield name, _no_attribute_of_systems(feature, of_systems())
        elif not feature.startswith(ATTRIBUTE):
            yield name, _no_feature(feature, features())
        elif attributes is not None and feature not in attributes():
            yield name, _no_attribute(feature, attributes())


def _features_of(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the features of items and attributes of raters and systems that an analysis names, with the setting."""
    for text in entry.get("slices", ()):
        found = RaterSlice.read(text) or SystemSlice.read(text)
        yield "slices", text if found is None else found.attribute
    if (by_raters := RaterSlice.read(entry.get("groups_by") or "")) is not None:
        yield "groups_by", by_raters.attribute
    if written := entry.get("where"):
        yield "where", Condition.read(written).feature


def _no_feature(name: str, known: Sequence[str]) -> str:
    sentence = _("No item has a feature “%(name)s”: items have features in columns such as feature_domain.")
    return f"{sentence % {'name': name}} {nearest(name, list(known))}".rstrip()


def _no_attribute(name: str, known: Sequence[str]) -> str:
    sentence = _("No questionnaire of this study asks raters for “%(name)s”; known are: %(known)s.")
    names = {"name": name.removeprefix(ATTRIBUTE), "known": ", ".join(known) or "–"}
    return f"{sentence % names} {nearest(name, list(known))}".rstrip()


def _no_attribute_of_systems(name: str, known: Sequence[str]) -> str:
    sentence = _("No system of this study has an attribute “%(name)s”; known are: %(known)s.")
    names = {"name": name.removeprefix(OF_SYSTEM), "known": ", ".join(known)}
    return f"{sentence % names} {nearest(name, list(known))}".rstrip()


def _unknown(name: str, known: Sequence[str]) -> str:
    return f"{_('There is no “%(name)s” in this study.') % {'name': name}} {nearest(name, list(known))}".rstrip()


def as_meant(document: Mapping[str, Any]) -> dict[str, Json]:
    """Return a stored plan, or the settings of a run, with the former value of each setting that was added later.

    Documents are stored with every setting that existed, so a missing setting was added later.
    """
    plan = {**_BEFORE_THE_CHOICE, **document}
    if isinstance(entries := plan.get("analyses"), list):
        plan["analyses"] = [
            {**(member.before_the_choice if member else {}), **entry}
            for entry in entries
            for member in [analyses.registry.get(str(entry.get("analysis")))]
        ]
    return plan


# Plans of studies -------------------------------------------------------------------------------------


def check(document: Mapping[str, Any], study: Study) -> dict[str, Json]:
    """Check a plan against a study and fill in every default.

    Raises
    ------
    BadPlan
        A ValueError with one problem per line.
    """
    criteria, systems = Criterion.objects.filter(study=study), System.objects.filter(study=study).exclude(key=COPIES)
    named = [rows.order_by().values_list(Value(rows.model.__name__), "pk", "key") for rows in (criteria, systems)]
    keys = sorted(named[0].union(named[1], all=True))
    groups = Group.objects.filter(study=study).values_list("key", flat=True)
    # Items and groups are read only if a plan names features or groups.
    return complete(
        document,
        criteria=[key for model, _pk, key in keys if model == "Criterion"],
        systems=[key for model, _pk, key in keys if model == "System"],
        features=cache(partial(_features_in, study)),
        groups=cache(partial(list, groups)),
        attributes=cache(partial(attributes_in, study)),
        of_systems=cache(partial(attributes_of_systems_in, study)),
    )


def _features_in(study: Study) -> list[str]:
    keys = Func(F("features"), function="jsonb_object_keys")
    items = Item.objects.filter(study=study)
    names = {*items.annotate(name=keys).values_list("name", flat=True).distinct()}
    return sorted(names | ({DOCUMENT} if items.exclude(document=None).exists() else set()))


def attributes_in(study: Study) -> list[str]:
    """Return the attributes of raters by which results of a study can be split: the questions of questionnaires."""
    criteria = Criterion.objects.filter(study=study, task_criteria__task__type__in=questionnaires())
    return sorted({f"{ATTRIBUTE}{key}" for key in criteria.values_list("key", flat=True)})


def attributes_of_systems_in(study: Study) -> list[str]:
    """Return the attributes of systems by which results of a study can be split, of which each has its kind."""
    keys = Func(F("attributes"), function="jsonb_object_keys")
    names = (
        System.objects.filter(study=study)
        .order_by()
        .annotate(attribute=keys)
        .values_list("attribute", flat=True)
        .distinct()
    )
    return sorted({KIND, *(f"{OF_SYSTEM}{name}" for name in names)})


def document_of(study: Study) -> dict[str, Json]:
    """Return the plan of a study: the one frozen last, else the one in preparation, else the default."""
    plan = plans_of(study).first()
    if plan is not None and plan.frozen_at is not None and plan.version == study.current_version:
        return frozen_document(plan, study)
    return check(plan.document if plan is not None else {}, study)


def frozen_document(plan: Plan, study: Study) -> dict[str, Json]:
    """Return a frozen plan with every default; settings that were added later have their former values.

    Raises BadPlan if the plan names something that no longer exists.
    """
    return check(as_meant(plan.document), study)


def declared_judgments(study: Study) -> int:
    """Return the judgments per unit up to which the frozen plan declares that more may be asked for; 0 for none."""
    frozen = frozen_plan(study)
    return int(frozen.document.get("most_judgments") or 0) if frozen is not None else 0


def frozen_plan(study: Study) -> Plan | None:
    """Return the plan of the version that is open or was last open."""
    return Plan.objects.filter(study=study, version=study.current_version, frozen_at__isnull=False).first()


def plans_of(study: Study) -> QuerySet[Plan]:
    """Return the plans of a study, the one that was frozen last before those in preparation, these newest first."""
    frozen_last = Q(version=study.current_version, frozen_at__isnull=False)
    return Plan.objects.filter(study=study).order_by(Case(When(frozen_last, then=0), default=1), "-version")
