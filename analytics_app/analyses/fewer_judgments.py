"""Fewer judgments: the error of the label of a text from m of its judgments, against the label from all of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, Sample, in_words
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.labels_of_texts import NOTHING, Answers, Decided, Model, by_model
from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.lines import course_chart
from analytics_app.charts.picking import INTERVAL, Material, setting, value_of
from analytics_app.models import ResultRow
from analytics_app.ratings import Floats, Mask
from analytics_app.results import Row
from analytics_app.show.findings import Finding, FindingQuestion, finding_of
from analytics_app.show.formats import digits, interval, percent, share_interval
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Shown, StoredRows, general_table, named, table_of, tables_of
from analytics_app.show.table import Table
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.errors.fewer_judgments import (
    error_of_fewer_means,
    error_of_fewer_votes,
    error_on_samples,
)
from analytics_app.stats.values import Codes, Estimate, joined
from tasks_app.settings.fields import number_field, whole_field
from tasks_app.task_types.base import Scale

# Labels by Dawid and Skene on random samples of the judgments of each text, against those on all judgments.

SMOOTHING = 0.01

# All fits of the model together read about so many answers, which takes a worker about a second: with more judgments,
# fewer samples are drawn, but at least two (decision 147).
READ = 300_000
FEWEST_ROUNDS = 2
# The most answers that two samples of each number may read.
MOST_READ = 600_000

TOO_MANY = "There are too many judgments to fit the model of Dawid and Skene on samples of them."
NO_CLEAR = "The model of Dawid and Skene has no clear label of any text."


@dataclass(frozen=True, slots=True)
class ModelErrors:
    """Share of the samples in which the label of a text differs from the model's label on all judgments.

    `errors[i, m - 1]` is about line i, a text or, where several labels may be chosen, a text and label; `text[i]` is
    the place of its text. A column is NaN where the model is undefined, as with one judgment per text. `rounds` are
    the samples drawn for each m.
    """

    errors: Floats
    text: Codes
    rounds: int

    @property
    def undefined(self) -> bool:
        """Return whether the model has no labels with one judgment per text."""
        return bool(np.isnan(self.errors[:, 0]).all())


def _model_errors(answers: Answers, most: int, rounds: int, rng: np.random.Generator) -> ModelErrors | str:
    """Fit the model on at most `rounds` samples for each m from 1 to `most`, or return a sentence why it cannot be."""
    read_in_a_round = len(answers) * (most + 1) / 2
    rounds = min(rounds, max(FEWEST_ROUNDS, int(READ / read_in_a_round)))
    if read_in_a_round * rounds > MOST_READ:
        return TOO_MANY
    whole = by_model(answers, SMOOTHING)
    if not isinstance(whole, Model):
        return whole
    clear = np.flatnonzero(whole.decided.clear)
    if not len(clear):
        return NO_CLEAR

    def labels_of(mask: Mask) -> Floats | None:
        model = by_model(answers.where(mask), SMOOTHING)
        return _decisions(model.decided)[clear] if isinstance(model, Model) else None

    reference = _decisions(whole.decided)[clear]
    errors = error_on_samples(labels_of, answers.text, reference, most=most, rounds=rounds, rng=rng)
    return ModelErrors(errors.reshape(-1, most), np.repeat(clear, reference.shape[1]), rounds)


def _decisions(decided: Decided) -> Floats:
    """Return the decisions on each text, NaN if not clear: its label, or of several labels whether it has each."""
    if decided.several:
        return decided.yes
    return np.where(decided.clear, decided.yes.argmax(axis=1), np.nan)[:, np.newaxis]


# With more judgments per text than this, the curve is hard to read and the samples take long to count.
MOST_JUDGMENTS = 40

ONE_EACH = "No text has two judgments, so there is nothing to compare the label of fewer judgments with."
TIED = "The votes of every text are tied, so no text has a label to compare with."


@dataclass(frozen=True, slots=True)
class Judged:
    """The texts that have at least k judgments: their answers, votes by label, and the unit of the intervals.

    `votes` has a line for each text, or, where an answer may choose several labels, for each text and label: its votes
    against and for. `line_cluster` and `text_cluster` are what intervals are over. `steps` are the ratings of ordinal
    scales, else None.
    """

    answers: Answers
    k: int
    votes: NDArray[np.int64]
    line_cluster: NDArray[np.int64]
    text_cluster: NDArray[np.int64]
    steps: Floats | None
    left_out: int


@register
class FewerJudgments(FilteredAnalysis):
    """Error of the joint label with m judgments per text, against the label of all its k judgments, for m = 1 to k.

    The majority is exact: every sample of m of the k judgments is counted. The label by Dawid and Skene is computed
    again on random samples. It says how many judgments the next study needs; it is no error against the truth.
    """

    label = _("Fewer judgments per text")
    summary = _("How often the joint label of a text would differ with fewer judgments, such as 3 in place of 10.")
    source = (
        "Logacheva et al. (2022). A study on manual and automatic evaluation for text style transfer: the case of "
        "detoxification. HumEval."
    )
    scales = frozenset({Scale.NOMINAL, Scale.ORDINAL})
    task_types = frozenset({"labels", "likert"})
    leads = False
    statistics = {
        "majority_error": _("Share of texts with another majority"),
        "model_error": _("Share of texts with another label by Dawid and Skene"),
        "mean_error": _("Mean of fewer ratings: typical distance from the mean of all"),
    }

    judgments = whole_field(
        _("All judgments of a text"),
        _("Texts with fewer judgments are left out. Leave empty for as many as most texts have, at most %(most)s.")
        % {"most": MOST_JUDGMENTS},
        within=(2, MOST_JUDGMENTS),
        initial=None,
    )
    tolerated = number_field(
        _("Accepted share of differing labels"),
        _("The result names the smallest number of judgments whose interval lies below this share."),
        within=(0.001, 0.5),
        initial=0.05,
    )
    rounds = whole_field(
        _("Samples for Dawid and Skene"),
        _("Random samples for each number of judgments; fewer if there are many judgments. 0 leaves the model out."),
        within=(0, 200),
        initial=20,
    )

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of one criterion: those of the majority, of the model, and of means on ordinal scales."""
        make = Rows(self.name, sample)
        judged = _judged(sample, self.judgments)
        if isinstance(judged, str):
            yield make.row("majority_error", note=judged)
            return
        row_settings = {"judgments": judged.k, "tolerated": self.tolerated}
        errors = error_of_fewer_votes(judged.votes, most=judged.k)
        counted = ~np.isnan(errors[:, 0])
        if not counted.any():
            yield make.row("majority_error", note=TIED, settings=row_settings)
            return
        notes = joined(_left_out(judged), _tied(judged, int((~counted).sum())))
        clusters = judged.line_cluster[counted]
        yield from _curve(make, "majority_error", errors[counted], clusters, {**row_settings, "samples": "all"}, notes)
        if self.rounds:
            yield from _by_model(make, judged, self.rounds, row_settings)
        if judged.steps is not None:
            yield from _means(make, judged, row_settings)


