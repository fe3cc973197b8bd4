"""The facts of an item, each of which raters look for in its texts."""

from collections.abc import Iterator, Mapping

from django.utils.translation import gettext as _

from tasks_app.task_types.base import ItemTexts
from tasks_app.texts.plaintext import problem_in

# The name of the list in an item's options.
FACTS = "facts"

LONGEST = 500


def facts_of(options: Mapping[str, object]) -> tuple[str, ...]:
    """Return the facts in the options of an item; none unless all of them are sound."""
    given = options.get(FACTS)
    return tuple(given) if _problem_in(given) is None and isinstance(given, list | tuple) else ()


def problems_in(item: ItemTexts, most: int) -> Iterator[str]:
    """Yield a sentence where an item has no list of facts, too many of them, or facts that are no texts."""
    given = item.options.get(FACTS)
    if given is None:
        yield _('The column options has no list of facts. Write {"facts": ["…", "…"]}.')
    elif (fault := _problem_in(given)) is not None:
        yield f"options, {FACTS}: {fault}"
    elif isinstance(given, list | tuple) and len(given) > most:
        yield _("It has %(n)d facts; the task has room for %(most)d. Raise “Facts per item”.") % {
            "n": len(given),
            "most": most,
        }


def _problem_in(given: object) -> str | None:
    if not isinstance(given, list | tuple) or not given:
        return _("Facts are a list of texts, at least one.")
    for fact in given:
        if not isinstance(fact, str) or not fact.strip() or len(fact) > LONGEST or problem_in(fact):
            return _("Each fact is a text of at most %(n)d characters.") % {"n": LONGEST}
    if len(set(given)) < len(given):
        return _("Two facts are the same.")
    return None
