"""What templates keep for many pages, and the hidden fields of forms."""

import pytest
from django import forms
from django.template import Context, Template
from django.utils import translation

from tasks_app.templatetags import fragments


@pytest.fixture(autouse=True)
def _empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fragments, "_kept", {})


def test_a_fragment_is_kept_for_its_values_and_the_language() -> None:
    template = Template("{% kept hello name %}{{ name }}: {{ words }}{% endkept %}")

    def shown(name: str, words: str) -> str:
        return str(template.render(Context({"name": name, "words": words})))

    assert shown("<a>", "one") == "&lt;a&gt;: one"
    assert shown("<a>", "two") == "&lt;a&gt;: one"
    assert shown("b", "two") == "b: two"
    with translation.override("de"):
        assert shown("b", "drei") == "b: drei"
    other = Template("{% kept other name %}{{ words }}{% endkept %}")
    assert other.render(Context({"name": "b", "words": "four"})) == "four"


def test_the_oldest_fragments_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fragments, "MOST_KEPT", 2)
    template = Template("{% kept hello n %}{{ words }}{% endkept %}")
    for n, words in ((1, "a"), (2, "b"), (3, "c"), (2, "new"), (1, "new")):
        template.render(Context({"n": n, "words": words}))
    assert list(fragments._kept.values()) == ["c", "new"]


class Form(forms.Form):
    shown = forms.CharField()
    token = forms.CharField(widget=forms.HiddenInput)
    number = forms.IntegerField(widget=forms.HiddenInput)
    empty = forms.IntegerField(widget=forms.HiddenInput)


HIDDEN = (
    '<input type="hidden" name="t2-token" value="&quot;&lt;b&gt;"><input type="hidden" name="t2-number" value="12345">'
    '<input type="hidden" name="t2-empty" value="">'
)


def test_hidden_fields_are_written_without_ids_and_in_no_language() -> None:
    form = Form(initial={"token": '"<b>', "number": 12345}, prefix="t2")
    template = Template("{% hidden_fields form %}")
    with translation.override("de"):
        assert template.render(Context({"form": form})) == HIDDEN
        assert template.render(Context({"form": list(form)})) == HIDDEN
    bound = Form({"t2-token": '"<b>', "t2-number": "12345"}, prefix="t2")
    assert template.render(Context({"form": bound})) == HIDDEN
    assert template.render(Context({"form": None})) == ""
