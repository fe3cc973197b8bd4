"""Tables as LaTeX, Markdown and CSV: names of every kind come through, and numbers unrounded."""

import csv
import io

import pytest
from markdown_it import MarkdownIt

from analytics_app.exports import latex, markdown, tables
from analytics_app.show import cells
from analytics_app.show.cells import Cell
from analytics_app.show.table import Column, Table, with_keys
from tests import latex as reading
from tests.analytics_app.views.reading import tables as html_tables

HOSTILE = [
    "%_&#{}$~^\\|<script>alert(1)</script>",
    r"\input{/etc/passwd}",
    "a--b ''c'' ,,d,, `e`",
    "*strong* _soft_ [link](http://x) ![x](y) &amp; <!-- -->",
    "[0pt] starts like an argument",
    "* starts like a star",
    "نظام الترجمة",
    "日本語の要約",
    "party 🎉 and 👩‍💻",
    "κ of Ελληνικά",
    "−0.5 – 0.7 … “so” ‘so’",
    "1. not a list",
    "- not a list",
    "=SUM(A1)",
    "@everyone",
]


def made(*names: str) -> Table:
    """Make a table with a line a name."""
    columns = [Column("System & co", number=False), Column("Mean_z"), Column("Interval"), Column("Share"), Column("p")]
    rows = [
        [
            cells.name(name),
            cells.number(-1.23456),
            cells.interval(-2.000001, 0.5),
            cells.percent(0.123456),
            cells.p_value(0.0000123, 0.05),
        ]
        for name in names
    ]
    return Table("Systems", columns, rows, [*names])


def written(table: Table, format: tables.Format) -> str:
    return tables.write(table, format=format, title="50 % of {x}", label="tab:a", origin="Study a,\nrun 1 -->\n% b")


@pytest.mark.parametrize("name", HOSTILE)
def test_names_come_through(name: str) -> None:
    table = made(name, "plain")
    source = written(table, "tex")
    reading.check(source)
    assert reading.rows_of(source)[1][0] == name
    rendered = MarkdownIt("commonmark", {"html": False}).enable("table").render(written(table, "md"))
    assert html_tables(rendered)[0][1][1][0] == " ".join(name.split())
    assert rendered.count("<li>") == 2
    assert rendered.count("<table>") == 1
    line = list(csv.reader(io.StringIO(written(table, "csv"))))[1]
    assert line[0] == (f"'{name}" if name[0] in "=@-" else name)


def test_lines_and_control_characters_stay_out() -> None:
    name = "two\nlines\r\n\u2028and\tmore\u202eback\x07"
    assert latex.escaped(name) == "two lines and moreback"
    assert "\n" not in markdown.escaped(name)
    source = written(made(name), "tex")
    assert source.splitlines()[0] == r"% Study a, run 1 --> % b"
    assert written(made(name), "md").count("-->") == 1


def test_latex_is_a_float_with_rules_caption_label_and_notes() -> None:
    source = written(made("a"), "tex")
    for part in (
        r"\caption{50 \% of \{x\}}",
        r"\label{tab:a}",
        r"\begin{tabular}{lrrrr}",
        r"    System \& co & Mean\_z & Interval & Share & p \\",
        r"    a & $-$1.23 & $-$2.00 to 0.50 & 12~\% & \textbf{\textless{} 0.001} \\",
        r"\footnotesize",
        r"    a\par",
    ):
        assert part in source
    assert "XeLaTeX" not in source
    assert "XeLaTeX" in written(made("نظام"), "tex")


def test_csv_has_unrounded_numbers_and_both_ends_of_an_interval() -> None:
    heads, line = csv.reader(io.StringIO(written(made("a"), "csv")))
    assert heads == ["System & co", "Mean_z", "Interval, lower end", "Interval, upper end", "Share", "p"]
    assert line == ["a", "-1.23456", "-2.000001", "0.5", "0.123456", "1.23e-05"]


def test_an_undefined_number_is_a_dash_and_in_csv_empty() -> None:
    table = Table("T", [Column("A"), Column("B")], [[cells.interval(1.0, 2.0), Cell("x")], [Cell("–"), Cell("–")]])
    assert list(csv.reader(io.StringIO(written(table, "csv"))))[2] == ["", "", ""]
    assert reading.rows_of(written(table, "tex"))[2] == ["–", "–"]


def test_keys_come_from_captions() -> None:
    keyed = with_keys([Table(caption, [], []) for caption in ("Pairs of systems", "Systems", "Systems", "…")])
    assert [table.key for table in keyed] == ["pairs-of-systems", "systems", "systems-2", "table"]
