"""Raters who are quick: units are answered by the services behind the pages, not by the pages."""

import uuid
from datetime import timedelta
from urllib.parse import urlencode

from django.db.models import F
from django.http import QueryDict
from django.urls import reverse

from tasks_app.management.simulated_raters import Visitor
from tasks_app.models import Assignment, Rater
from tasks_app.selectors.progress import next_purpose
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.arrival import enrolment
from tasks_app.services.judging import assignments, between_units, judgments
from tasks_app.views.rater.pages import consent_text


class QuickVisitor(Visitor):
    """A visitor who sees only the pages between units.

    They draw the same numbers and store the same answers as a visitor who goes by every page.
    """

    def arrive(self) -> bool:
        """Agree to take part; False where the study is full."""
        text = consent_text(self.study)
        try:
            enrolled = enrolment.enrol(
                study_id=self.study.pk,
                nonce=uuid.UUID(int=self.rng.getrandbits(128)).hex,
                consent_text_id=text.pk if text else None,
                kind=Rater.Kind.SIMULATED,
            )
        except enrolment.StudyFull:
            return False
        self.token = enrolled.token
        return True

    def judge(self) -> bool:
        """Answer page after page; what a rater is shown between units is left to the pages."""
        while (rater := self._rater()).state != Rater.State.ENDED:
            if between_units.step_due(rater) is not None:
                self._go_by(self.transport.get(reverse("rater:judge", args=[self.token])).location)
            elif rater.state == Rater.State.ENROLLED and next_purpose(rater) != Assignment.Purpose.SCREENING:
                assignments.start(rater=rater)
            elif page := assignments.next_page(rater=rater):
                self._answer_page([RaterScreen(rater, unit) for unit in page])
            elif not self._wait():
                # Their end, or whatever else comes next, is a page.
                return super().judge()
        return True

    def _answer_page(self, screens: list[RaterScreen]) -> None:
        """Store the answers to all texts of a page."""
        forms = []
        for screen in screens:
            said = self._say(screen.assignment, screen.kind, screen.shown)
            forms.append(screen.form(QueryDict(urlencode(said))))
        seconds = sum(round(self.rng.uniform(3, 25), 1) for _form in forms)
        # A visitor on the pages draws these to send some of them twice.
        _unused = self.rng.random(), self.rng.random()
        units = Assignment.objects.filter(pk__in=[screen.assignment.pk for screen in screens])
        units.update(first_shown=F("first_shown") - timedelta(seconds=seconds))
        share = float(f"{seconds:.1f}") / len(forms)
        page = []
        for screen, form in zip(screens, forms, strict=True):
            assert form.is_valid(), form.errors
            sent = judgments.Submission(uuid.uuid4(), form.cleaned_data, seconds_active=share, seconds_elapsed=share)
            page.append(judgments.Answered(screen, sent))
        results = judgments.submit_page(page=page)
        assert all(isinstance(result, judgments.Receipt) for result in results), results
