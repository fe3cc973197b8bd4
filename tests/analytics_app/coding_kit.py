"""A study whose judges gave their motives, and two people who coded them."""

from collections.abc import Sequence
from pathlib import Path

from django.contrib.auth.models import User

from tasks_app import importing, studyfile
from tasks_app.importing import RatingsFile
from tasks_app.models import Codebook, CodedAnswer, Membership, Study
from tasks_app.selectors import coding as selectors
from tasks_app.services import coding as service

STUDY = """\
evalweb: 1
study: {{slug: {slug}, title: Odd one out, public_title: Odd one out, language: en}}
about: {{institution: Lab}}
tasks:
  - key: triads
    type: triangle
    params: {{goal: difference, motive: true}}
    k: 60
    set_size: 1
    spacing: 1
systems: [{{key: ada-mt}}, {{key: bert-mt}}]
"""
ITEMS = "item,system,output\na,ada-mt,The sun shines today.\na,bert-mt,It is sunny today.\n"
N, RIGHT = 24, 15
NAMES = ["Verbs", "Length", "Content"]

# What each coder says of answers 0 to 23, and what is decided where they differ.
FIRST: list[list[str]] = [["Verbs"]] * 8 + [["Length"]] * 6 + [["Content", "Length"]] * 5 + [[]] * 5
SECOND: list[list[str]] = (
    [["Verbs"]] * 9 + [["Length"]] * 5 + [["Length", "Content"]] * 5 + [["Content"]] * 2 + [[]] * 3
)
DECIDED: dict[int, list[str]] = {8: ["Verbs", "Length"], 19: [], 20: ["Content"]}


def study_with_motives(owner: User, folder: Path, slug: str) -> Study:
    """Store a study with a triad that 24 judges judged, each with a motive; the first 15 were right."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.yaml").write_text(STUDY.format(slug=slug), encoding="utf-8")
    (folder / "items.csv").write_text(ITEMS, encoding="utf-8")
    study = studyfile.load(folder, owner=owner)
    Membership.objects.get_or_create(study=study, user=owner, defaults={"role": Membership.Role.OWNER})
    lines = ["judgment,unit,rater,criterion,value,label,text"]
    for number in range(N):
        common = f"{number},a/ada-mt+bert-mt,judge{number:02}"
        lines += [f"{common},odd-one-out,,2,", f"{common},correct,{int(number < RIGHT)},,"]
        lines += [f"{common},motive,,,=Why {number:02}?"]
    file = folder / "ratings.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    importing.import_ratings(study=study, file=RatingsFile.at(str(file)), mapping=importing.NO_MAPPING, by=None)
    study.refresh_from_db()
    return study


def give_codes(study: Study, by: User) -> Codebook:
    """Enter the codes."""
    return service.save_codes(study=study, criterion="motive", codes=[(name, "") for name in NAMES], by=by)


def code(study: Study, by: User, said: Sequence[Sequence[str]]) -> None:
    """Let somebody code every answer."""
    codebook, answers = Codebook.objects.get(study=study), selectors.answers_to(study, "motive")
    coder = service.code_answer(codebook=codebook, rating=answers[0], codes=said[0], by=by)
    CodedAnswer.objects.bulk_create(
        CodedAnswer(codebook=codebook, rating=answer, coder=coder, codes=[name for name in NAMES if name in codes])
        for answer, codes in zip(answers[1:], said[1:], strict=True)
    )
