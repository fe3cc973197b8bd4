"""Simulated raters, who go through a study by its pages, over HTTP or within this process.

A visitor reads forms out of the pages and posts them. Its answers come from the task type's own `simulate`, so every
type brings its rater. It is marked as simulated by a consent form that is signed here.
"""

import logging
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from html.parser import HTMLParser
from random import Random
from typing import TypeAlias
from urllib.parse import parse_qs, urlencode, urlsplit

from django.db.models import F
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone

from tasks_app import channels
from tasks_app.forms import ConsentForm, text_prefix
from tasks_app.links import credentials
from tasks_app.management import simulated_answers
from tasks_app.management.transports import Answer, Transport
from tasks_app.models import Assignment, Rater, RaterSet, Study
from tasks_app.selectors import screens
from tasks_app.selectors.waves import waiting_for
from tasks_app.task_types.base import Quality, Screen, TaskType
from tasks_app.task_types.clock import Clock, TimeChoice
from tasks_app.task_types.errand import DONE, TOKEN
from tasks_app.task_types.simulation import Levels, planted
from tasks_app.task_types.texts import MOST_OF_A_DOCUMENT

# A visitor that is sent on so often without being asked anything is going in circles.
MOST_WAYS_ROUND = 50

# A visitor comes for a wave this long after it opens: nobody comes on the second, and clocks differ.
COMES_AFTER = timedelta(hours=1)

# Pages between two units, by their place in the address.
STEPS = {"feedback": "shown feedback", "exam": "shown the result of a test", "notice": "told about checks"}


@contextmanager
def quiet_pages() -> Iterator[None]:
    """Leave out one log line per page: it belongs in a server's log, not on the terminal of a command."""
    log = logging.getLogger("evalweb.request")
    before = log.level
    log.setLevel(logging.WARNING)
    try:
        yield
    finally:
        log.setLevel(before)


class _HiddenFields(HTMLParser):
    """Collects the hidden fields of the form that has a given id, or of the first one that is not about languages."""

    def __init__(self, form_id: str | None) -> None:
        super().__init__()
        self.form_id = form_id
        self.inside = False
        self.done = False
        self.fields: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "form" and not self.done:
            is_chosen = (
                attributes.get("class") != "languages" if self.form_id is None else attributes.get("id") == self.form_id
            )
            self.inside = is_chosen
        elif tag == "input" and self.inside and attributes.get("type") == "hidden" and attributes.get("name"):
            self.fields[str(attributes["name"])] = attributes.get("value") or ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "form" and self.inside:
            self.inside, self.done = False, True


def hidden_fields(page: str, form_id: str | None = None) -> dict[str, str]:
    """Return the hidden fields of a form on a page."""
    parser = _HiddenFields(form_id)
    parser.feed(page)
    return parser.fields


def _name_on_page(name: str, number: int) -> str:
    """Return the name that a field of the n-th text has on a page."""
    return f"{text_prefix(number)}-{name}" if number > 1 else name


