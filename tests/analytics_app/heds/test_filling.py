"""What a study proposes, checked against its rows by queries of the test's own; its methods section says the same."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse

from analytics_app import analyses
from analytics_app.heds.answers import checked, in_words
from analytics_app.heds.filling import Known, known_of
from analytics_app.heds.questions import Fill, questions
from analytics_app.models import ResultRow, Run
from analytics_app.results import TO_RATERS_AND_TEXTS, TO_TEXTS
from tasks_app import studyfile
from tasks_app.models import Study
from tasks_app.setup import changes
from tasks_app.setup.checking import make_study
from tasks_app.setup.texts import samples, writes
from tests.once import study_made_once
from tests.published.kit import analysed, judged_checked
from tests.tasks_app.checks_kit import checked_study

pytestmark = pytest.mark.django_db


def number(sql: str, *params: object) -> int:
    """Return the one number of a statement."""
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return int(cursor.fetchone()[0])


def build_judged(_rosa: User) -> Study:
    """Make the example with screening, practice, exam and checks, judged by simulated raters and analysed."""
    return analysed(judged_checked(), drawn=False).run.study


judged_once, judged = study_made_once("judged", build_judged)


def test_a_study_that_was_judged_proposes_what_its_rows_say(judged: Study) -> None:
    """Of raters and checks, of its run, and in a form that can be stored."""
    what_the_study_knows_is_what_its_rows_say(judged)
    what_the_run_says_of_a_criterion_is_what_its_rows_say(judged)
    an_analysis_declares_what_is_reported_as_agreement(judged)
    every_proposal_is_an_answer_that_its_question_takes(judged)


def what_the_study_knows_is_what_its_rows_say(judged: Study) -> None:
    """Numbers are counted again by statements of the test's own."""
    known = known_of(judged)
    answers = {key: in_words(questions()[key], proposal.answer) for key, proposal in known.answers.items()}

    per_system = number(
        """SELECT count(DISTINCT po.output_id) FROM tasks_app_partoutput po
           JOIN tasks_app_output o ON o.id = po.output_id JOIN tasks_app_system s ON s.id = o.system_id
           JOIN tasks_app_part p ON p.id = po.part_id JOIN tasks_app_unit u ON u.id = p.unit_id
           JOIN tasks_app_task t ON t.id = u.task_id WHERE t.key = 'messages'
           AND NOT EXISTS (SELECT 1 FROM tasks_app_gold g WHERE g.unit_id = u.id)
           AND s.id = (SELECT min(id) FROM tasks_app_system WHERE study_id = %s AND key <> '_degraded')""",
        judged.pk,
    )
    assert answers["3.1.1"] == str(per_system)
    evaluators = number(
        """SELECT count(DISTINCT a.rater_id) FROM tasks_app_judgment j JOIN tasks_app_assignment a
           ON a.id = j.assignment_id JOIN tasks_app_rater r ON r.id = a.rater_id
           WHERE r.study_id = %s AND a.purpose = 'main' AND j.skip_reason = ''
           AND a.state IN ('submitted', 'surplus', 'replaced')""",
        judged.pk,
    )
    assert answers["3.2.1"] == str(evaluators)
    assert known.answers["3.2.1"].source == f"from run 1, {evaluators} of them simulated"
    gold = "SELECT count(DISTINCT unit_id) FROM tasks_app_gold WHERE purpose = %s"
    training, exam = number(gold, "training"), number(gold, "exam")
    assert f"They were trained on {training} units with feedback." in answers["3.2.4"]
    # Each of the two attempts has units of its own.
    assert f"They took an exam of {exam // 2} units; 75% correct answers were needed to pass" in answers["3.2.4"]
    assert answers["3.2.2.2"].startswith("Paid in money: 2.40 EUR for a full set of about 12 minutes. 0.60 EUR")
    assert answers["3.2.3"].startswith("Evaluators came by: Open link, Prolific.")
    assert "How well do you read English?" in answers["3.2.5"]
    assert answers["3.3.3.1"] == "Automatic checks; Manual checks"
    assert "2 units of each set were shown twice." in answers["3.3.3.2"]
    assert "0 evaluators left out altogether." in answers["3.3.3.2"]
    assert judged.versions.get().digest in answers["3.3.1"]
    assert answers["2.4"] == answers["2.5"] == "English"


