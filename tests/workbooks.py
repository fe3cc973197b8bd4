"""Workbooks for tests: the smallest .xlsx that holds given sheets, written by hand so that every cell is known."""

import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_HIDDEN = 'state="hidden"'
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_DAYS = '<cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs>'


@dataclass(frozen=True)
class Formula:
    """A formula and the value that the program saved with it; None where none was saved."""

    text: str
    value: str | None


@dataclass(frozen=True)
class Day:
    """A date, as the number of days since 30 December 1899 that a workbook stores."""

    number: float


@dataclass(frozen=True)
class Raw:
    """A text as it stands in the XML: what a workbook has written _x0008_ is a control character."""

    text: str


# Characters that XML cannot hold, or turns into others, and words that would be read as the code of one.
_WRITTEN = re.compile(r"[\x00-\x08\x0b-\x1f]|_(?=x[0-9A-Fa-f]{4}_)")


def in_workbook(text: str) -> str:
    """Return a text without U+FFFE and U+FFFF, which are no characters, and which no workbook can hold."""
    return text.replace("\ufffe", "").replace("\uffff", "")


def _coded(text: str) -> str:
    """Return a text as spreadsheet programs write it: characters that XML cannot hold by their codes (ECMA-376)."""
    return _WRITTEN.sub(lambda found: f"_x{ord(found[0]):04X}_", text)


Cell = str | Raw | int | float | bool | Formula | Day | None
Sheet = Sequence[Sequence[Cell]]


def workbook(
    sheets: Mapping[str, Sheet], merged: Sequence[str] = (), start: int = 1, hidden: Sequence[str] = ()
) -> bytes:
    """Return an .xlsx of these sheets; `merged` are ranges of the first one, `start` the row that each begins in."""
    names = list(sheets)
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{n}" {_HIDDEN if name in hidden else ""} r:id="rId{n}"/>'
        for n, name in enumerate(names, start=1)
    )
    relations = "".join(
        f'<Relationship Id="rId{n}" Type="{_RELATIONS}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in range(1, len(names) + 1)
    )
    styles = f'<Relationship Id="rId0" Type="{_RELATIONS}/styles" Target="styles.xml"/>'
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", f'<Types xmlns="{_TYPES}"/>')
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{_PACKAGE}"><Relationship Id="rId1" Type="{_RELATIONS}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/workbook.xml", f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets>{listed}</sheets></workbook>'
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{_PACKAGE}">{relations}{styles}</Relationships>'
        )
        archive.writestr("xl/styles.xml", f'<styleSheet xmlns="{_MAIN}">{_DAYS}</styleSheet>')
        for n, name in enumerate(names, start=1):
            archive.writestr(f"xl/worksheets/sheet{n}.xml", _sheet(sheets[name], merged if n == 1 else (), start))
    return target.getvalue()


def with_parts(content: bytes, **parts: str) -> bytes:
    """Return a workbook with some of its parts replaced: `sheet` and `strings` of an .xlsx, `content` of an .ods."""
    names = {"sheet": "xl/worksheets/sheet1.xml", "strings": "xl/sharedStrings.xml", "content": "content.xml"}
    replaced = {names[name]: part for name, part in parts.items()}
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in dict.fromkeys([*old.namelist(), *replaced]):
            part = replaced.get(name) or old.read(name).decode()
            if "strings" in parts and name == "xl/_rels/workbook.xml.rels":
                relation = f'<Relationship Id="rId99" Type="{_RELATIONS}/sharedStrings" Target="sharedStrings.xml"/>'
                part = part.replace("</Relationships>", f"{relation}</Relationships>")
            new.writestr(name, part)
    return target.getvalue()


def sheet_of(rows: str, prefix: str = "") -> str:
    """Return the XML of a sheet with these rows, whose elements may have a prefix."""
    name = f"{prefix}:" if prefix else ""
    declared = f"xmlns:{prefix}" if prefix else "xmlns"
    return f'<{name}worksheet {declared}="{_MAIN}"><{name}sheetData>{rows}</{name}sheetData></{name}worksheet>'


def strings_of(*texts: str) -> str:
    """Return the XML of the texts that cells share."""
    return f'<sst xmlns="{_MAIN}">{"".join(f"<si><t>{text}</t></si>" for text in texts)}</sst>'


def open_document(rows: str) -> bytes:
    """Return an .ods whose only sheet has these rows, as XML with the usual prefixes."""
    target = io.BytesIO()
    urn = "urn:oasis:names:tc:opendocument:xmlns"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        kind = "application/vnd.oasis.opendocument.spreadsheet"
        archive.writestr("mimetype", kind)
        archive.writestr("META-INF/manifest.xml", f'<m:manifest xmlns:m="{urn}:manifest:1.0"/>')
        archive.writestr(
            "content.xml",
            f'<office:document-content xmlns:office="{urn}:office:1.0" xmlns:table="{urn}:table:1.0" '
            f'xmlns:text="{urn}:text:1.0"><office:body><office:spreadsheet><table:table table:name="A">{rows}'
            "</table:table></office:spreadsheet></office:body></office:document-content>",
        )
    return target.getvalue()


def _sheet(rows: Sheet, merged: Sequence[str], start: int) -> str:
    lines = "".join(
        f'<row r="{number}">{"".join(_cell(cell, number, column) for column, cell in enumerate(row))}</row>'
        for number, row in enumerate(rows, start=start)
    )
    cells = "".join(f'<mergeCell ref="{name}"/>' for name in merged)
    ranges = f'<mergeCells count="{len(merged)}">{cells}</mergeCells>' if merged else ""
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{lines}</sheetData>{ranges}</worksheet>'


def _cell(cell: Cell, row: int, column: int) -> str:
    place = f'r="{chr(ord("A") + column)}{row}"'
    match cell:
        case None:
            return ""
        case bool():
            return f'<c {place} t="b"><v>{int(cell)}</v></c>'
        case str() | Raw():
            text = cell.text if isinstance(cell, Raw) else _coded(cell)
            return f'<c {place} t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'
        case Formula(text=text, value=value):
            saved = "" if value is None else f"<v>{escape(value)}</v>"
            return f'<c {place} t="str"><f>{escape(text)}</f>{saved}</c>'
        case Day():
            return f'<c {place} s="1"><v>{cell.number}</v></c>'
        case _:
            return f"<c {place}><v>{cell}</v></c>"
