"""Compute scores of metrics for the texts of a study, and store them with their signatures."""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.models import MetricScore
from analytics_app.services.computing.programs import ProgramFailed, programs, scores_by
from analytics_app.services.computing.request import (
    BOTH,
    MOST_BY_NUMBER,
    OF_ITEMS,
    REFERENCES,
    SOURCE,
    Request,
    Variant,
)
from analytics_app.services.uploads.flow import Uploaded
from analytics_app.services.uploads.scores import Scores
from analytics_app.stats.metrics.reference_scores import (
    COMPUTED,
    ORDERS,
    SACREBLEU,
    ReferenceScores,
    reference_scores,
    tokenizers,
)
from tasks_app.models import Item, Output, Study
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.services.events import Actor
from tasks_app.services.imports import storing
from tasks_app.services.progress import Tell, tell_nobody

# Rows of one statement that inserts.
_BATCH = 5000
# Languages without spaces between words, or whose words are not the units of meaning that spaces separate: the
# tokenizer to choose first, and the others that split them.
SPLIT_APART = {
    "ja": ("char", "ja-mecab"), "zh": ("zh", "char"), "ko": ("char", "ko-mecab"), "th": ("char",),
}  # fmt: skip
# The languages whose texts TER can split, too.
ASIAN = frozenset({"ja", "zh"})
# The metrics that count words, whose scores mean little where these are not split.
BY_WORDS = tuple(metric for metric in COMPUTED if not metric.startswith("chrF"))


class CannotCompute(Exception):
    """Scores that cannot be computed; the message gives the reason and the remedy."""


@dataclass(frozen=True, slots=True)
class ComputedText:
    """A text of a system for an item, as metrics see it.

    `references` has a text for each place that references come from, "" where it has none for the item or is the
    system itself.
    """

    item: int
    item_key: str
    system: int
    system_key: str
    text: str
    source: str
    references: tuple[str, ...]
    language: str


def known_metrics() -> tuple[str, ...]:
    """Return the metrics that can be computed: those built in, then those of the site's programs."""
    return (*COMPUTED, *(name for name in sorted(programs()) if name not in COMPUTED))


def no_more(_uploaded: Uploaded) -> None:
    """Do nothing in the transaction that stores the scores."""


def compute_scores(
    *,
    study: Study,
    request: Request,
    by: Actor,
    tell: Tell = tell_nobody,
    stored: Callable[[Uploaded], None] = no_more,
) -> Uploaded:
    """Compute metrics for all texts of a study and store them; of each BLEU, chrF and TER also the corpus score.

    Texts without a reference have no score of the metrics built in, and are counted in a note. Of several variants of a
    system's text the mean is stored. `stored` is called in the transaction that stores the scores, with their counts.

    Raises
    ------
    CannotCompute
        See `require`; or a program failed.
    """  # fmt: skip
    require(study, request)
    texts = texts_of(study, request)
    if not texts:
        raise CannotCompute(_("The study has no texts to score."))
    rows: list[MetricScore] = []
    for variant in request.variants:
        rows += _computed(study, variant, texts, request, tell)
    of_systems = sum(row.item_id is None for row in rows)
    counts = {"scores": len(rows), "metrics": len(request.names), "of systems as wholes": of_systems}
    summary = ngettext("%(n)s score: %(names)s", "%(n)s scores: %(names)s", len(rows))
    words = {"n": f"{len(rows):,}", "names": ", ".join(request.names)}
    uploaded = Uploaded(counts, summary % words, tuple(_notes(request, texts)), request.names)
    tell(_("Storing the scores"))
    _store(study.pk, rows, request, by, lambda: stored(uploaded))
    return uploaded


def require(study: Study, request: Request) -> None:
    """Check that the scores can be computed.

    Raises
    ------
    CannotCompute
        The study is a draft, a metric is unknown or has scores already, or there is no reference or source that a
        metric needs.
    """
    if refusal := Scores.refusal(study):
        raise CannotCompute(refusal)
    if unknown := [name for name in request.metrics if name not in known_metrics()]:
        sentence = _("Unknown: %(names)s. Known are %(known)s.")
        raise CannotCompute(sentence % {"names": ", ".join(unknown), "known": ", ".join(known_metrics())})
    if not (request.metrics and request.tokenizers and set(request.tokenizers) <= set(tokenizers())):
        raise CannotCompute(
            _("Name at least one metric, and a tokenizer among %(known)s.") % {"known": ", ".join(tokenizers())}
        )
    if not (request.against and set(request.against) <= {REFERENCES, SOURCE, BOTH} and request.references):
        raise CannotCompute(_("Compare texts with references, source or both, and name where references come from."))
    if request.by_number and not 1 < len(request.references) <= MOST_BY_NUMBER:
        sentence = _("Fewer references at once need several places that references come from, at most %(most)d.")
        raise CannotCompute(sentence % {"most": MOST_BY_NUMBER})
    if request.by_number and REFERENCES not in request.against:
        raise CannotCompute(_("Fewer references at once are taken where texts are compared with the references alone."))
    needing = [name for name in request.metrics if name in COMPUTED]
    if needing and set(request.against) & {SOURCE, BOTH}:
        _require_sources(study, needing)
    if request.needs_references:
        _require_references(study, request, needing)
    stored = MetricScore.objects.filter(study=study, metric__in=request.names)
    _require_none(stored, request)