def _judged(sample: Sample, judgments: int | None) -> Judged | str:
    """Return the texts with enough judgments, or a sentence that explains why there are none."""
    is_labelled = sample.question.scale is Scale.NOMINAL
    if is_labelled:
        several = bool(sample.question.params.get("multiple")) and bool(sample.question.labels)
        answers, steps = Answers.of(sample.table, sample.question.labels, several=several), None
    else:
        answers, steps = _of_steps(sample)
    # An answer without a label, such as "none of these" left empty, is a vote for nothing.
    if not answers.several:
        answered: Mask = np.asarray(answers.chosen.any(axis=1))
        answers = answers.where(answered)
    if not len(answers):
        return NOTHING
    texts, place, times = np.unique(answers.text, return_inverse=True, return_counts=True)
    if times.max() < 2:
        return ONE_EACH
    k = judgments or min(_usual(times), MOST_JUDGMENTS)
    enough = times >= k
    if not enough.any():
        return f"No text has {k} judgments; the most that a text has is {int(times.max())}."
    kept_answers = answers.where(enough[place])
    cluster = _clusters(sample, texts[enough])
    votes, of_line = _votes(kept_answers)
    left_out = int((~enough).sum())
    numbers = None if steps is None else steps[kept_answers.chosen.argmax(axis=1)]
    return Judged(kept_answers, k, votes, cluster[of_line], cluster, numbers, left_out)


