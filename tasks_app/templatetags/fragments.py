"""Template tags that keep fragments alike on many pages, and write the fields of forms, without the cost of a template.

They are built in: no template loads them.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from django import forms, template
from django.template.base import FilterExpression, NodeList, Parser, Token
from django.template.context import Context
from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

register = template.Library()

# The HTML that was kept last, oldest first: some 15 MiB of a process, if all of it were questions.
MOST_KEPT = 10_000
_kept: dict[tuple[object, ...], str] = {}


def _keep(key: tuple[object, ...], html: str) -> str:
    """Keep a fragment. Threads may make the same fragment twice; both are alike."""
    while len(_kept) >= MOST_KEPT:
        _kept.pop(next(iter(_kept)), None)
    _kept[key] = html
    return html


class KeptNode(template.Node):
    """HTML that is kept for a language of pages and some values."""

    def __init__(self, nodelist: NodeList, name: str, values: Sequence[FilterExpression]) -> None:
        self.nodelist, self.name, self.values = nodelist, name, values

    def render(self, context: Context) -> SafeString:
        """Return the kept HTML, or make it."""
        key = (self.name, get_language(), *(value.resolve(context) for value in self.values))
        return mark_safe(_kept.get(key) or _keep(key, self.nodelist.render(context)))  # noqa: S308  rendered HTML


@register.tag
def kept(parser: Parser, token: Token) -> KeptNode:
    """Keep HTML in this process: `{% kept name value … %}…{% endkept %}`.

    It has to follow from the values alone, which can be hashed, and from the language of pages.
    """
    _tag, name, *values = token.split_contents()
    nodelist = parser.parse(("endkept",))
    parser.delete_first_token()
    return KeptNode(nodelist, name, [parser.compile_filter(value) for value in values])


class Cell(Protocol):
    """A question on a screen; `fresh_key` stands for its HTML, and is empty where there is an answer to show."""

    @property
    def fresh_key(self) -> str:
        """The key of the HTML."""


class QuestionsNode(template.Node):
    """Questions, one after the other. Unanswered ones look alike on every screen and are kept."""

    def __init__(self, cells: FilterExpression) -> None:
        self.cells = cells

    def render(self, context: Context) -> SafeString:
        """Return the HTML of all questions."""
        cells: Iterable[Cell] = self.cells.resolve(context)
        return mark_safe("".join([self._question(cell, context) for cell in cells]))  # noqa: S308  rendered HTML

    def _question(self, cell: Cell, context: Context) -> str:
        # In the table of a document a question has a short name.
        key = ("question", cell.fresh_key, bool(context.get("in_document")))
        if cell.fresh_key and key in _kept:
            return _kept[key]
        with context.push(cell=cell):
            name = context["question_template"]
            html: str = context.template.engine.get_template(name).render(context)  # type: ignore[union-attr]
        return _keep(key, html) if cell.fresh_key else html


@register.tag
def questions(parser: Parser, token: Token) -> QuestionsNode:
    """Show questions by `question_template`: `{% questions cells %}`."""
    _tag, cells = token.split_contents()
    return QuestionsNode(parser.compile_filter(cells))


@register.simple_tag
def hidden_fields(form: forms.BaseForm | Iterable[forms.BoundField] | None) -> SafeString:
    """Return the hidden fields of a form, or of some bound fields; nothing where a page has no form.

    They have no ids, since a page may hold several forms with a token.
    """
    if isinstance(form, forms.BaseForm):
        fields = [form[name] for name, field in form.fields.items() if field.widget.is_hidden]
    else:
        fields = [bound for bound in form or () if bound.is_hidden]
    pairs = ((bound.html_name, _as_sent(bound.value())) for bound in fields)
    return format_html_join("", '<input type="hidden" name="{}" value="{}">', pairs)


def _as_sent(value: Any) -> str:
    """Return a value as it is sent with a form, in every language of the page."""
    return "" if value is None else str(value)