def _require_sources(study: Study, needing: Sequence[str]) -> None:
    """Check that metrics that compare with the source have some."""
    if not Item.objects.filter(Item.LIVE, study=study, source__regex=r"\S").exists():
        sentence = ngettext(
            "%(names)s cannot compare with the source: no item of this study has one.",
            "%(names)s cannot compare with the source: no item of this study has one.",
            len(needing),
        )
        raise CannotCompute(sentence % {"names": ", ".join(needing)})


def _require_references(study: Study, request: Request, needing: Sequence[str]) -> None:
    """Check that metrics that need references have some, and that a system that has them has one for an item."""
    for key in request.systems:
        references = _reference_texts(study, key)
        if not references:
            sentence = _("The study has no texts of a system “%(key)s” that could be the references.")
            raise CannotCompute(sentence % {"key": key})
        if len({item for item, _text in references}) < len(references):
            sentence = _("The system “%(key)s” has several texts for an item, so they cannot be its reference.")
            raise CannotCompute(sentence % {"key": key})
    if OF_ITEMS not in request.references or not needing:
        return
    if not Item.objects.filter(Item.LIVE, study=study, reference__regex=r"\S").exists():
        sentence = ngettext(
            "%(names)s needs references, and no item of this study has one.",
            "%(names)s need references, and no item of this study has one.",
            len(needing),
        )
        raise CannotCompute(sentence % {"names": ", ".join(needing)})


def _require_none(stored: QuerySet[MetricScore], request: Request) -> None:
    """Check that no scores are stored, unless they are to be replaced."""
    if not request.replace and (present := sorted(set(stored.values_list("metric", flat=True)))):
        sentence = _(
            "The study has scores of %(names)s already. To replace them, tick “Replace”, or use --replace on the "
            "command line."
        )
        raise CannotCompute(sentence % {"names": ", ".join(present)})


def _texts(study: Study) -> QuerySet[Output]:
    return Output.objects.filter(Output.LIVE, item__study=study, item__until=None, kind=Output.Kind.TEXT)


def _reference_texts(study: Study, system: str) -> list[tuple[int, str]]:
    """Return the texts of the system that has the references, each with its item."""
    return list(_texts(study).filter(system__key=system).values_list("item_id", "text"))


def texts_of(study: Study, request: Request) -> list[ComputedText]:
    """Return the texts of a study's present items, system by system; pictures, sounds and films are left out."""
    of_systems = {key: dict(_reference_texts(study, key)) for key in request.systems}
    outputs = _texts(study).select_related("item", "system").order_by("system__key", "item__key", "variant")

    def reference(key: str, output: Output) -> str:
        if key == OF_ITEMS:
            return output.item.reference
        return "" if key == output.system.key else of_systems[key].get(output.item_id, "")

    return [
        ComputedText(
            output.item_id, output.item.key, output.system_id, output.system.key, output.text, output.item.source,
            tuple(reference(key, output) for key in request.references), output.language or study.language,
        )
        for output in outputs.iterator()
    ]  # fmt: skip


def _compared_with(variant: Variant, text: ComputedText, request: Request) -> tuple[str, ...]:
    """Return the texts that a metric compares a text with; none if the text gets no score.

    A system whose texts are references is compared with the source, and with fewer references than there are in all:
    then its own text is not among them.
    """
    references = tuple(reference for reference in text.references if reference.strip())
    source = (text.source,) if text.source.strip() else ()
    if variant.against == SOURCE:
        return source
    is_reference = text.system_key in request.systems
    if request.by_number and variant.against == REFERENCES and len(references) < len(request.references) - is_reference:
        # Numbers of references are compared on the same texts.
        return ()
    if variant.at_once is not None:
        return references
    if is_reference or not references:
        return ()
    if variant.against == BOTH:
        return (*source, *references) if source else ()
    return references


def _computed(
    study: Study, variant: Variant, texts: Sequence[ComputedText], request: Request, tell: Tell
) -> Iterator[MetricScore]:
    named_references = ", ".join(key or _("items") for key in request.references) if request.systems else ""
    details = "" if variant.against == REFERENCES else f"|against:{variant.against}"
    if named_references and variant.against != SOURCE:
        details += f" (references: {named_references})"

    def row(item: int | None, system: int, value: float, signature: str) -> MetricScore:
        return MetricScore(
            study=study, metric=variant.name, item_id=item, system_id=system, value=value,
            signature=f"{signature}{details}"[:300], source=MetricScore.Source.COMPUTED,
        )  # fmt: skip

    if variant.metric not in COMPUTED:
        scored = [text for text in texts if SOURCE in request.against or text.system_key not in request.systems]
        sentence = ngettext(
            "%(metric)s: the program is scoring %(n)s text",
            "%(metric)s: the program is scoring %(n)s texts",
            len(scored),
        )
        tell(sentence % {"metric": variant.name, "n": f"{len(scored):,}"})
        scores = _by_program(variant.metric, scored)
        yield from (row(*place, value, f"program:{variant.name}") for place, value in _means(scored, scores).items())
        return
    by_system: dict[int, list[tuple[ComputedText, tuple[str, ...]]]] = {}
    for text in texts:
        if compared := _compared_with(variant, text, request):
            by_system.setdefault(text.system, []).append((text, compared))
    for place, (system, own) in enumerate(by_system.items(), start=1):
        tell(_("%(metric)s: system %(place)d of %(n)d") % {
            "metric": variant.name, "place": place, "n": len(by_system),
        })  # fmt: skip
        found = _scores(variant, own)
        of_texts = [text for text, _compared in own]
        yield from (row(*at, value, found.signature) for at, value in _means(of_texts, found.texts).items())
        if found.whole is not None:
            yield row(None, system, found.whole, found.signature_of_whole)


