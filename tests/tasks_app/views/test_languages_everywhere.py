"""What raters meet beside the straight way, in two languages: arrivals, mistakes, checks, waits, endings."""

import html
import re
from collections import Counter
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from tasks_app.models import Identity, Membership, Rater, Study
from tasks_app.services.arrival import enrolment
from tasks_app.services.judging import assignments
from tasks_app.services.waves import reminders
from tasks_app.texts import languages
from tests import pages
from tests.about import ABOUT
from tests.builders import build_study
from tests.tasks_app import waves_kit
from tests.tasks_app.texts import languages_kit as kit
from tests.walk import next_for

pytestmark = pytest.mark.django_db

CHANNELS = ("link", "invited", "account", "prolific", "mturk")

ANSWER = {"p1-fluency": "4"}

OTHER_TAB = "00000000-0000-4000-8000-000000000000"

# What the studies of these tests say themselves.
OWN = "Reading short texts; You agree to take part.; How good is the fluency?; very bad; very good; Fluency; rosa; "
OWN += "1 (very bad); "
OWN += "; ".join([*ABOUT.values(), ""])
OWN += "; ".join(f"Source {n}; Text {n} in version 0; Text {n} in version 1; Text {n} of training" for n in range(12))

Shown = list[tuple[str, str]]


class Visit:
    """A browser that keeps what it was shown, in studies of one language."""

    def __init__(self, language: str) -> None:
        self.browser, self.language = Client(), language
        self.shown: Shown = []

    def study(self, study: Study) -> Study:
        """Let a study be in the language of the visit; its address goes to the next one of this name."""
        Study.objects.filter(pk=study.pk).update(language=self.language, slug=f"{study.slug}-{self.language}")
        study.refresh_from_db()
        return study

    def get(self, path: str) -> HttpResponse:
        """Fetch a page and keep it."""
        return self._keep(path, self.browser.get(path, follow=True))

    def post(self, path: str, data: dict[str, str]) -> HttpResponse:
        """Post a form and keep what it answers."""
        return self._keep(path, self.browser.post(path, data))

    def _keep(self, path: str, answer: HttpResponse) -> HttpResponse:
        if answer.content and "html" in answer["Content-Type"]:
            page = answer.content.decode()
            self.shown.append((re.sub(r"(/r|/join)/[^/]+/", r"\1/…/", f"{path} {answer.status_code}"), page))
        return answer


def form_to(page: HttpResponse, action: str) -> dict[str, str]:
    """Return the hidden fields of the form on a page that is sent to an address with this ending."""
    found = re.search(rf'<form[^>]*action="[^"]*{action}".*?</form>', page.content.decode(), re.DOTALL)
    assert found is not None, action
    return dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', found[0]))


def mistakes(visit: Visit) -> None:
    """Forget to agree and to answer, answer otherwise in a second tab, send what is not ours; have it all erased."""
    study = visit.study(build_study(None, slug="mistakes", set_size=4, items=8))
    join = f"/join/{study.link_code}/"
    visit.post(join, pages.hidden(visit.get(join)))
    visit.post(join, {"form_token": "a:b"})
    token = pages.join(study)
    path = f"/r/{token}/judge/"
    hidden = pages.hidden(visit.get(path), "answer")
    assert visit.post(path, hidden).status_code == 422
    assert visit.post(path, {**ANSWER, "form_token": "a:b"}).status_code == 403
    assert visit.post(path, {**hidden, **ANSWER}).status_code == 302
    assert visit.post(path, {**hidden, "p1-fluency": "1", "submission": OTHER_TAB}).status_code == 409
    skip = form_to(visit.get(path), "/skip/")
    assert visit.post(f"/r/{token}/skip/", skip).status_code == 422
    for step in ("stop", "more", "link", "withdraw", "mail", "language"):
        assert visit.post(f"/r/{token}/{step}/", {"form_token": "a:b"}).status_code == 403, step
    Study.objects.filter(pk=study.pk).update(state=Study.State.PAUSED)
    assert 'id="answer"' not in visit.get(path).content.decode()
    Study.objects.filter(pk=study.pk).update(state=Study.State.OPEN)
    form = pages.hidden(visit.get(f"/r/{token}/withdraw/"))
    assert visit.post(f"/r/{token}/withdraw/", form).status_code == 200


def checks(visit: Visit) -> None:
    """Be trained, fail the test once, and be told about a control that was missed."""
    checks = {"exam": 2, "exam_pass": 1.0, "exam_attempts": 2, "controls": 2, "on_failing": "warn", "fail_after": 1}
    known = {"training": 1, "exam": 4, "control": 2}
    study = build_study(None, slug="checks", known=known, checks={**checks, "fail_below": 1.0}, items=8, set_size=8)
    token = pages.join(visit.study(study))
    rater = Rater.objects.latest("pk")
    wrong = Counter({"exam": 2, "control": 1})
    steps = set()
    for _page in range(60):
        page = visit.get(f"/r/{token}/")
        path = page.redirect_chain[-1][0]
        steps.add(path.split("/")[3])
        if path.endswith("/end/"):
            break
        if path.endswith("/judge/"):
            purpose = next_for(rater=rater).purpose
            given = "1" if wrong[purpose] > 0 else "4"
            wrong[purpose] -= 1
            visit.post(path, {**pages.hidden(page, "answer"), "p1-fluency": given})
        else:
            visit.browser.post(path, pages.hidden(page))
    assert steps == {"judge", "feedback", "exam", "notice", "end"}


