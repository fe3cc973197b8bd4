"""A study whose uncertain texts go to experts: a crowd that disagrees about some of them, and people who decide."""

import uuid
from pathlib import Path
from typing import Any

import yaml

from analytics_app.models import Run, RunState
from analytics_app.runs import start
from tasks_app import studyfile
from tasks_app.channels.base import Arrival
from tasks_app.models import Assignment, Membership, Rater, Study
from tasks_app.selectors import screens
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.arrival import enrolment
from tasks_app.services.judging import judgments
from tasks_app.services.study import lifecycle
from tests.walk import next_for

ITEMS, SYSTEMS = 6, ("source", "alpha-mt")
# Of these texts half of the crowd says one thing, half the other.
DISPUTED = ("i1/alpha-mt", "i4/alpha-mt")

DOCUMENT: dict[str, Any] = {
    "evalweb": 1,
    "study": {"slug": "civil", "title": "Civil or not", "public_title": "Reading texts", "seed": 11},
    "pay": {"minutes": 5, "amount": 2},
    "flow": {"enrolments_per_address": 100_000},
    "consent": "You agree.",
    "groups": [{"key": "crowd"}, {"key": "experts"}],
    "criteria": [
        {"key": "tone", "name": "Tone", "question": "Is it civil?", "labels": ["Yes", "No"]},
        {"key": "meaning", "name": "Meaning", "question": "Is it the same?", "labels": ["Yes", "In part", "No"]},
    ],
    "systems": [{"key": "source", "kind": "source"}, {"key": "alpha-mt"}],
    "tasks": [
        {"key": "crowd", "type": "labels", "criteria": ["tone", "meaning"], "groups": ["crowd"], "k": 4,
         "set_size": 12, "spacing": 1},
        {"key": "experts", "type": "labels", "criteria": ["tone"], "groups": ["experts"], "k": 1, "set_size": 4,
         "spacing": 5, "design": "on_request", "design_params": {"routed_from": "crowd"}},
    ],
    # Nothing else is looked at here.
    "analysis": {"n_resamples": 100, "n_permutations": 99, "analyses": [{"analysis": "labels"}]},
}  # fmt: skip


def folder(path: Path, document: dict | None = None) -> Path:
    """Write the study into a folder."""
    rows = [f"i{n},{system},Text {n} in version {system[0]},Source {n}" for n in range(ITEMS) for system in SYSTEMS]
    (path / "study.yaml").write_text(yaml.safe_dump(document or DOCUMENT), encoding="utf-8")
    (path / "items.csv").write_text("\n".join(["item,system,output,source", *rows]), encoding="utf-8")
    return path


def opened(path: Path, owner: object = None, slug: str = "civil") -> Study:
    """Load the study and open it."""
    document = {**DOCUMENT, "study": {**DOCUMENT["study"], "slug": slug}}
    study = studyfile.load(folder(path, document), owner=None)
    if owner is not None:
        Membership.objects.create(study=study, user=owner, role=Membership.Role.OWNER)
    return lifecycle.move(study_id=study.pk, action="open", by=None)


def arrive(study: Study, group: str = "") -> Rater:
    """Enrol somebody: by the open link, or invited into a group."""
    arrival = Arrival("link", group=group)
    return enrolment.enrol(study_id=study.pk, nonce=uuid.uuid4().hex, consent_text_id=None, arrival=arrival).rater


def judge(study: Study, rater: Rater, label: object) -> list[Assignment]:
    """Answer all that a rater has; `label` says by unit and criterion which option."""
    done = []
    while (assignment := next_for(rater=rater)) is not None:
        frame = screens.frame_of(assignment.unit.task_id, study)
        screen = screens.screen_of(assignment, study)
        asked = [one.key for one in frame.kind.asked(screen.criteria)]
        form = frame.kind.form(screen, {f"p1-{key}": label(assignment.unit.key, key) for key in asked})
        assert form.is_valid(), form.errors
        given = judgments.Submission(uuid=uuid.uuid4(), answer=form.cleaned_data, seconds_active=4.5)
        judgments.submit(screen=RaterScreen(rater, assignment), submission=given)
        done.append(assignment)
    return done


def by_crowd(rater: int, unit: str) -> str:
    """The tone of a text as one of four raters has it: civil are the first three items, and half of them err."""
    civil = int(unit[1]) < ITEMS // 2
    errs = unit in DISPUTED and rater in {"i1/alpha-mt": (0, 1), "i4/alpha-mt": (2, 3)}[unit]
    return "Yes" if civil != errs else "No"


def crowd_judges(study: Study) -> list[Rater]:
    """Let four raters of the crowd judge everything."""
    raters = [arrive(study) for _number in range(4)]
    for number, rater in enumerate(raters):
        judge(study, rater, lambda unit, key, n=number: by_crowd(n, unit) if key == "tone" else "Yes")
    return raters


def analysed(study: Study) -> Run:
    """Run the plan over what there is."""
    run = start.compute_here(run=start.start(study=study, by=None, trigger="command"))
    assert run.state == RunState.DONE, run.error
    return run