def what_the_run_says_of_a_criterion_is_what_its_rows_say(judged: Study) -> None:
    """Agreement between raters and of raters with themselves, with intervals."""
    run = Run.objects.get(study=judged)
    known = known_of(judged)
    assert dict(known.names) == {"clarity": "Clarity", "accuracy": "Accuracy"}
    for key, proposals in known.criterion_answers.items():
        answers = {number: in_words(questions()[number], proposal.answer) for number, proposal in proposals.items()}
        rows = ResultRow.objects.filter(run=run, criterion=key, task="messages", basis="kept", slice=None)
        alpha, repeats = rows.get(statistic="alpha"), rows.get(statistic="repeats_alpha")
        assert answers["4.3.11.1"].startswith("Krippendorff's alpha (level: ordinal, ")
        assert answers["4.3.11.2"].startswith(f"{alpha.value:.3f}")
        assert answers["4.3.12.2"] == f"{repeats.value:.3f} [{repeats.low:.3f}, {repeats.high:.3f}]"
        assert "p values corrected by Holm" in answers["4.3.10"]
        both, these = (f"Tests that generalise to {scope}: " for scope in (TO_RATERS_AND_TEXTS, TO_TEXTS))
        assert f"{both}Difference, for further raters and texts." in answers["4.3.10"]
        assert ", Difference, " in answers["4.3.10"].partition(these)[2].partition(".")[0]
        assert "Computed for each system: " in answers["4.3.9"]
        assert (answers["4.3.3"], answers["4.3.5"], answers["4.2.2"]) == ("5", "Multiple choice", "Absolute")
        assert answers["4.3.8"] == "Direct quality estimation"
        assert {proposals[number].source for number in ("4.3.9", "4.3.10", "4.3.11.2")} == {"from run 1"}


def every_proposal_is_an_answer_that_its_question_takes(judged: Study) -> None:
    """What the study says can be written into the form; every automatic question has an answer."""
    known = known_of(judged)
    groups = [(known.answers, False), *((answers, True) for answers in known.criterion_answers.values())]
    for answers, per_criterion in groups:
        for key, proposal in answers.items():
            assert checked(questions()[key], proposal.answer.text, proposal.answer.options) == proposal.answer
            assert proposal.source
        automatic = {
            question.number
            for question in questions().values()
            if question.fill == Fill.AUTO and question.is_per_criterion == per_criterion
        }
        assert automatic <= answers.keys()


def value(run: Run, statistic: str, label: str | None = None) -> int:
    """Return a number of the run about the task that is judged, over what was kept."""
    row = ResultRow.objects.get(run=run, statistic=statistic, label=label, task="messages", basis="kept", slice=None)
    return round(row.value or 0)


def test_its_methods_section(judged: Study, rosas_browser: Client) -> None:
    """Its numbers are those of the run and of the datasheet, and what it cites is there."""
    run = Run.objects.get(study=judged)
    its_numbers_are_those_of_the_run_and_of_the_datasheet(run, rosas_browser)
    every_citation_has_its_entry(run, rosas_browser)


def its_numbers_are_those_of_the_run_and_of_the_datasheet(run: Run, client: Client) -> None:
    text = client.get(reverse("analytics:methods_md", args=[run.study.slug, run.number])).content.decode()
    text = re.sub(r"\\(.)", r"\1", text)
    assert f"{value(run, 'raters_recruited')} raters enrolled and {value(run, 'raters_finished')} finished" in text
    judged, least = value(run, "judgments_analysed"), value(run, "judgments_per_rater", "least")
    assert (
        f"includes {value(run, 'raters_analysed')} raters with {judged} judgments (per rater: minimum {least}," in text
    )
    assert "All raters are simulated; these are not human results." in text
    # Simulated raters earn nothing, and their minutes are invented.
    assert "Median pay" not in text
    systems = "Sentence extraction, Fine-tuned model and Newspaper editor"
    assert f"We evaluated 3 systems ({systems}), each with 12 outputs, in English." in text
    assert (
        "The wording was “How easy is the message to understand?” (Clarity); possible answers were 1 (very hard),"
        in text
    )
    assert "The analysis was planned: rules, primary criterion, comparisons and correction were frozen" in text
    assert "No ratings were excluded manually." in text
    assert "(t of a linear mixed model with raters and items random); p values were corrected by the method of" in text
    assert "The model was value ~ system + (1|item)" in text
    assert "with Satterthwaite's degrees of freedom (Bates et al., 2015; Kuznetsova et al., 2017)." in text
    assert "The conclusions hold for further texts and further raters." in text
    assert "Raters were screened with the questions “How well do you read English?”" in text
    assert run.code_version in text
    assert str(run.seed) in text

    known = known_of(run.study)
    sheet = {key: in_words(questions()[key], proposal.answer) for key, proposal in known.answers.items()}
    full, part = sheet["3.2.2.2"].removeprefix("Paid in money: ").split(". ", 1)
    assert f"They were paid {full}. Part pay was {part.replace('evaluators', 'raters')}" in text
    for line in (sheet["3.2.4"], *sheet["3.3.3.2"].split("\n")[:4]):
        assert line in text
    for key in ("clarity", "accuracy"):
        measure, agreement = (known.criterion_answers[key][number].answer.text for number in ("4.3.11.1", "4.3.11.2"))
        name, about = measure.removesuffix(")").split(" (", 1)
        agreed, _space, interval = agreement.partition(" ")
        between = f"95% CI {interval}; " if interval else ""
        assert f"was {agreed} ({between}{name}; {about})" in text


