"""The texts and answers that a rater was really given."""

from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.models import Assignment, Rater
from tasks_app.selectors import screens
from tasks_app.selectors.progress import REACHABLE


def load_in_words(screens: int, texts: int, answers: int) -> str:
    """Describe the load of one rater: 10 screens with 49 texts and 98 questions, or 30 texts with 60 questions.

    Where each screen has one text, only texts are named: several of them may stand on one page.
    """
    number = formats.number_format
    words = {
        "screens": ngettext("%(n)s screen", "%(n)s screens", screens) % {"n": number(screens)},
        "texts": ngettext("%(n)s text", "%(n)s texts", texts) % {"n": number(texts)},
        "questions": ngettext("%(n)s question", "%(n)s questions", answers) % {"n": number(answers)},
    }
    if not texts:
        return _("%(screens)s with %(questions)s") % words
    if screens == texts:
        return _("%(texts)s with %(questions)s") % words
    return _("%(screens)s with %(texts)s and %(questions)s") % words


def load_of(rater: Rater) -> tuple[int, int]:
    """Count the texts and the answers that a rater judges, by the screens that the page names, checks included."""
    states = (*Assignment.State.DONE, *Assignment.State.WAITING)
    judged = Assignment.Purpose.JUDGED
    assignments = Assignment.objects.filter(REACHABLE, rater=rater, purpose__in=judged, state__in=states)
    units = list(assignments.order_by("order", "id").values_list("unit_id", "unit__task", "arrangement"))
    materials = screens.read_materials({unit for unit, _task, _arrangement in units})
    texts = answers = 0
    counted: dict[tuple[int, int, str, bool], int] = {}
    for unit, task, arrangement in units:
        frame, material = screens.frame_of(task, rater.study), materials.get(unit, screens.NOTHING_TO_READ)
        screen = screens.make_screen(frame, material, rater.study, arrangement)
        shape = (task, len(material.parts), material.criterion, material.ends_document)
        if shape not in counted:
            counted[shape] = frame.kind.answers_on(screen)
        texts += len(screen.shown_parts)
        answers += counted[shape]
    return texts, answers