def _usual(times: NDArray[np.int64]) -> int:
    """Return the most frequent number of judgments, of texts with at least two; the larger of equally frequent ones."""
    counts = np.bincount(times)
    counts[:2] = 0
    return int(len(counts) - 1 - counts[::-1].argmax())


def _of_steps(sample: Sample) -> tuple[Answers, Floats]:
    """Return the ratings of an ordinal scale as labels, and the number of each label."""
    rated = sample.first_per_rater()
    table = rated.table.where(~np.isnan(rated.table.value))
    steps, code = np.unique(table.value, return_inverse=True)
    answers = Answers.made(
        code.astype(np.int64),
        table.text,
        table.rater.astype(np.int64),
        table.judgment.astype(np.int64),
        tuple(f"{step:g}" for step in steps),
        several=False,
    )
    return answers, steps


def _clusters(sample: Sample, texts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the document or item of each text, which intervals resample."""
    table, names = sample.table, sample.table.names
    first = np.searchsorted(table.text, texts, sorter=(order := np.argsort(table.text, kind="stable")))
    item = names.item_of_unit[table.unit[order[first]]].astype(np.int64)
    of_texts = np.where(item >= 0, item, len(names.items) + texts)
    if not sample.question.by_document:
        return of_texts
    document = np.where(item >= 0, names.document_of_item[np.maximum(item, 0)], -1).astype(np.int64)
    return np.where(document >= 0, document, len(names.documents) + of_texts)


def _votes(answers: Answers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the votes of each line, and the place of its text."""
    texts, place = np.unique(answers.text, return_inverse=True)
    votes = np.zeros((len(texts), len(answers.options)), dtype=np.int64)
    np.add.at(votes, place, answers.chosen.astype(np.int64))
    if not answers.several:
        return votes, np.arange(len(texts))
    votes_against = np.bincount(place, minlength=len(texts))[:, np.newaxis] - votes
    return np.column_stack((votes_against.ravel(), votes.ravel())), np.repeat(
        np.arange(len(texts)), len(answers.options)
    )


def _left_out(judged: Judged) -> str | None:
    if not judged.left_out:
        return None
    texts_left_out = in_words(judged.left_out, "text is", "texts are")
    return f"{texts_left_out} left out: fewer than {judged.k} judgments."


def _tied(judged: Judged, ties: int) -> str | None:
    if not ties:
        return None
    noun, plural = ("decision", "decisions") if judged.answers.several else ("text", "texts")
    return f"{in_words(ties, f'{noun} is', f'{plural} are')} left out: the votes of all judgments are tied."


def _curve(
    make: Rows,
    statistic: str,
    errors: Floats,
    clusters: NDArray[np.int64],
    row_settings: Mapping[str, Any],
    notes: str | None,
) -> Iterator[Row]:
    """Yield a row for each number of judgments: the mean error of the texts, with an interval over items."""
    over = "documents" if make.sample.question.by_document else "items"
    n_lines, most = errors.shape
    drawn = bootstrap(make.sample, statistic, over)
    lines, groups = np.repeat(clusters, most), np.tile(np.arange(most), n_lines)
    # Errors of labels are shares of samples; those of means are squares of distances on the scale.
    means = group_means(errors.ravel(), groups, lines, n_groups=most, shares=statistic != "mean_error", **drawn.options)
    for m, mean in enumerate(means, start=1):
        estimate = mean if m < most or statistic == "model_error" else _at_all(mean)
        # Without a value, the model is undefined, which the notes say.
        note = notes if estimate.value is None else joined(estimate.note, notes)
        yield make.row(
            statistic,
            estimate,
            label=str(m),
            n_ratings=None if statistic == "mean_error" else n_lines * m,
            note=note,
            settings={**drawn.settings, **row_settings, "m": m},
        )


def _at_all(mean: Estimate) -> Estimate:
    """Return the error with all judgments without its interval: it is 0 by construction if no text has more."""
    return replace(mean, low=None, high=None, se=None, note=None, exact=False) if mean.value == 0 else mean


def _by_model(make: Rows, judged: Judged, rounds: int, row_settings: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the errors of the label by Dawid and Skene."""
    # The seed does not depend on the name of the subset: a subset that leaves nothing out has the same result.
    seed = replace(make.sample, slice=None, group=None, wave=None).seed("samples of judgments")
    row_settings = {**row_settings, "rounds": rounds, "seed_of_samples": seed}
    fitted = _model_errors(judged.answers, judged.k, rounds, np.random.default_rng(seed))
    if isinstance(fitted, str):
        yield make.row("model_error", note=fitted, settings=row_settings)
        return
    row_settings["rounds"] = fitted.rounds
    notes = joined(_left_out(judged), _without_model(fitted.undefined), _fewer_samples(fitted.rounds, rounds))
    clusters = judged.text_cluster[fitted.text]
    for row in _curve(make, "model_error", fitted.errors, clusters, row_settings, notes):
        # The fit to all judgments and those to samples go wrong together, which no interval over texts takes in.
        yield replace(row, low=None, high=None, se=None)


def _without_model(undefined: bool) -> str | None:
    return "With one judgment per text there is no model, so its labels begin with two." if undefined else None


def _fewer_samples(drawn: int, chosen: int) -> str | None:
    if drawn == chosen:
        return None
    return f"There are many judgments, so {drawn} samples were drawn for each number of judgments instead of {chosen}."


def _means(make: Rows, judged: Judged, row_settings: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the root mean squared distance between the mean of m ratings and the mean of all."""
    _texts, place = np.unique(judged.answers.text, return_inverse=True)
    if judged.steps is None:
        return
    squares = error_of_fewer_means(judged.steps, place, most=judged.k)
    for row in _curve(
        make, "mean_error", squares, judged.text_cluster, {**row_settings, "samples": "all"}, _left_out(judged)
    ):
        yield replace(row, se=None, value=_root(row.value), low=_root(row.low), high=_root(row.high))


def _root(number: float | None) -> float | None:
    return None if number is None else float(np.sqrt(number))


# The table of fewer judgments: error of the joint label by number of judgments.


@tables_of("fewer_judgments")
def fewer_judgments_table(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield a table with one line for each number of judgments: majority, model and means, with intervals."""
    whole = rows.whole
    lines = [row for row in whole.of("majority_error") if row.label is not None]
    columns = [
        named(gettext("Judgments per text"), lambda row: row.label),
        Shown(gettext("Other majority"), "majority_error", percent(1)),
        Shown(gettext("Interval"), "majority_error", share_interval),
        Shown(gettext("Other label by Dawid and Skene"), "model_error", percent(1)),
        Shown(gettext("Distance of the mean"), "mean_error", digits(3)),
        Shown(gettext("Interval"), "mean_error", interval(3)),
    ]
    notes = [_sentence(lines), *notes_of([*lines, *whole.of("model_error"), *whole.of("mean_error")])]
    yield from table_of(
        whole,
        gettext("Error of the joint label with fewer judgments"),
        columns,
        lines,
        by=("label",),
        notes=[note for note in notes if note],
        used_only=True,
    )
    if not lines:
        yield from general_table(whole.rows, limit, caption=gettext("Error of the joint label with fewer judgments"))
    yield from general_table(rows.parts, limit, caption=gettext("Error of the joint label by subset"))


def _sentence(rows: list[ResultRow]) -> str:
    sentence = enough(rows)
    return f"{sentence}." if sentence else ""


# The chart of fewer judgments: error of the joint label over the number of judgments per text.

CALLED = {"majority_error": "majority", "model_error": "Dawid and Skene"}


@chart(order=75)
def fewer_judgments_chart(material: Material) -> Iterator[Sketch]:
    """Draw the share of texts that get another joint label, for each number of judgments."""
    curves = {name: [row for row in material.of(name) if row.label and row.value is not None] for name in CALLED}
    majority = curves["majority_error"]
    if len(majority) < 3:
        return
    names = [CALLED[name] for name, rows in curves.items() if rows]
    points = [
        {
            "panel": "error", "time": str(row.label), "name": CALLED[name], "value": value_of(row) * 100,
            "low": None if row.low is None else row.low * 100, "high": None if row.high is None else row.high * 100,
        }
        for name, rows in curves.items()
        for row in rows
    ]  # fmt: skip
    few, most = majority[min(2, len(majority) - 2)], setting(majority, "judgments")
    yield Sketch(
        kind="fewer-judgments",
        title=(
            f"With {few.label} of {most} judgments per text, {words.share(value_of(few))} of majority labels of "
            f"{material.name} differ"
        ),
        subtitle=(
            f"Share of texts whose joint label from so many judgments differs from that of all {most}; "
            f"{material.basis(majority)}. Line: {material.interval(majority, 'items')}."
        ),
        by_system=any(row.by_system for row in majority),
        chart=course_chart(
            [("error", "Texts with another label (%)")],
            points,
            names,
            [str(row.label) for row in majority],
        ),
        columns=(
            ("name", "Joint label"),
            ("time", "Judgments per text"),
            ("value", "Texts with another label (%)"),
            *INTERVAL,
        ),
        further=True,
    )


# The number of judgments per text that gives nearly the same joint labels as all judgments.


@finding_of("fewer_judgments", "majority_error", order=90)
def fewer_judgments_finding(rows: StoredRows, question: FindingQuestion) -> Finding | None:
    """Return the finding about the number of judgments per text from which on the majority hardly changes."""
    sentence = enough([row for row in rows.of("majority_error") if row.label is not None])
    return Finding(sentence, tested=False, criterion=question.name, on_design=True) if sentence else None


def enough(rows: Sequence[ResultRow]) -> str:
    """Return the sentence without its full stop; empty if there is no curve.

    The upper end of the interval has to lie below the accepted share. All judgments are never named: their error is 0
    by construction.
    """
    if not rows or not rows[0].settings:
        return ""
    most, tolerated = rows[0].settings["judgments"], rows[0].settings["tolerated"]
    placeholders = {"most": most, "share": _percent(tolerated)}
    fewer = sorted((row for row in rows if int(str(row.label)) < most), key=lambda row: int(str(row.label)))
    settled = [row for row in fewer if row.high is not None]
    # From m on: no larger number of judgments may be worse.
    first = None
    for row in reversed(settled):
        if row.high is None or row.high >= tolerated:
            # Texts of which none has an error bound it by their number alone, which is no reason to expect more.
            if row.value == 0:
                continue
            break
        first = row
    if first is not None and first.value is not None:
        placeholders |= {"n": first.label, "error": _percent(first.value)}
        return (
            gettext(
                "From %(n)s of %(most)s judgments per text on, fewer than %(share)s of majority labels differ "
                "(%(error)s, upper end of the interval below %(share)s)"
            )
            % placeholders
        )
    last = fewer[-1] if fewer else None
    if last is None or last.value is None:
        return ""
    placeholders |= {"n": last.label, "error": _percent(last.value)}
    changed = gettext("With %(n)s instead of %(most)s judgments per text, %(error)s of majority labels would change")
    if last.high is None:
        return changed % placeholders
    return changed % placeholders + gettext(" (interval up to %(high)s)") % {"high": _percent(last.high)}


def _percent(share: float) -> str:
    return f"{share * 100:.1f}\u00a0%"
