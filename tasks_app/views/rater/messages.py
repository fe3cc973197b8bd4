"""Messages of researchers to a rater, before the rater goes on; and the page of a paused rater."""

from django.http import HttpResponse
from django.utils.translation import gettext as _

from tasks_app.selectors.pay import offer_of
from tasks_app.selectors.progress import progress_of
from tasks_app.services import contact
from tasks_app.views.rater import pages
from tasks_app.views.rater.journey import set_size
from tasks_app.views.rater.visit import Visit, forged, rater_page


@rater_page("GET", "HEAD", "POST")
def messages(visit: Visit) -> HttpResponse:
    """Show the messages that a rater has not read yet; the button says that they were read."""
    texts = contact.unread(visit.rater)
    if not texts:
        return visit.go_to("next")
    if visit.is_post:
        # One that came while the page was open was not on it.
        shown = next((n for n in range(1, len(texts) + 1) if visit.step_form(f"messages-{n}").is_valid()), 0)
        if not shown:
            return forged(visit.request)
        contact.read(rater=visit.rater, n=shown)
        return visit.go_to("next")
    context = {
        "frame": pages.frame_for(visit, progress_of(visit.rater, set_size(visit.rater))),
        "texts": texts,
        "contact": visit.options.contact,
        "form": visit.step_form(f"messages-{len(texts)}"),
    }
    return visit.render("rater/messages.html", context)


def paused(visit: Visit) -> HttpResponse:
    """Tell a rater that their part in the study is paused, and that nothing is lost."""
    sentences = [
        _("The researchers have paused your part in this study."),
        _("Your answers are saved, and you will be paid for them as promised.")
        if offer_of(visit.options).pays
        else _("Your answers are saved."),
        _("Please come back later with the same link."),
    ]
    if visit.options.contact:
        sentences.append(_("If you have a question, write to %(contact)s.") % {"contact": visit.options.contact})
    context = {"title": _("Your part is paused"), "sentences": sentences, "action": (_("Stop here"), visit.url("stop"))}
    return visit.render("rater/message.html", context)
