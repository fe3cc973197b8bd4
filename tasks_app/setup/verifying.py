"""Make a study in which other raters verify the texts that raters wrote: a draft with texts and their origins."""

from collections.abc import Mapping, Sequence

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _

from tasks_app.models import Setup, Study
from tasks_app.selectors.collected_texts import Choice, Chosen, judged_rows, rounds_of, select
from tasks_app.services import collecting, events
from tasks_app.services.database import atomically
from tasks_app.setup import changes
from tasks_app.setup.starting import Names, copy_of, following
from tasks_app.studyfile.columns import TABLES
from tasks_app.task_types.base import Criterion
from tasks_app.task_types.labels import Labels

LONGEST_TITLE = 180

# The system that all texts are stored under: raters of the first study wrote them.
RATERS = {"key": "raters", "name": "Raters", "kind": "human"}

# The questions where no other study gives them. They are those of a draft, which its researchers can change.
QUESTIONS = (
    Criterion(
        "meaning",
        "Meaning kept",
        question="Does the new text say the same as the original?",
        labels=("yes", "partly", "no"),
    ),
    Criterion(
        "task",
        "Task done",
        question="Does the new text do what its author was asked for?",
        labels=("yes", "no"),
    ),
)
ACCEPTED_BY = "meaning=yes, task=yes"


class NothingChosen(ValueError):
    """No text is left to be verified; the message says so."""


@atomically
def prepare(
    *, study: Study, choice: Choice, rounds: Sequence[Study], like: Study | None, by: AbstractBaseUser
) -> Study:
    """Make a draft that verifies the chosen texts, with the questions of another study or of our own; texts only once.

    `rounds` are the earlier verifications whose verdicts the choice may ask for.

    Raises
    ------
    NothingChosen
        Where the choice takes no text.
    """
    # Two presses at once make one round: the second waits here, and finds no new texts.
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    chosen = select(study, choice, judged_rows(study, rounds)).chosen
    if not chosen:
        raise NothingChosen(_("There are no texts to verify. Choose other texts, or wait for raters to finish."))
    names = Names(_title(study), study.public_title)
    if like is None:
        draft = following(owner=by, origin=study, member=Labels, criteria=QUESTIONS, names=names)
        setup = changes.begin(draft)
        changes.change(setup=setup, values={("acceptance",): {"answers": ACCEPTED_BY}}, base=setup.revision, by=by)
    else:
        draft = copy_of(origin=like, by=by, names=names)
    _fill(draft, chosen, by)
    collecting.store_origins(study=draft, origin=study, chosen=chosen)
    events.log(study, by, "began verification", about=draft.slug, after={"texts": len(chosen)})
    return draft


def _title(study: Study) -> str:
    title, n = study.title[:LONGEST_TITLE], len(rounds_of(study)) + 1
    if n == 1:
        return _("Verification of %(title)s") % {"title": title}
    return _("Verification of %(title)s, round %(n)d") % {"title": title, "n": n}


def _fill(draft: Study, chosen: Sequence[Chosen], by: AbstractBaseUser) -> Setup:
    """Put the texts in place of all items of a draft; known answers and batches of other texts go with those."""
    setup = changes.begin(draft)
    setup = changes.change(setup=setup, values={("systems",): [RATERS]}, base=setup.revision, by=by).setup
    others = [table.stem for table in TABLES if table.stem != collecting.ITEMS]
    changes.remove_tables(setup=setup, tables=others, by=by)
    return changes.replace_table(setup=setup, table=collecting.ITEMS, rows=[_row(text) for text in chosen], by=by)


def _row(chosen: Chosen) -> Mapping[str, str]:
    """Return a text as a row of items.csv; nothing in it leads to its author."""
    first = chosen.texts[0]
    cells = {
        "item": chosen.item,
        "system": RATERS["key"],
        "source": first.source,
        "output": chosen.text,
        "source_language": first.source_language,
        "language": first.language,
        "feature_source": first.item,
    }
    return {name: value for name, value in cells.items() if value}