def every_citation_has_its_entry(run: Run, client: Client) -> None:
    page = client.get(reverse("analytics:methods", args=[run.study.slug, run.number]))
    assert page.status_code == 200
    files = {
        kind: client.get(reverse(f"analytics:methods_{kind}", args=[run.study.slug, run.number]))
        for kind in ("tex", "bib")
    }
    latex, bibtex = (files[kind].content.decode() for kind in ("tex", "bib"))
    cited = {key for keys in re.findall(r"\\citep\{([^}]+)\}", latex) for key in keys.split(",")}
    assert cited == set(re.findall(r"^@\w+\{([^,]+),$", bibtex, re.MULTILINE))
    assert {"likert-1932", "krippendorff-2004", "shimorina-2022", "evalweb"} <= cited
    assert bibtex in page.content.decode().replace("&#x27;", "'").replace("&amp;", "&").replace("&lt;", "<")
    assert "75\\% correct" in latex


def an_analysis_declares_what_is_reported_as_agreement(judged: Study) -> None:
    """A statistic that an analysis puts before alpha takes its place."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analyses.registry["icc"], "agreement", {"icc": 1})
        known = known_of(judged)
    answer = known.criterion_answers["clarity"]["4.3.11.1"].answer
    assert in_words(questions()["4.3.11.1"], answer).startswith("ICC")


def test_a_study_that_has_nothing_yet_proposes_what_it_knows(study: Study) -> None:
    """No run, no raters: no number of evaluators, no agreement."""
    known: Known = known_of(study)
    assert "3.2.1" not in known.answers
    assert in_words(questions()["3.1.1"], known.answers["3.1.1"].answer) == "4"
    assert "4.3.11.2" not in known.criterion_answers["fluency"]
    assert known.criterion_answers["fluency"]["4.3.9"].source == "from the analysis plan"


def test_a_sample_that_was_drawn_here_is_told_with_its_seed(rosa: User) -> None:
    """As long as it stands: not once its rows were brought back."""
    draft = studyfile.load("examples/likert", owner=rosa)
    setup = changes.begin(draft)
    samples.take_sample(setup=setup, sample=samples.Sample(10, seed=7), by=rosa)
    study, _loaded = make_study(setup=setup, by=rosa)
    selection = known_of(study).answers["3.1.2"]
    assert selection.source == "from the sample drawn here"
    said = in_words(questions()["3.1.2"], selection.answer)
    assert "10 items of 12 (30 of 36 outputs) were drawn with seed 7." in said
    writes.bring_back(setup=setup, by=rosa)
    make_study(setup=setup, by=rosa)
    assert "3.1.2" not in known_of(Study.objects.get(pk=study.pk)).answers


@pytest.mark.parametrize(("least", "is_reached"), [(3, True), (4, False)])
def test_a_limit_on_failed_checks_that_nobody_reaches_is_not_reported(rosa: User, least: int, is_reached: bool) -> None:
    study = checked_study(rosa, slug="limits", checks={"fail_after": least}, sets_per_rater=1)
    told = known_of(study).answers["3.3.3.2"].answer.text
    assert "Each set contained 1 attention check." in told
    assert ("of at least" in told) == is_reached
