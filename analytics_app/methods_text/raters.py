"""Raters: recruitment, pay, numbers of those who came and finished, and their time."""

from collections.abc import Iterator, Mapping

from analytics_app.heds.filling.evaluators import payment_in_words
from analytics_app.heds.filling.facts import Facts, counted
from analytics_app.methods_text.sentences import Sentence, day, listed, number
from analytics_app.models import ResultRow
from tasks_app import channels
from tasks_app.models import Rater, Study, Task

# Outcomes of raters in words for a sentence, where those of pages do not fit.
ENDED: Mapping[str, str] = {
    Rater.Outcome.FULL: "found the study full",
    Rater.Outcome.SCREENED_OUT: "were screened out",
    Rater.Outcome.WITHDRAWN: "stopped before the end",
}


def sentences(facts: Facts) -> Iterator[Sentence]:
    """Yield sentences about the recruitment, pay and outcomes of raters."""
    if facts.study.options.imported:
        yield Sentence("The ratings were collected elsewhere and imported")
    else:
        yield from _recruitment(facts)
        yield from _pay(facts)
    yield from _numbers(facts)
    simulated, everybody = facts.evaluators.get(Rater.Kind.SIMULATED, 0), sum(facts.evaluators.values())
    if simulated:
        subject = "All raters are" if simulated == everybody else f"{simulated:,} of {everybody:,} raters are"
        yield Sentence(f"{subject} simulated; these are not human results")


def _recruitment(facts: Facts) -> Iterator[Sentence]:
    study = facts.study
    ways = [str(channels.registry[name].label) for name in study.options.channels if name in channels.registry]
    if ways:
        yield Sentence(f"Raters were recruited through {listed(f'“{way}”' for way in ways)}{_when(study)}")
    for frame in facts.frames:
        if frame.task.stage == Task.Stage.SCREENING:
            questions = listed(f"“{criterion.wording}”" for criterion in frame.criteria)
            yield Sentence(f"Raters were screened with the questions {questions}")
    if facts.groups:
        yield Sentence(f"They were assigned at random to the groups {listed(facts.groups)}")


def _when(study: Study) -> str:
    """Return a phrase with the days on which a study was open."""
    if study.opened_at is None:
        return ""
    first = day(study.opened_at)
    if study.closed_at is None:
        return f" since {first}"
    last = day(study.closed_at)
    return f" on {first}" if first == last else f" from {first} to {last}"


def _pay(facts: Facts) -> Iterator[Sentence]:
    words = payment_in_words(facts.study.options)
    if not words:
        yield Sentence("They were not paid")
    for place, promise in enumerate(words):
        yield Sentence(_paid(promise, first=place == 0).removesuffix("."))
    hourly = facts.first_of_main("hourly_pay", "median")
    # Simulated raters earn nothing, and their minutes are invented.
    if hourly is None or hourly.value is None or facts.evaluators.get(Rater.Kind.SIMULATED):
        return
    currency = facts.study.options.currency
    text = f"Median pay was {hourly.value:.2f} {currency} per hour"
    minimum, below = facts.first_of_main("hourly_minimum"), facts.first_of_main("hourly_below")
    if minimum is not None and below is not None:
        least = f"{minimum.value or 0:.2f} {currency}"
        text += f"; {below.value or 0:.0%} of raters earned less than the minimum of {least} per hour"
    yield Sentence(text)


def _paid(promise: str, *, first: bool) -> str:
    """Return a sentence about the promised pay; a researcher's own words are not changed."""
    if first:
        return f"They were paid {promise}"
    return f"Part pay was {promise}".replace("evaluators", "raters") if promise[0].isdigit() else promise


def _numbers(facts: Facts) -> Iterator[Sentence]:
    recruited, finished = facts.first_of_main("raters_recruited"), facts.first_of_main("raters_finished")
    if recruited is not None and finished is not None:
        ended = [
            f"{_n(row)} {_ended(row.label or '')}" for row in facts.of_main("raters_ended") if row.task == finished.task
        ]
        otherwise = f" ({'; '.join(ended)})" if ended else ""
        yield Sentence(f"{counted(_n(recruited), 'rater')} enrolled and {_n(finished):,} finished{otherwise}")
    for frame in facts.main:
        analysed = next(iter(facts.of_task(frame, "raters_analysed")), None)
        if analysed is not None:
            yield Sentence(_analysed(facts, frame.task.key, facts.called(frame), analysed))
    minutes = {row.label: row for row in facts.of_main("minutes")}
    if "median" in minutes:
        low, middle, high = (
            number(round(minutes[label].value or 0, 1)) for label in ("lower quartile", "median", "upper quartile")
        )
        unit = "minute" if middle == "1" else "minutes"
        yield Sentence(f"The median time for a full set was {middle} {unit} (quartiles {low} and {high})")


def _analysed(facts: Facts, key: str, title: str, analysed: ResultRow) -> str:
    where = f" in the task “{title}”" if len(facts.main) > 1 else ""
    rows = [
        row for row in facts.rows if row.task == key and row.statistic in {"judgments_analysed", "judgments_per_rater"}
    ]
    judged = next((row for row in rows if row.statistic == "judgments_analysed"), None)
    each = {row.label: row.value or 0 for row in rows if row.statistic == "judgments_per_rater"}
    text = f"The analysis includes {counted(_n(analysed), 'rater')}{where}"
    if judged is not None:
        text += f" with {counted(_n(judged), 'judgment')}"
    if each:
        least, median, most = (number(each[label]) for label in ("least", "median", "most"))
        text += f" (per rater: minimum {least}, median {median}, maximum {most})"
    return text


def _ended(outcome: str) -> str:
    """Return a phrase for the outcome of raters who did not finish."""
    return ENDED.get(outcome, str(Rater.Outcome(outcome).label).lower())


def _n(row: ResultRow) -> int:
    return int(row.value or 0)
