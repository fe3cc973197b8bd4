"""Compute scores of metrics for the texts of a study, and store them with their signatures."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.models import MetricScore
from analytics_app.services.computing.programs import ProgramFailed, programs, scores_by
from analytics_app.services.uploads.flow import Uploaded
from analytics_app.services.uploads.scores import Scores
from analytics_app.stats.metrics.reference_scores import COMPUTED, TOKENIZERS, reference_scores
from tasks_app.models import Item, Output, Study
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.services.events import Actor
from tasks_app.services.imports import storing
from tasks_app.services.progress import Tell, tell_nobody

# Rows of one statement that inserts.
_BATCH = 5000
# Languages without spaces between words, or whose words BLEU splits in a way of their own.
SPLIT_APART = {"ja": "char", "zh": "zh", "ko": "char", "th": "char"}
BY_WORDS = ("BLEU", "TER", "ROUGE-1", "ROUGE-2", "ROUGE-L")


class CannotCompute(Exception):
    """Scores that cannot be computed; the message gives the reason and the remedy."""


@dataclass(frozen=True, slots=True)
class ComputedText:
    """A text of a system for an item, as metrics see it."""

    item: int
    item_key: str
    system: int
    system_key: str
    text: str
    source: str
    reference: str
    language: str


def known_metrics() -> tuple[str, ...]:
    """Return the metrics that can be computed: those built in, then those of the site's programs."""
    return (*COMPUTED, *(name for name in sorted(programs()) if name not in COMPUTED))


@dataclass(frozen=True, slots=True)
class Request:
    """The metrics that are asked for, and how they are computed.

    `tokenizer` is how BLEU splits texts into words. `references` is the key of the system whose texts are the
    references, "" for those of the items. With `replace`, all scores that the study has of these metrics are replaced.
    """

    metrics: tuple[str, ...]
    tokenizer: str = "13a"
    references: str = ""
    replace: bool = False


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
    texts = texts_of(study, request.references)
    if not texts:
        raise CannotCompute(_("The study has no texts to score."))
    rows: list[MetricScore] = []
    for metric in request.metrics:
        rows += _computed(study, metric, texts, request, tell)
    of_systems = sum(row.item_id is None for row in rows)
    counts = {"scores": len(rows), "metrics": len(request.metrics), "of systems as wholes": of_systems}
    summary = ngettext("%(n)s score: %(names)s", "%(n)s scores: %(names)s", len(rows))
    words = {"n": f"{len(rows):,}", "names": ", ".join(request.metrics)}
    uploaded = Uploaded(counts, summary % words, tuple(_notes(request, texts)), request.metrics)
    tell(_("Storing the scores"))
    _store(study.pk, rows, request, by, lambda: stored(uploaded))
    return uploaded


def require(study: Study, request: Request) -> None:
    """Check that the scores can be computed.

    Raises
    ------
    CannotCompute
        The study is a draft, a metric is unknown or has scores already, or there is no reference that a metric needs.
    """
    if refusal := Scores.refusal(study):
        raise CannotCompute(refusal)
    if unknown := [name for name in request.metrics if name not in known_metrics()]:
        sentence = _("Unknown: %(names)s. Known are %(known)s.")
        raise CannotCompute(sentence % {"names": ", ".join(unknown), "known": ", ".join(known_metrics())})
    if not request.metrics or request.tokenizer not in TOKENIZERS:
        raise CannotCompute(
            _("Name at least one metric, and a tokenizer among %(known)s.") % {"known": ", ".join(TOKENIZERS)}
        )
    _require_references(study, request)
    stored = MetricScore.objects.filter(study=study, metric__in=request.metrics)
    _require_none(stored, request)


def _require_references(study: Study, request: Request) -> None:
    """Check that a metric that needs references has some, and that a system that has them has one for an item."""
    if request.references:
        references = _reference_texts(study, request.references)
        if not references:
            sentence = _("The study has no texts of a system “%(key)s” that could be the references.")
            raise CannotCompute(sentence % {"key": request.references})
        if len({item for item, _text in references}) < len(references):
            sentence = _("The system “%(key)s” has several texts for an item, so they cannot be its reference.")
            raise CannotCompute(sentence % {"key": request.references})
        return
    needing = [name for name in request.metrics if name in COMPUTED]
    if needing and not Item.objects.filter(Item.LIVE, study=study, reference__regex=r"\S").exists():
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


