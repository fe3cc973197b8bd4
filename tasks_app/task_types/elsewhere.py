"""Task types of which the texts can be addresses of another site, where raters do a task before they answer."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.choices import TextChoices
from tasks_app.settings.fields import added_later, choice_field, line_field
from tasks_app.task_types.base import Criterion, ItemTexts, ParameterProblem
from tasks_app.task_types.errand import HOST, problem_in_address
from tasks_app.task_types.texts import TextType

MOST_HOSTS = 10


class FinishedBy(TextChoices):
    """Who says that a task on another site is finished."""

    RATER = "rater", _("the site reports it, or the rater says so")
    SITE = "site", _("the site reports it")


class ElsewhereTexts(TextType):
    """A type with texts that can be addresses: raters do a task there, come back, and answer questions about it."""

    elsewhere_hosts = added_later(
        line_field(
            _("Other sites on which raters do a task"),
            _(
                "Then each text is an address that begins with https://, and raters get a link instead of the text. "
                "Name the sites to which addresses may lead, with commas between them: search.example.org. "
                "Leave empty where raters read texts."
            ),
        )
    )
    elsewhere_finished = added_later(
        choice_field(
            _("A task on another site is finished when"),
            FinishedBy.choices,
            _("Only with other sites. Until then raters cannot send their answers; they can skip the task."),
            initial=FinishedBy.RATER,
        )
    )

    @property
    def hosts_elsewhere(self) -> tuple[str, ...]:
        """The sites on which raters do a task; none where they read texts."""
        return tuple(dict.fromkeys(self.elsewhere_hosts.lower().replace(",", " ").split()))

    @property
    def needs_report(self) -> bool:
        """Whether only the other site can say that a task is finished."""
        return bool(self.hosts_elsewhere) and self.elsewhere_finished == FinishedBy.SITE

    def problems(self, criteria: Sequence[Criterion]) -> Iterator[str]:
        """Yield a sentence for each host that is none, and for each parameter that other sites do not go with."""
        yield from super().problems(criteria)
        hosts = self.hosts_elsewhere
        if not hosts and self.elsewhere_finished != FinishedBy.RATER:
            yield ParameterProblem("elsewhere_finished", gettext("Name the other sites as well (elsewhere_hosts)."))
        if len(hosts) > MOST_HOSTS:
            sentence = gettext("There can be at most %(most)d other sites.") % {"most": MOST_HOSTS}
            yield ParameterProblem("elsewhere_hosts", sentence)
        for host in hosts:
            if not HOST.fullmatch(host):
                sentence = gettext("“%(host)s” is not the name of a site, such as search.example.org.") % {"host": host}
                yield ParameterProblem("elsewhere_hosts", sentence)
        if hosts:
            yield from self._problems_of_page()

    def _problems_of_page(self) -> Iterator[str]:
        """Yield a sentence for each parameter that puts several texts on a page, or takes time away."""
        if self.shows_documents or self.params.get("layout") == "together" or self.texts_on_page > 1:
            sentence = gettext("Raters do one task at a time on another site. Let a page show one text.")
            yield ParameterProblem("elsewhere_hosts", sentence)
        if self.set_time is not None:
            sentence = gettext("A task on another site has no set time. Leave set_seconds empty.")
            yield ParameterProblem("elsewhere_hosts", sentence)

    def item_problems(self, item: ItemTexts) -> Iterator[str]:
        """Yield a sentence for each text that is no address to which raters may be sent."""
        yield from super().item_problems(item)
        for output in item.outputs if self.hosts_elsewhere else ():
            problem = problem_in_address(output.text, self.hosts_elsewhere)
            if problem is not None:
                yield gettext("the text by “%(system)s” %(problem)s.") % {"system": output.system, "problem": problem}
