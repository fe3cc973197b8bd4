"""Task types about texts: the material beside a text that all of them can show, and the units of one text each."""

from collections.abc import Hashable, Iterator, Sequence
from random import Random
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import OneOfField, YesNoField, choice_field, whole_field
from tasks_app.settings.orders import latin_orders
from tasks_app.task_types import blocks
from tasks_app.task_types.base import (
    DOCUMENT_SCORE,
    Criterion,
    ItemTexts,
    Outcome,
    ParameterProblem,
    Parameters,
    TaskType,
    UnitDraft,
)
from tasks_app.texts.languages import spoken

LAYOUT = choice_field(
    _("Texts on a screen"),
    (("single", _("one text a screen")), ("together", _("all texts of an item side by side"))),
    initial="single",
)


# More texts with their questions are more than anybody keeps an overview of on one page.
MOST_ON_A_PAGE = 10
# Where a page holds a document, its parts and systems make a table, in which more texts can be found.
MOST_OF_A_DOCUMENT = 100


class DocumentPages(TaskType):
    """A type of which a page can hold a whole document, with the texts of each system in a column."""

    page = choice_field(
        _("A page shows"),
        (("screen", _("one screen")), ("document", _("a whole document"))),
        _(
            "The parts of a document stand below each other and its systems side by side. Each text keeps its own "
            "questions, and all are sent together. Only with the design “Whole documents”. Practice and tests show one "
            "text at a time."
        ),
        initial="screen",
    )

    class Settings(Parameters):
        def clean(self) -> dict[str, Any]:
            """Refuse documents of screens that already show all texts of an item."""
            cleaned: dict[str, Any] = super().clean() or self.cleaned_data
            if cleaned.get("page") == "document" and cleaned.get("layout") == "together":
                self.add_error(
                    "page",
                    _("The page of a document shows its systems side by side already. Set layout to single."),
                )
            return cleaned

    @property
    def shows_documents(self) -> bool:
        """Whether a page shows a whole document."""
        return self.page == "document"


class ScoredDocuments(DocumentPages):
    """A type with scores on a range, of which the page of a document may show those of other systems."""

    show_others = YesNoField(
        label=_("Show the scores of the other systems"),
        help_text=_("On the page of a document, for the same part, as soon as the own score is set."),
    )
    score_document = YesNoField(
        label=_("Ask for a score of the whole document"),
        help_text=_(
            "On the page of a document: one score for each system, below its last text. It answers the criterion "
            "“document_score”, beside the study's own criteria, and is stored with that last text."
        ),
    )

    class Settings(DocumentPages.Settings):
        def clean(self) -> dict[str, Any]:
            """Refuse scores of other systems where a page shows no document."""
            cleaned: dict[str, Any] = super().clean()
            if cleaned.get("show_others") and cleaned.get("page") != "document":
                self.add_error("show_others", _("Only the page of a document has other systems. Set page to document."))
            if cleaned.get("score_document") and cleaned.get("page") != "document":
                sentence = _("Only on the page of a document do raters see the whole document. Set page to document.")
                self.add_error("score_document", sentence)
            return cleaned

    @property
    def scores_documents(self) -> bool:
        """Whether a page that shows a whole document asks for a score of it, for each system."""
        return self.shows_documents and bool(self.score_document)

    def brings(self) -> tuple[Criterion, ...]:
        """Return the criterion of the whole document, where its score is asked."""
        return (*super().brings(), *((self.of_document(),) if self.scores_documents else ()))

    def of_document(self) -> Criterion:
        """Return the question about the whole document; the scale is that of the texts."""
        return Criterion(
            DOCUMENT_SCORE,
            gettext("Score of the document"),
            question=gettext("How good is the whole document?"),
            low=gettext("Very bad"),
            high=gettext("Very good"),
            language=spoken(),
        )

    def outcome_of(self, criterion: Criterion | None) -> Outcome | None:
        """Return the outcome of scores for that of the whole document as well."""
        is_of_document = criterion is not None and criterion.key == DOCUMENT_SCORE
        return super().outcome_of(None if is_of_document else criterion)


def ends_of_documents(units: Sequence[tuple[Hashable, int]]) -> set[int]:
    """Return the numbers of the units that are the last ones by their systems in a document.

    A unit is given by what makes it belong together with others, such as its document and systems, and by the position
    of its item in the document. Of units at the same position the last one counts.
    """
    last: dict[Hashable, tuple[int, int]] = {}
    for number, (group, position) in enumerate(units):
        last[group] = max(last.get(group, (position, number)), (position, number))
    return {number for _position, number in last.values()}