def texts_of(study: Study, references: str = "") -> list[ComputedText]:
    """Return the texts of a study's present items, system by system; pictures, sounds and films are left out.

    With `references`, the texts of that system are the references of the others, and left out.
    """
    others = dict(_reference_texts(study, references)) if references else None
    outputs = (
        _texts(study)
        .exclude(system__key=references)
        .select_related("item", "system")
        .order_by("system__key", "item__key", "variant")
    )
    return [
        ComputedText(
            output.item_id, output.item.key, output.system_id, output.system.key, output.text, output.item.source,
            output.item.reference if others is None else others.get(output.item_id, ""),
            output.language or study.language,
        )
        for output in outputs.iterator()
    ]  # fmt: skip


def _computed(
    study: Study, metric: str, texts: Sequence[ComputedText], request: Request, tell: Tell
) -> Iterator[MetricScore]:
    of_references = f" (references: {request.references})" if request.references else ""

    def row(item: int | None, system: int, value: float, signature: str) -> MetricScore:
        return MetricScore(
            study=study, metric=metric, item_id=item, system_id=system, value=value,
            signature=f"{signature}{of_references}"[:300], source=MetricScore.Source.COMPUTED,
        )  # fmt: skip

    if metric not in COMPUTED:
        sentence = ngettext(
            "%(metric)s: the program is scoring %(n)s text",
            "%(metric)s: the program is scoring %(n)s texts",
            len(texts),
        )
        tell(sentence % {"metric": metric, "n": f"{len(texts):,}"})
        scores = _by_program(metric, texts)
        yield from (row(*place, value, f"program:{metric}") for place, value in _means(texts, scores).items())
        return
    by_system: dict[int, list[ComputedText]] = {}
    for text in texts:
        if text.reference.strip():
            by_system.setdefault(text.system, []).append(text)
    for place, (system, own) in enumerate(by_system.items(), start=1):
        tell(_("%(metric)s: system %(place)d of %(n)d") % {"metric": metric, "place": place, "n": len(by_system)})
        found = reference_scores(
            metric, [text.text for text in own], [text.reference for text in own], tokenizer=request.tokenizer
        )
        yield from (row(*place, value, found.signature) for place, value in _means(own, found.texts).items())
        if found.whole is not None:
            yield row(None, system, found.whole, found.signature_of_whole)


def _by_program(metric: str, texts: Sequence[ComputedText]) -> list[float]:
    given = [
        {"item": text.item_key, "system": text.system_key, "text": text.text, "source": text.source,
         "reference": text.reference, "language": text.language}
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
    stored = MetricScore.objects.filter(study=study, metric__in=request.metrics)
    _require_none(stored, request)
    stored.delete()
    MetricScore.objects.bulk_create(rows, batch_size=_BATCH)
    after = {"metrics": list(request.metrics), "scores": len(rows), "replaced": request.replace}
    if request.references:
        after["references"] = request.references
    events.log(study, by, "computed scores", about=", ".join(request.metrics)[:100], after=after)
    also()


def _notes(request: Request, texts: Sequence[ComputedText]) -> Iterator[str]:
    metrics, tokenizer = request.metrics, request.tokenizer
    without = sum(not text.reference.strip() for text in texts)
    if without and any(metric in COMPUTED for metric in metrics):
        sentence = ngettext(
            "%(n)d text has no score by metrics that need a reference, since its item has none.",
            "%(n)d texts have no score by metrics that need a reference, since their items have none.",
            without,
        )
        yield sentence % {"n": without}
    languages = {text.language.partition("-")[0] for text in texts} & SPLIT_APART.keys()
    if tokenizer in {"zh", "char"}:
        languages = set()
    by_words = [metric for metric in metrics if metric in BY_WORDS]
    for language in sorted(languages if by_words else ()):
        sentence = _(
            "The texts are in a language (%(language)s) that the tokenizer %(tokenizer)s does not split into words, so "
            "scores by %(names)s mean little. Choose the tokenizer %(better)s for BLEU and TER, or use chrF."
        )
        names = ", ".join(by_words)
        yield sentence % {
            "language": language, "tokenizer": tokenizer, "names": names, "better": SPLIT_APART[language],
        }  # fmt: skip
