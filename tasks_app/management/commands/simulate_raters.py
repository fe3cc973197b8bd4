"""manage.py simulate_raters: let simulated raters go through an open study."""

from argparse import ArgumentParser
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_network
from random import Random
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from tasks_app.channels import registry as channels
from tasks_app.management.demonstration import PLANTED
from tasks_app.management.simulated_raters import Visitor, quiet_pages
from tasks_app.management.transports import Http, InProcess
from tasks_app.models import Study
from tasks_app.task_types.base import Quality

# Of ten simulated raters most are careful, as in a real crowd with some checks.
MIX = (Quality.CAREFUL,) * 7 + (Quality.SLOPPY,) * 2 + (Quality.RANDOM,)

# Raters who leave do so within this number of units.
LATEST = 12

# Within this process each rater has an address of their own: a study takes only so many raters a day from one.
ADDRESSES = ip_network("10.0.0.0/8")

# Channels whose raters come by themselves, with made-up ids; nobody can be invited by being made up.
COMING = [name for name, kind in channels.items() if not kind.invited_only]


class Command(BaseCommand):
    help = "Let simulated raters go through an open study, over HTTP (--base-url) or within this process."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("study", help="slug of the study")
        parser.add_argument("--raters", type=int, default=10, help="how many come (default 10)")
        parser.add_argument("--base-url", default="", help="address of the server, such as http://127.0.0.1:8000")
        parser.add_argument("--at-once", type=int, default=8, help="raters at the same time, over HTTP (default 8)")
        parser.add_argument("--drop-out", type=float, default=0.0, help="share that leaves in the middle (0 to 1)")
        parser.add_argument("--late", type=float, default=0.0, help="share of those that come back after the lease")
        parser.add_argument("--twice", type=float, default=0.0, help="share of answers that are sent twice")
        parser.add_argument("--second-tab", type=float, default=0.0, help="share answered otherwise in a second tab")
        parser.add_argument("--screened-out", type=float, default=0.0, help="share that does not fit the study")
        parser.add_argument("--returns", type=float, default=0.0, help="share that stops in the middle, by the page")
        parser.add_argument(
            "--channel",
            default="",
            choices=["", *COMING],
            help="where they come from, with made-up ids (default: the open link, else an open platform)",
        )
        parser.add_argument("--quality", choices=[quality.value for quality in Quality], help="all of one quality")
        parser.add_argument(
            "--planted", action="store_true", help="find in an example what the demonstration plants there"
        )
        parser.add_argument("--seed", type=int, default=1, help="the same seed, the same raters (default 1)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Send the raters, then the raters who come back late, and print the counts of both."""
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        if options["channel"] and options["channel"] not in study.options.channels:
            raise CommandError(f"The channel {options['channel']!r} of this study is not open.")
        if study.state != Study.State.OPEN:
            raise CommandError(f"The study is {study.state}. Open it first, under Recruit.")
        if options["planted"] and study.slug not in PLANTED:
            raise CommandError(f"Nothing is planted in {study.slug!r}, only in {', '.join(sorted(PLANTED))}.")
        options["channel"] = options["channel"] or _usual_channel(study)
        visitors = [self._visitor(study, number, options) for number in range(options["raters"])]
        with quiet_pages(), ThreadPoolExecutor(max_workers=max(1, options["at_once"])) as pool:
            # Within this process one after another: a thread would have a database connection of its own.
            in_turn = pool.map if options["base_url"] else map
            dropped_out = [visitor for visitor in in_turn(_visit, visitors) if visitor is not None]
            late = dropped_out[: round(options["late"] * len(dropped_out))]
            list(in_turn(_return, late))
        events = sum((visitor.events for visitor in visitors), Counter[str]())
        for event in sorted(events):
            self.stdout.write(f"{event}: {events[event]}")

    def _visitor(self, study: Study, number: int, options: dict[str, Any]) -> Visitor:
        rng = Random(f"{options['seed']}:{study.slug}:{number}")  # noqa: S311  reproducible, not secret
        quality = Quality(options["quality"]) if options["quality"] else rng.choice(MIX)
        last = _last_unit(study)
        drops_out_after = rng.randint(0, last) if rng.random() < options["drop_out"] else None
        return Visitor(
            study=study,
            transport=Http(options["base_url"]) if options["base_url"] else InProcess(str(ADDRESSES[number + 1])),
            quality=quality,
            rng=rng,
            drops_out_after=drops_out_after,
            twice=options["twice"],
            second_tab=options["second_tab"],
            stops_after=rng.randint(0, last) if rng.random() < options["returns"] else None,
            does_not_fit=rng.random() < options["screened_out"],
            channel=options["channel"],
            levels=PLANTED[study.slug].levels_for(study, rng) if options["planted"] else {},
        )


def _usual_channel(study: Study) -> str:
    """Return the open link, or else the first open channel by which people come by themselves."""
    opened = [name for name in ("link", *COMING) if name in study.options.channels]
    if not opened:
        raise CommandError("Raters come to this study by invitation only, and nobody can be invited by being made up.")
    return opened[0]


def _last_unit(study: Study) -> int:
    """Return after how many units somebody leaves at the latest: before the end, in a short study too."""
    units = sum(study.tasks.filter(until=None).values_list("set_size", flat=True))
    return max(0, min(LATEST, units - 1))


def _visit(visitor: Visitor) -> Visitor | None:
    """Go through the study; returns the visitor if they dropped out, with their lease over."""
    try:
        if not visitor.arrive() or visitor.judge():
            return None
        visitor.lose_lease()
        return visitor
    finally:
        _close_in_threads(visitor)


def _return(visitor: Visitor) -> None:
    try:
        visitor.come_back()
    finally:
        _close_in_threads(visitor)


def _close_in_threads(visitor: Visitor) -> None:
    """Give a thread's own connection back; within the process the command's connection stays."""
    if isinstance(visitor.transport, Http):
        connection.close()