class PagedTexts(DocumentPages):
    """A type with screens so simple that several of them can stand on one page, as `texts_per_page` says."""

    texts_per_page = whole_field(
        _("Texts per page"),
        _(
            "Several texts stand below each other, each with its own questions, and are sent together. The page's "
            "time is divided equally by its texts. Practice and tests show one text at a time."
        ),
        within=(1, MOST_ON_A_PAGE),
        initial=1,
    )

    class Settings(DocumentPages.Settings):
        def clean(self) -> dict[str, Any]:
            """Refuse pages of several screens that already show several texts, and two kinds of pages at once."""
            cleaned: dict[str, Any] = super().clean()
            if (cleaned.get("texts_per_page") or 1) > 1 and cleaned.get("page") == "document":
                self.add_error(
                    "texts_per_page",
                    _("A page shows a whole document, however many texts it has. Set it to 1, or page to screen."),
                )
            if (cleaned.get("texts_per_page") or 1) > 1 and cleaned.get("layout") == "together":
                self.add_error(
                    "texts_per_page",
                    _("All texts of an item side by side fill a page. Set it to 1, or layout to single."),
                )
            return cleaned

    @property
    def texts_on_page(self) -> int:
        """The most texts, with their questions, on a page."""
        return self.texts_per_page


class TextType(TaskType):
    """A type that shows texts with an item: one distinct text a screen, unless a member makes other units."""

    show_source = YesNoField(initial=True, label=_("Show the source"), help_text=_("Above the text to be judged."))
    show_reference = YesNoField(label=_("Show the reference"), help_text=_("Marked as an example answer."))
    context_before = whole_field(
        _("Preceding sentences shown"),
        _("The number of sources before this one in its document."),
        within=(0, 20),
        initial=0,
    )
    context_shows = choice_field(
        _("They are shown"),
        (
            ("sources", _("as sources")),
            ("translations", _("as sources, each with the text that the same system made of it")),
        ),
        _("Only with one text a screen. Identical texts of several systems are then judged apart."),
        initial="sources",
    )

    @property
    def shows_translations(self) -> bool:
        """Whether a text has beside it the outputs of the same system for the sources before its own."""
        return bool(self.context_before) and self.context_shows == "translations"

    @property
    def has_several_texts(self) -> bool:
        """Whether a screen has texts of several systems."""
        return self.side_by_side or self.params.get("layout") == "together"

    @property
    def judges_identical_apart(self) -> bool:
        """Whether identical texts of several systems are separate units, also where the task has them share one."""
        return self.shows_translations or self.shows_documents

    def problems(self, criteria: Sequence[Criterion]) -> Iterator[str]:
        """Yield a sentence where a screen has several texts, so that the texts before them have no clear system."""
        yield from super().problems(criteria)
        if self.shows_translations and self.has_several_texts:
            sentence = _(
                "Several texts are on a screen, so preceding texts of one system cannot be shown. Show sources."
            )
            yield ParameterProblem("context_shows", str(sentence))

    def units(self, items: Sequence[ItemTexts], rng: Random) -> Iterator[UnitDraft]:
        """Make one unit a distinct text; where texts stand with others of their system, none is that of two systems."""
        apart = self.judges_identical_apart
        # Units of a million texts share a few tuples.
        parts: dict[tuple[int, ...], tuple[tuple[int, ...]]] = {}
        for item in items:
            for group in [(n,) for n in range(len(item.outputs))] if apart else item.groups:
                first, of_unit = item.outputs[group[0]], parts.setdefault(group, (group,))
                yield UnitDraft(f"{item.unit_key}/{first.unit_key}", item.key, of_unit, item.document)


class SeveralTexts(TextType):
    """A type that shows several texts on a screen, each of them in every place equally often."""

    def arrange(self, n_parts: int, rng: Random) -> Iterator[dict[str, object]]:
        """Put every text in every place of the screen equally often, by random Latin squares."""
        for order in latin_orders(n_parts, rng):
            yield {"parts": list(order)}

    def units_of_screens(self, items: Sequence[ItemTexts], size: int | None, rng: Random) -> Iterator[UnitDraft]:
        """Make one unit a screen of distinct texts of an item; an item with one text only is left out."""
        shown = [item for item in items if len(item.groups) > 1]
        for key, item, on_screen in blocks.screens_of(shown, [item.groups for item in shown], size, rng):
            yield UnitDraft(key, item.key, tuple(map(tuple, on_screen)), item.document)


class SingleOrTogether(SeveralTexts):
    """A type that shows one text a screen, or all texts of an item side by side, as its parameter `layout` says.

    A member declares `layout` itself, where it belongs among its parameters: usually it is `LAYOUT`.
    """

    layout: OneOfField[str]

    def units(self, items: Sequence[ItemTexts], rng: Random) -> Iterator[UnitDraft]:
        """Make one unit a distinct text, or one an item with all its distinct texts."""
        if self.layout == "together":
            return (UnitDraft(item.unit_key, item.key, item.groups, item.document) for item in items if item.groups)
        return super().units(items, rng)
