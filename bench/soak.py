"""Raters on a whole site for minutes: `python -m bench soak [RATERS [MINUTES [PAUSE]]] [redirects]`.

RATERS, MINUTES and PAUSE are 500, 20 and 0 by default; MINUTES may be a part of one, such as 0.5. With `redirects`,
raters ask for each page after its answer, as browsers without scripts do, instead of receiving it with the reply.

PAUSE is the mean number of seconds for which a rater looks at a page before answering. Without one, a rater answers as
soon as the page has come, as hundreds of times as many people do: the site is then always at its limit, and waiting
times are as long as the number of raters makes them.

Printed are answers per second and waiting times by quarter of the time, the memory of each service, and whether exactly
the acknowledged answers are stored, each once. It fails where a rater met an error, an answer is missing or stored
twice, a service ended, or, in more than ten minutes, one grew by a tenth from the second quarter to the last. Workers
may grow with the study: each of their runs reads all raters and ratings that there are by then. `analysing` holds them.

The raters run in this process and share the processors with the site.
"""

import asyncio
import os
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.urls import reverse

from bench import judging
from bench.raters import WITH_NEXT_PAGE, Log, crowd
from bench.running import RunningSite, Sample, Samples, cpu_seconds, running_site
from tasks_app.models import Judgment, Study

RATERS, MINUTES = 500, 20
REDIRECTS = "redirects"
# More answers per second than two cores give, so that there are texts until the end.
MOST_PER_SECOND = 150
SYSTEMS, JUDGMENTS_EACH, SET_SIZE = 5, 6, 20
# Private memory may grow by this share from the second quarter to the last, and by this many MiB in any case. In a
# short time the first run of a worker, which loads libraries, falls between the two.
MOST_GROWTH, LEAST_MIB, SHORT = 0.10, 16, 600
GROWS_WITH_STUDY = {"worker"}
QUARTERS = 4


@dataclass(frozen=True)
class Soak:
    """The answers and waiting times of a crowd, and the memory and processor time of the site."""

    raters: int
    seconds: float
    pause: float
    log: Log
    samples: list[Sample]
    cpu: dict[str, float]
    own_cpu: float
    stored: list[str]
    faults: list[str]

    @property
    def answers_per_second(self) -> float:
        """Acknowledged answers in each second."""
        return len(self.log.acknowledged) / self.seconds

    def cpu_ms(self, *services: str) -> float:
        """Processor milliseconds of services for each answer."""
        return 1000 * sum(self.cpu[service] for service in services) / len(self.log.acknowledged)


def main() -> None:
    """Let raters work, print the figures, and exit with 1 where a promise was broken."""
    by_redirects = sys.argv[-1] == REDIRECTS
    given = [float(word) for word in sys.argv[2:] if word != REDIRECTS]
    n_raters, minutes, pause = [*given, *[RATERS, MINUTES, 0][len(given) :]]
    raters = round(n_raters)
    study = load("soak", raters, minutes)
    with running_site() as site:
        preference = "" if by_redirects else WITH_NEXT_PAGE
        soak = soaked(site, study, raters=raters, minutes=minutes, pause=pause, preference=preference)
    print("next pages: asked for after each answer" if by_redirects else "next pages: with the reply to an answer")
    tell(soak)
    if soak.faults:
        sys.exit("\n".join(["FAILED", *soak.faults]))


def load(slug: str, raters: int, minutes: float) -> Study:
    """Load and open a study with places for so many raters and minutes."""
    places = raters * SET_SIZE + MOST_PER_SECOND * 60 * minutes
    return judging.load(slug, items=round(places / SYSTEMS / JUDGMENTS_EACH) + 1, systems=SYSTEMS, k=JUDGMENTS_EACH)