def waits(visit: Visit) -> None:
    """Wait for a later wave, and have no more mail."""
    study = visit.study(waves_kit.opened())
    rater = waves_kit.invited(study)
    token = reminders.return_token(rater, Identity.objects.get(rater=rater))
    visit.get(f"/r/{token}/instructions/")
    assert visit.get(f"/r/{token}/waiting/").redirect_chain[-1][0].endswith("/instructions/")
    waves_kit.do_what_is_open(study, rater)
    assert visit.get(f"/r/{token}/").redirect_chain[-1][0].endswith("/waiting/")
    form = pages.hidden(visit.get(f"/r/{token}/mail/"))
    assert visit.post(f"/r/{token}/mail/", form).status_code == 200


def endings(visit: Visit) -> None:
    """End in every way there is; then nobody comes in any more."""
    study = visit.study(build_study(None, slug="endings", k=20, items=2, set_size=4))
    for outcome in Rater.Outcome.values:
        come = enrolment.enrol(study_id=study.pk, nonce=outcome, consent_text_id=None)
        assignments.start(rater=come.rater)
        token = come.token
        assignments.stop(rater=come.rater, outcome=outcome)
        assert visit.get(f"/r/{token}/").redirect_chain[-1][0].endswith("/end/")
        visit.get(f"/r/{token}/stored/")
    for state, status in ((Study.State.PAUSED, 503), (Study.State.CLOSED, 410)):
        Study.objects.filter(pk=study.pk).update(state=state)
        assert visit.get(f"/join/{study.link_code}/").status_code == status


@pytest.mark.parametrize(
    "way",
    [
        mistakes,
        pytest.param(checks, marks=pytest.mark.exhaustive),
        pytest.param(waits, marks=pytest.mark.exhaustive),
        endings,
    ],
)
def test_pages_beside_the_straight_way_are_translated(way: Callable[[Visit], None]) -> None:
    own = OWN + " ".join((waves_kit.EXAMPLE / "study.yaml").read_text(encoding="utf-8").split())
    visits = {language: Visit(language) for language in ("en", *kit.READ_WHOLE)}
    for visit in visits.values():
        way(visit)
    _are_translated({language: visit.shown for language, visit in visits.items()}, own)


def _are_translated(shown: dict[str, Shown], own: str) -> None:
    in_english = shown.pop("en")
    for language, found in shown.items():
        assert [address for address, _page in found] == [address for address, _page in in_english]
        for address, page in found:
            assert kit.head(page) == (language, languages.direction(language)), address
            assert kit.english_in(page, own) == [], address
        assert kit.said_alike(in_english, found, own) == set()


def test_every_arrival_and_ending_of_every_channel_is_translated(rosa: User, rosas_browser: Client) -> None:
    """The page that tries them out shows each as raters see it."""
    study = build_study(rosa, slug="arrivals")
    Study.objects.filter(pk=study.pk).update(settings={**study.settings, "channels": {name: {} for name in CHANNELS}})
    base = f"/admin/studies/{study.slug}/recruit/try/"
    shown: dict[str, Shown] = {}
    for language in ("en", *kit.READ_WHOLE):
        Study.objects.filter(pk=study.pk).update(language=language)
        listed = rosas_browser.get(base).content.decode()
        assert kit.head(listed)[0] == "en", "pages of researchers are in English"
        addresses = [html.unescape(one) for one in re.findall(r'href="(\?channel=[^"]*)"', listed)]
        assert len(addresses) > 5 * (len(Rater.Outcome) + 5)
        shown[language] = [(one, rosas_browser.get(base + one).content.decode()) for one in addresses]
    _are_translated(shown, OWN)


def test_where_raters_sign_in_is_in_the_language_of_their_browser(rosa: User, rosas_browser: Client) -> None:
    study = build_study(None, slug="accounts")
    Membership.objects.create(study=study, user=rosa, role="viewer")
    shown: dict[str, Shown] = {}
    for language in ("en", *kit.READ_WHOLE):
        asked = {"headers": {"Accept-Language": language}}
        pressed = Client().post("/sign-in/", {"username": "x", "password": "y"}, **asked)
        found = [Client().get("/sign-in/", **asked), pressed, rosas_browser.get("/studies/", **asked)]
        shown[language] = [(str(number), page.content.decode()) for number, page in enumerate(found)]
    _are_translated(shown, OWN)
