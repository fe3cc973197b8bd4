"""Compute scores of metrics for the texts of a study, and store them with their signatures."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.models import MetricScore
from analytics_app.services.computing.programs import ProgramFailed, programs, scores_by
from analytics_app.services.uploads.flow import Uploaded
from analytics_app.services.uploads.scores import Scores
from analytics_app.stats.metrics.reference_scores import COMPUTED, TOKENIZERS, reference_scores
from tasks_app.models import Output, Study
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.services.events import Actor
from tasks_app.services.imports import storing

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


def compute_scores(
    *, study: Study, metrics: Sequence[str], by: Actor, tokenizer: str = "13a", replace: bool = False
) -> Uploaded:
    """Compute metrics for all texts of a study and store them; of each BLEU, chrF and TER also the corpus score.

    Texts of an item without a reference have no score of the metrics built in, and are counted in a note. Of several
    variants of a system's text the mean is stored.

    Raises
    ------
    CannotCompute
        The study is a draft, a metric is unknown or has scores already, no item has a reference, or a program failed.
    """
    if refusal := Scores.refusal(study):
        raise CannotCompute(refusal)
    if unknown := [name for name in metrics if name not in known_metrics()]:
        sentence = _("Unknown: %(names)s. Known are %(known)s.")
        raise CannotCompute(sentence % {"names": ", ".join(unknown), "known": ", ".join(known_metrics())})
    if not metrics or tokenizer not in TOKENIZERS:
        raise CannotCompute(
            _("Name at least one metric, and a tokenizer among %(known)s.") % {"known": ", ".join(TOKENIZERS)}
        )
    texts = texts_of(study)
    if not texts:
        raise CannotCompute(_("The study has no texts to score."))
    rows: list[MetricScore] = []
    for metric in metrics:
        rows += _computed(study, metric, texts, tokenizer)
    _store(study.pk, rows, list(metrics), by, replace=replace)
    of_systems = sum(row.item_id is None for row in rows)
    counts = {"scores": len(rows), "metrics": len(metrics), "of systems as wholes": of_systems}
    summary = ngettext("%(n)d score: %(names)s", "%(n)d scores: %(names)s", len(rows))
    words = {"n": len(rows), "names": ", ".join(metrics)}
    return Uploaded(counts, summary % words, tuple(_notes(metrics, texts, tokenizer)), tuple(metrics))


def texts_of(study: Study) -> list[ComputedText]:
    """Return the texts of a study's present items, system by system; pictures, sounds and films are left out."""
    outputs = (
        Output.objects.filter(Output.LIVE, item__study=study, item__until=None, kind=Output.Kind.TEXT)
        .select_related("item", "system")
        .order_by("system__key", "item__key", "variant")
    )
    return [
        ComputedText(
            output.item_id, output.item.key, output.system_id, output.system.key, output.text, output.item.source,
            output.item.reference, output.language or study.language,
        )
        for output in outputs.iterator()
    ]  # fmt: skip


def _computed(study: Study, metric: str, texts: Sequence[ComputedText], tokenizer: str) -> Iterator[MetricScore]:
    def row(item: int | None, system: int, value: float, signature: str) -> MetricScore:
        return MetricScore(
            study=study, metric=metric, item_id=item, system_id=system, value=value, signature=signature[:300],
            source=MetricScore.Source.COMPUTED,
        )  # fmt: skip

    if metric not in COMPUTED:
        given = [
            {"item": text.item_key, "system": text.system_key, "text": text.text, "source": text.source,
             "reference": text.reference, "language": text.language}
            for text in texts
        ]  # fmt: skip
        try:
            scores = scores_by(metric, given)
        except ProgramFailed as error:
            raise CannotCompute(str(error)) from error
        yield from (row(*place, value, f"program:{metric}") for place, value in _means(texts, scores).items())
        return
    by_system: dict[int, list[ComputedText]] = {}
    for text in texts:
        if text.reference.strip():
            by_system.setdefault(text.system, []).append(text)
    if not by_system:
        raise CannotCompute(_("%(name)s needs references, and no item of this study has one.") % {"name": metric})
    for system, own in by_system.items():
        found = reference_scores(
            metric, [text.text for text in own], [text.reference for text in own], tokenizer=tokenizer
        )
        yield from (row(*place, value, found.signature) for place, value in _means(own, found.texts).items())
        if found.whole is not None:
            yield row(None, system, found.whole, found.signature_of_whole)


def _means(texts: Sequence[ComputedText], scores: Sequence[float]) -> Mapping[tuple[int, int], float]:
    """Return the score of each item and system: of several variants the mean."""
    by_text: dict[tuple[int, int], list[float]] = {}
    for text, score in zip(texts, scores, strict=True):
        by_text.setdefault((text.item, text.system), []).append(score)
    return {place: sum(each) / len(each) for place, each in by_text.items()}


@atomically
def _store(study_id: int, rows: Sequence[MetricScore], metrics: list[str], by: Actor, *, replace: bool) -> None:
    study = storing.hold(study_id)
    stored = MetricScore.objects.filter(study=study, metric__in=metrics)
    if replace:
        stored.delete()
    elif present := sorted(set(stored.values_list("metric", flat=True))):
        sentence = _("The study has scores of %(names)s already. To replace them, use --replace.")
        raise CannotCompute(sentence % {"names": ", ".join(present)})
    MetricScore.objects.bulk_create(rows, batch_size=_BATCH)
    after = {"metrics": metrics, "scores": len(rows), "replaced": replace}
    events.log(study, by, "computed scores", about=", ".join(metrics)[:100], after=after)


def _notes(metrics: Sequence[str], texts: Sequence[ComputedText], tokenizer: str) -> Iterator[str]:
    without = sum(not text.reference.strip() for text in texts)
    if without and any(metric in COMPUTED for metric in metrics):
        sentence = ngettext(
            "%(n)d text has no score, since its item has no reference.",
            "%(n)d texts have no score, since their items have no reference.",
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
            "scores by %(names)s mean little. Use --tokenize %(better)s for BLEU and TER, or chrF."
        )
        names = ", ".join(by_words)
        yield sentence % {
            "language": language, "tokenizer": tokenizer, "names": names, "better": SPLIT_APART[language],
        }  # fmt: skip