def _on_page(texts: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return the fields that the forms of all texts of a page send together."""
    return {
        _name_on_page(name, number): value
        for number, fields in enumerate(texts, start=1)
        for name, value in fields.items()
    }


class VisitFailed(Exception):
    """A page gave an answer that no rater should see."""


# The statuses of answers to newcomers when nothing is left, when they come too often, or after the end.
FULL = frozenset({409, 410, 429, 503})

# The names of endings in the output of the command.
ENDINGS = {
    Rater.Outcome.COMPLETED: "finished",
    Rater.Outcome.SCREENED_OUT: "screened out",
    Rater.Outcome.FAILED: "failed",
    Rater.Outcome.FULL: "found everything taken",
    Rater.Outcome.WITHDRAWN: "stopped",
    Rater.Outcome.RETURNED: "returned on the platform",
    Rater.Outcome.TIMED_OUT: "timed out on the platform",
    Rater.Outcome.STOPPED: "stopped by a limit",
}


# Function that answers a screen of a task for a simulated rater: it returns the data of a post.
Answering: TypeAlias = Callable[[TaskType, Screen], dict[str, str]]

# A unit on a page, with the type of its task and its screen.
_Text: TypeAlias = tuple[Assignment, TaskType, Screen]


@dataclass
class Visitor:
    """One simulated rater. `drops_out_after` and `stops_after` count units; `twice` is the share sent twice.

    `answering` answers instead of the task type's own simulation, where a certain effect is to be found. `levels` are
    planted: the type's own simulation finds them.
    """

    study: Study
    transport: Transport
    quality: Quality
    rng: Random
    drops_out_after: int | None = None
    twice: float = 0.0
    second_tab: float = 0.0
    stops_after: int | None = None
    does_not_fit: bool = False
    channel: str = ""
    answering: Answering | None = None
    levels: Levels = field(default_factory=dict)
    token: str = ""
    # The time chosen for texts with a set time.
    time: str = ""
    events: Counter[str] = field(default_factory=Counter)

    def arrive(self) -> bool:
        """Agree to take part, and read the instructions unless something comes first; False where the study is full."""
        path = self._way_in()
        page = self.transport.get(path)
        if page.status in FULL:
            self.events["turned away"] += 1
            return False
        form = hidden_fields(self._expect(page, 200).body)
        signed = dict(credentials.read_signed(ConsentForm.action, form["form_token"]))
        signed |= {"kind": Rater.Kind.SIMULATED, "nonce": uuid.UUID(int=self.rng.getrandbits(128)).hex}
        token = credentials.sign(ConsentForm.action, **signed)
        answer = self.transport.post(path, {**form, "form_token": token})
        if answer.status in FULL:
            self.events["turned away"] += 1
            return False
        self._expect(answer, 302)
        self.token = urlsplit(answer.location).path.strip("/").split("/")[1]
        self.events["arrived"] += 1
        self._read_instructions()
        return True

    def _way_in(self) -> str:
        """Return the address of the study, with ids of the visitor's own where a platform sends them."""
        if self.channel in {"", "link"}:
            return reverse("rater:join", args=[self.study.link_code])
        path = reverse("rater:arrive", args=[self.study.link_code, self.channel])
        kind = channels.channel_of(self.study.options, self.channel)
        like = next(example.query for example in kind.examples() if not kind.arrival(example.query).preview)
        query = {name: self._made_up(value) for name, value in like.items()}
        return f"{path}?{urlencode(query)}"

    def _made_up(self, like: str) -> str:
        """Return an id as long as another, in hexadecimal digits, which every platform's ids allow."""
        if not like.isalnum():
            return like
        drawn = f"{self.rng.getrandbits(4 * len(like)):0{len(like)}x}"
        return drawn.upper() if like.isupper() else drawn

    def _read_instructions(self) -> None:
        """Read the instructions and begin; where questions come before the instructions, do this later."""
        answer = self.transport.get(reverse("rater:instructions", args=[self.token]))
        if answer.status == 200:
            self._post("rater:instructions", hidden_fields(answer.body))

    def judge(self) -> bool:
        """Answer unit after unit; False where the rater has dropped out, True at the end."""
        ways_round = 0
        while ways_round < MOST_WAYS_ROUND:
            ways_round += 1
            answer = self.transport.get(reverse("rater:judge", args=[self.token]))
            if answer.status == 302:
                if answer.location.endswith("/end/"):
                    break
                self._go_by(answer.location)
                continue
            hidden = hidden_fields(self._expect(answer, 200).body, "answer")
            if not hidden:
                self._have_text_shown(answer.body)
                continue
            if self.drops_out_after is not None and self.events["answered"] >= self.drops_out_after:
                self.events["dropped out"] += 1
                return False
            if self.stops_after is not None and self.events["answered"] >= self.stops_after:
                self._post("rater:stop", hidden_fields(self._get("rater:stop")))
                continue
            self._answer(hidden)
            ways_round = 0
        else:
            raise VisitFailed(f"Pages led on {MOST_WAYS_ROUND} times and asked nothing.")
        self._get("rater:end")
        self.events[ENDINGS[Rater.Outcome(str(self._rater().outcome))]] += 1
        return True

    def _go_by(self, location: str) -> None:
        """Go through a page that stands before the next unit."""
        page = urlsplit(location).path.strip("/").split("/")
        name = page[2] if len(page) > 2 else ""
        if name == "instructions":
            self._read_instructions()
        elif name in STEPS:
            body = self._expect(self.transport.get(location), 200).body
            self._expect(self.transport.post(location, hidden_fields(body)), 302)
            self.events[STEPS[name]] += 1
        elif self._wait():
            self.events["came for another wave"] += 1
        else:
            # Everything of the set went to others meanwhile, and a new one was reserved.
            self.events["given a new set"] += 1

    def _wait(self) -> bool:
        """Let the days until the next wave pass, for this rater alone; return False where the rater does not wait."""
        rater = self._rater()
        wait = waiting_for(rater)
        if wait is None:
            return False
        until_open = max(wait.opens_at - timezone.now(), timedelta(0)) + COMES_AFTER
        for column in ("opens_at", "closes_at", "lease_until"):
            sets = RaterSet.objects.filter(rater=rater).exclude(**{column: None})
            sets.update(**{column: F(column) - until_open})
        return True

    def _answer(self, hidden: dict[str, str]) -> None:
        """Answer all texts of a page, and perhaps send the page again or from a second tab."""
        texts = list(self._texts_of(hidden))
        with planted(self.levels):
            answers = [self._say(*text) for text in texts]
        seconds = sum(round(self.rng.uniform(3, 25), 1) for _text in texts)
        # A simulation does not wait; the first showing of the units is moved into the past instead.
        shown = Assignment.objects.filter(pk__in=[assignment.pk for assignment, _kind, _screen in texts])
        shown.update(first_shown=F("first_shown") - timedelta(seconds=seconds))
        times = {"seconds_active": f"{seconds:.1f}", "seconds_elapsed": f"{seconds:.1f}"}
        times |= self._lapse(texts, answers, seconds) | self._do_elsewhere(texts[0], seconds)
        data = {**hidden, **_on_page(answers), **times}
        path = reverse("rater:judge", args=[self.token])
        self._expect(self.transport.post(path, data), 302)
        self.events["answered"] += len(texts)
        if self.rng.random() < self.twice:
            self._expect(self.transport.post(path, data), 302)
            self.events["sent twice"] += 1
        if self.rng.random() < self.second_tab:
            random_answers = [kind.simulate(screen, Quality.RANDOM, self.rng) for _assignment, kind, screen in texts]
            fresh = [{"submission": str(uuid.uuid4())} for _text in texts]
            status = self.transport.post(path, {**data, **_on_page(random_answers), **_on_page(fresh)}).status
            self.events["second tab refused" if status == 409 else "second tab the same"] += 1

    def _have_text_shown(self, body: str) -> None:
        """Press the button that shows a text with a set time; one of ten such raters chooses more time."""
        self.time = self.time or self.rng.choices(TimeChoice.values, [0.9, 0.06, 0.04])[0]
        self._post("rater:show_text", {**hidden_fields(body), "time": self.time})

    def _lapse(self, texts: Sequence[_Text], answers: list[dict[str, str]], seconds: float) -> dict[str, str]:
        """Let the clock of a text with a set time run for so many seconds; return the fields that the page adds.

        Whoever takes longer than they may is stopped with half of their answers missing.
        """
        assignment, kind, _screen = texts[0]
        if kind.set_time is None or assignment.clock_started_at is None:
            return {}
        started = F("clock_started_at") - timedelta(seconds=seconds)
        Assignment.objects.filter(pk=assignment.pk).update(clock_started_at=started)
        clock = Clock(kind.set_time, assignment.clock_seconds, seconds)
        if not clock.closes:
            return {"seconds_shown": f"{seconds:.1f}"}
        kept = sorted(answers[0])[: len(answers[0]) // 2]
        answers[0] = {name: answers[0][name] for name in kept}
        self.events["ran out of time"] += 1
        return {"seconds_shown": f"{assignment.clock_seconds:.1f}", "time_over": "true"}

    def _do_elsewhere(self, text: _Text, seconds: float) -> dict[str, str]:
        """Do the task of a text on another site, which reports it; return the fields that the page adds.

        The site reports one to four queries. One of ten raters says that the task is finished, where that is enough.
        """
        assignment, kind, _screen = text
        if not kind.hosts_elsewhere:
            return {}
        link = reverse("rater:elsewhere", args=[self.token, assignment.order])
        query = urlsplit(self._expect(self.transport.get(link), 302).location).query
        path = reverse("rater:report", args=[parse_qs(query)[TOKEN][0]])
        says_so = not kind.needs_report and self.rng.random() < 0.1
        events = ["query"] * self.rng.randint(1, 4) + ([] if says_so else [DONE])
        for event in events:
            opened = F("elsewhere_opened_at") - timedelta(seconds=seconds / len(events))
            Assignment.objects.filter(pk=assignment.pk).update(elsewhere_opened_at=opened)
            self._expect(self.transport.send(path, {"event": event}), 201)
            self.events["reported"] += 1
        return {"finished": "on"} if says_so else {}

    def _texts_of(self, hidden: Mapping[str, str]) -> Iterator[_Text]:
        """Yield the units on a page, by the tokens of their forms."""
        rater = self._rater()
        for number in range(1, MOST_OF_A_DOCUMENT + 1):
            token = hidden.get(_name_on_page("form_token", number))
            if token is None:
                return
            bound = credentials.read_signed("judge", token)
            assignment = Assignment.objects.select_related("unit").get(rater=rater, order=bound["unit"])
            kind = screens.frame_of(assignment.unit.task_id, self.study).kind
            yield assignment, kind, screens.screen_of(assignment, self.study)

    def _say(self, assignment: Assignment, kind: TaskType, screen: Screen) -> dict[str, str]:
        """Answer a screen by the rater's quality or, where it has known answers, as a rater who knows them or not.

        Raters for whom a study is made fit it, whatever their quality.
        """
        if self.answering is not None:
            return self.answering(kind, screen)
        answer = kind.simulate(screen, self.quality, self.rng)
        answers = simulated_answers.known(assignment)
        if not answers:
            return answer
        if assignment.purpose == Assignment.Purpose.SCREENING:
            find = simulated_answers.wrong if self.does_not_fit else simulated_answers.right
            return find(kind, screen, answer, answers, self.rng)
        if self.rng.random() < simulated_answers.KNOWS.get(self.quality, 0.0):
            return simulated_answers.right(kind, screen, answer, answers, self.rng)
        return answer

    def _rater(self) -> Rater:
        return Rater.objects.get(token_hash=credentials.hash_token(self.token))

    def lose_lease(self) -> None:
        """End the lease of the rater's sets, as the clock would."""
        RaterSet.objects.filter(rater__token_hash=credentials.hash_token(self.token), state="open").update(
            lease_until=Now()
        )

    def come_back(self) -> bool:
        """Go on after a long absence."""
        self.drops_out_after = None
        self.events["came back"] += 1
        return self.judge()

    def _get(self, name: str) -> str:
        return self._expect(self.transport.get(reverse(name, args=[self.token])), 200).body

    def _post(self, name: str, data: Mapping[str, str]) -> None:
        self._expect(self.transport.post(reverse(name, args=[self.token]), data), 302)

    @staticmethod
    def _expect(answer: Answer, status: int) -> Answer:
        if answer.status != status:
            raise VisitFailed(f"A page answered {answer.status} instead of {status}.")
        return answer
