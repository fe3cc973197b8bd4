"""Markdown of texts to be judged: rendered, safe, and leading nowhere."""

import re

import pytest
from django.template import Context, Template
from django.utils.translation import override

from tasks_app.task_types import TaskType, registry
from tasks_app.task_types.base import Screen
from tasks_app.texts.richtext import TAGS, judged_html

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![](https://example.org/pixel.png)",
    "![x](data:image/svg+xml,<svg onload=alert(1)>)",
    "[click](javascript:alert(1))",
    "[click](https://example.org/system-north)",
    "<https://example.org/>",
    '[a]: javascript:alert(1) "x"\n\n[a]',
    "<iframe src=//example.org></iframe>",
    "<style>*{display:none}</style>",
    "<form action=/r/x/><button>Send</button></form>",
    "```html\n</pre></div><script>alert(1)</script>\n```",
    '`<table>` &lt;table&gt; <table onclick="x">',
    "| <script> | `|` |\n|---|:-:|\n| a | <b onmouseover=x> |",
    "<!-- a comment --> <![CDATA[x]]> <?php x ?>",
    "&#x3c;script&#x3e;alert(1)&#x3c;/script&#x3e;",
    "[" * 2_000 + "]" * 2_000,
    "> " * 500 + "deep",
    "\x00\x01 \ufdd0",
)

# All that may stand in the page: our tags, and what we add around tables and code.
ALLOWED = re.compile(
    rf"</?(?:{'|'.join(sorted(TAGS))})>|<ol start=\"[0-9]+\">"
    r"|<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"(?:Table|Code)\">|</div>"
)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_markdown_gives_our_tags_and_nothing_else(text: str) -> None:
    html = judged_html(text)
    assert "<" not in ALLOWED.sub("", html)
    assert html.count("<div") == html.count("</div>")


def test_what_was_written_for_a_picture_stays_readable_and_a_link_keeps_its_words() -> None:
    assert judged_html("See ![the plan](https://example.org/a.png).") == "<p>See !<a>the plan</a>.</p>\n"
    assert judged_html("See [the plan](https://example.org/).") == "<p>See <a>the plan</a>.</p>\n"


def test_headings_stay_below_those_of_the_page_and_lists_keep_their_numbers() -> None:
    assert judged_html("# One\n\n###### Six") == "<h2>One</h2>\n<h4>Six</h4>\n"
    assert judged_html("3. three\n4. four") == '<ol start="3">\n<li>three</li>\n<li>four</li>\n</ol>\n'


def test_a_table_and_code_lie_in_a_box_that_scrolls_in_the_page_language() -> None:
    table = judged_html("| a |\n|---|\n| 1 |")
    assert table.startswith('<div class="scroll" role="group" tabindex="0" aria-label="Table"><table>')
    assert table.rstrip().endswith("</table></div>")
    with override("de"):
        assert judged_html("`x`") == "<p><code>x</code></p>\n"


def shown(member: type[TaskType], format: str) -> str:
    """Draw a text as a page does."""
    screen = Screen(member(), (), (), format=format)
    template = Template('{% include "components/_judged_text.html" with language="en" %}')
    return str(template.render(Context({"screen": screen, "text": "**x** <b>"})))


def test_only_markdown_is_rendered_and_never_where_characters_are_judged() -> None:
    assert "<strong>x</strong> &lt;b&gt;" in shown(registry["likert"], "markdown")
    assert "**x** &lt;b&gt;" in shown(registry["likert"], "text")
    assert "judged-code" in shown(registry["likert"], "code")
    for member in registry.values():
        assert ("<strong>x</strong>" in shown(member, "markdown")) is not member.plain_text