def soaked(
    site: RunningSite,
    study: Study,
    *,
    raters: int,
    minutes: float,
    pause: float,
    preference: str = WITH_NEXT_PAGE,
) -> Soak:
    """Let raters work on a study for so many minutes."""
    join = reverse("rater:join", args=[study.link_code])
    before = {name: cpu_seconds(service) for name, service in site.services.items()}
    own, began, over_at = time.process_time(), time.perf_counter(), time.perf_counter() + 60 * minutes
    with Samples(site, every=max(1.0, minutes)) as samples:
        work = crowd(
            [site.url],
            join,
            raters=raters,
            over=lambda _log: time.perf_counter() > over_at,
            pause=pause,
            preference=preference,
        )
        log = asyncio.run(work)
    seconds = time.perf_counter() - began
    cpu = {name: cpu_seconds(service) - before[name] for name, service in site.services.items()}
    own_cpu = time.process_time() - own
    submissions = Judgment.objects.filter(assignment__rater__study=study).values_list("submission", flat=True)
    stored = [str(submission) for submission in submissions]
    faults = [f"{n} raters met: {error}" for error, n in log.errors.items()] + samples.lost
    faults += _differences(log.acknowledged, stored) + _growth(samples.taken, seconds)
    return Soak(raters, seconds, pause, log, samples.taken, cpu, own_cpu, stored, faults)


def _differences(acknowledged: Sequence[str], stored: Sequence[str]) -> list[str]:
    faults = []
    if lost := set(acknowledged) - set(stored):
        faults.append(f"{len(lost)} acknowledged answers are not stored")
    if unasked := set(stored) - set(acknowledged):
        faults.append(f"{len(unasked)} stored answers were never acknowledged")
    if len(stored) != len(set(stored)):
        faults.append(f"{len(stored) - len(set(stored))} answers are stored twice")
    return faults


def _growth(samples: Sequence[Sample], seconds: float) -> list[str]:
    """Return a sentence for each service with more private memory in the last quarter than in the second."""
    faults = []
    for name in sorted(set(samples[-1].private) - GROWS_WITH_STUDY) if samples and seconds > SHORT else ():
        _first, second, _third, last = (_mean(samples, name, *times) for times in _quarters(seconds))
        if last - second > max(LEAST_MIB, MOST_GROWTH * second):
            faults.append(f"{name} grew from {second:.0f} to {last:.0f} MiB")
    return faults


def _quarters(seconds: float) -> list[tuple[float, float]]:
    return list(pairwise(seconds * number / QUARTERS for number in range(QUARTERS + 1)))


def _mean(samples: Sequence[Sample], name: str, start: float, end: float) -> float:
    own = [sample.private.get(name, 0.0) for sample in samples if start <= sample.at < end]
    return statistics.fmean(own) if own else float("nan")


def percentile(values: Sequence[float], share: int) -> float:
    """Return the value below which so many percent lie; NaN for fewer than two values."""
    return statistics.quantiles(values, n=100)[share - 1] if len(values) > 1 else float("nan")


def tell(soak: Soak) -> None:
    """Print waiting times, memory and processor time."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(
        f"{soak.raters} raters, {soak.seconds:.0f} seconds, pause {soak.pause} s, load of the machine after it {load}"
    )
    log = soak.log
    print(f"answers acknowledged: {len(log.acknowledged)}, stored: {len(soak.stored)}, errors: {log.errors.total()}")
    print(f"sent again: {dict(log.sent_again)}; raters who finished: {log.finished}")
    print(f"answers per second: {soak.answers_per_second:.1f}")
    print("quarter   answers/s   answer to next page: p50   p95 (seconds)")
    for number, (start, end) in enumerate(_quarters(soak.seconds), start=1):
        own = [seconds for at, seconds in log.turns if start <= at < end]
        print(f"{number:>7} {len(own) / (end - start):>11.1f} {percentile(own, 50):>26.2f} {percentile(own, 95):>5.2f}")
    for name, timed in (("answer to next page", log.turns), ("any request", log.requests)):
        own = [seconds for _at, seconds in timed]
        figures = f"p50 {percentile(own, 50):.2f} s, p95 {percentile(own, 95):.2f} s"
        print(f"{name}: {figures}, longest {max(own, default=0.0):.1f} s")
    print(f"connections to the database: at most {max(sample.connections for sample in soak.samples)}")
    print("service     processes   CPU s   ms an answer   private MiB by quarter")
    for name, used in sorted(soak.cpu.items()):
        means = [f"{_mean(soak.samples, name, *times):.0f}" for times in _quarters(soak.seconds)]
        n = soak.samples[-1].n_processes[name]
        print(f"{name:<12} {n:>8} {used:>7.1f} {soak.cpu_ms(name):>14.2f}   {' '.join(means)}")
    print(f"{'raters':<12} {1:>8} {soak.own_cpu:>7.1f}   (this process)")
