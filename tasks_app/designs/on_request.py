"""On request: no set is drawn before a study opens; texts are sent to the task while it runs."""

from django.utils.translation import gettext_lazy as _

from tasks_app.designs import registry
from tasks_app.designs.independent import Independent
from tasks_app.settings.fields import LineField, naming
from tasks_app.settings.study import Block

# The parameter that names the task whose texts are sent.
ROUTED_FROM = "routed_from"


@registry.register
class OnRequest(Independent):
    """Sets are drawn when texts are sent, of these texts alone, as independent sets are.

    Every unit of the task is there from the beginning, without places: what is to be judged is known only once
    others have judged the same texts, such as those that a crowd does not agree on.
    """

    label = _("On request")
    at_opening = False

    routed_from = naming(
        LineField(
            max_length=100,
            label=_("Texts come from"),
            help_text=_("The task whose texts are sent here on request."),
        ),
        "tasks",
    )

    class Settings(Block):
        """The task that sends texts."""

    def in_words(self, set_size: int) -> str:
        """Describe how sets were drawn."""
        return f"Texts that other raters had judged were forwarded to these raters in random sets of {set_size}"