def _scores(variant: Variant, own: Sequence[tuple[ComputedText, tuple[str, ...]]]) -> ReferenceScores:
    return reference_scores(
        variant.metric, [text.text for text, _compared in own], [compared for _text, compared in own],
        tokenizer=variant.tokenizer, at_once=variant.at_once,
    )  # fmt: skip


def _by_program(metric: str, texts: Sequence[ComputedText]) -> list[float]:
    given = [
        {"item": text.item_key, "system": text.system_key, "text": text.text, "source": text.source,
         "reference": next(filter(str.strip, text.references), ""), "language": text.language}
        for text in texts
    ]  # fmt: skip
    try:
        return scores_by(metric, given)
    except ProgramFailed as error:
        raise CannotCompute(str(error)) from error


def _means(texts: Sequence[ComputedText], scores: Sequence[float]) -> Mapping[tuple[int, int], float]:
    """Return the score of each item and system: of several variants the mean."""
    by_text: dict[tuple[int, int], list[float]] = {}
    for text, score in zip(texts, scores, strict=True):
        by_text.setdefault((text.item, text.system), []).append(score)
    return {place: sum(each) / len(each) for place, each in by_text.items()}


@atomically
def _store(study_id: int, rows: Sequence[MetricScore], request: Request, by: Actor, also: Callable[[], None]) -> None:
    study = storing.hold(study_id)
    stored = MetricScore.objects.filter(study=study, metric__in=request.names)
    _require_none(stored, request)
    stored.delete()
    MetricScore.objects.bulk_create(rows, batch_size=_BATCH)
    after = {"metrics": list(request.names), "scores": len(rows), "replaced": request.replace}
    if request.systems:
        after["references"] = ", ".join(key or "items" for key in request.references)
    events.log(study, by, "computed scores", about=", ".join(request.names)[:100], after=after)
    also()


def _notes(request: Request, texts: Sequence[ComputedText]) -> Iterator[str]:
    is_compared = any(metric in COMPUTED for metric in request.metrics)
    without = sum(not any(map(str.strip, text.references)) for text in texts if text.system_key not in request.systems)
    if without and is_compared and request.needs_references:
        sentence = ngettext(
            "%(n)d text has no score by metrics that need a reference, since its item has none.",
            "%(n)d texts have no score by metrics that need a reference, since their items have none.",
            without,
        )
        yield sentence % {"n": without}
    without = sum(not text.source.strip() for text in texts)
    if without and is_compared and set(request.against) & {SOURCE, BOTH}:
        sentence = ngettext(
            "%(n)d text has no score by metrics that compare with the source, since its item has none.",
            "%(n)d texts have no score by metrics that compare with the source, since their items have none.",
            without,
        )
        yield sentence % {"n": without}
    yield from _unsplit(request, {text.language.partition("-")[0] for text in texts})


def _unsplit(request: Request, languages: Set[str]) -> Iterator[str]:
    """Yield a warning for each language that is not split into words, with the metrics that say little then."""
    for language in sorted(languages & SPLIT_APART.keys()):
        poor = [
            variant for variant in request.variants if variant.metric in BY_WORDS and not _splits(variant, language)
        ]
        if poor:
            sentence = _(
                "The texts are in a language (%(language)s) that the tokenizer %(tokenizer)s does not split into "
                "words, so scores by %(names)s mean little. Choose the tokenizer %(better)s for %(metrics)s, or use "
                "chrF."
            )
            chosen = dict.fromkeys(variant.split or "13a" for variant in poor)
            yield sentence % {
                "language": language, "tokenizer": ", ".join(chosen),
                "names": ", ".join(variant.name for variant in poor), "better": SPLIT_APART[language][0],
                "metrics": split_metrics(language),
            }  # fmt: skip


def split_metrics(language: str) -> str:
    """Return the metrics that a tokenizer helps with texts of a language: TER splits only Chinese and Japanese."""
    return _("BLEU and TER") if language in ASIAN else "BLEU"


def _splits(variant: Variant, language: str) -> bool:
    """Return whether a metric splits the words of a language that spaces do not separate."""
    if variant.metric in ORDERS:
        return variant.split in SPLIT_APART[language]
    return variant.metric in SACREBLEU and variant.split == "asian" and language in ASIAN
