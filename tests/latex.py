"""Reading tables in LaTeX back: what each cell prints, and whether everything that is opened is closed."""

import re

from analytics_app.exports.latex import SIGNS

_PRINTS = {written: sign for sign, written in SIGNS.items()} | {"{}": "", "~": "\u00a0", r"\,": "\u202f"}
_WRITTEN = re.compile("|".join(re.escape(one) for one in sorted(_PRINTS, key=len, reverse=True)))


def rows_of(source: str) -> list[list[str]]:
    """Return the printed cells of a table, heads first."""
    body = source.partition(r"\toprule")[2].partition(r"\bottomrule")[0]
    lines = [line.strip() for line in body.splitlines() if line.strip() not in {"", r"\midrule"}]
    assert all(line.endswith(r" \\") for line in lines), lines
    return [[printed(cell) for cell in re.split(r"(?<!\\)&", line.removesuffix(r"\\"))] for line in lines]


def printed(cell: str) -> str:
    """Return the words that LaTeX prints for a cell."""
    text = cell.strip(" ")
    strong = re.fullmatch(r"\\textbf\{(.*)\}|\{([\[*].*)\}", text)
    text = next(part for part in strong.groups() if part is not None) if strong else text
    return _WRITTEN.sub(lambda written: _PRINTS[written[0]], text)


def check(source: str) -> None:
    """Check that braces, environments and mathematics are closed, and that no sign is left to be misread."""
    body = "\n".join(line for line in source.splitlines() if not line.startswith("%"))
    plain = re.sub(r"\\textbackslash\{\}|\\[{}$&#%_]", "", body)
    assert plain.count("{") == plain.count("}")
    assert plain.count("$") % 2 == 0
    assert not set('#%_^<>|"').intersection(re.sub(r"\$\^[23]\$", "", re.sub(r"\\label\{[^}]*\}", "", plain)))
    opened: list[str] = []
    for verb, name in re.findall(r"\\(begin|end)\{(\w+)\}", body):
        if verb == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert not opened
    known = {"begin", "end", "centering", "caption", "label", "toprule", "midrule", "bottomrule", "textbf", "par"}
    known |= {"medskip", "footnotesize", "linewidth"} | set(re.findall(r"\\([A-Za-z]+)", " ".join(SIGNS.values())))
    assert set(re.findall(r"\\([A-Za-z]+)", plain)) <= known
    columns = len(re.search(r"\\begin\{tabular\}\{([lr]+)\}", body)[1])  # type: ignore[index]
    assert {len(row) for row in rows_of(source)} == {columns}
