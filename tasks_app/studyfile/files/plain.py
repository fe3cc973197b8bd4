"""Look through files that people upload beside tables, in a process of its own (see `tasks_app.uploads.limited`)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import IO, Any

from django.utils.translation import gettext as _

from tasks_app.studyfile.files import captions, yaml_tree
from tasks_app.studyfile.files.archive import Archive
from tasks_app.studyfile.files.media import MediaFile, accept, column_of, sniff
from tasks_app.studyfile.files.yaml_tree import Tree
from tasks_app.studyfile.problems import Problem, Problems, StudyFileError
from tasks_app.uploads.cleaning import Finding

# Most problems of study.yaml that are handed on; whoever has more begins with these.
_REPORTED = 1_000


@dataclass(frozen=True, slots=True)
class Identified:
    """An uploaded picture, sound, video or captions; else the reason why it can be none. `faults` are of its lines."""

    media: MediaFile | None
    sentence: str
    faults: tuple[tuple[int, str], ...] = ()


# What a result that identifies media may hold.
IDENTIFIED = (Identified, MediaFile, Finding)


@dataclass(frozen=True, slots=True)
class Unpacked:
    """The files of a zip by their names, each with its start and length, or the fault that makes it unusable.

    `media` has the pictures, sounds, films and captions among them, and `cleaned` where each of them stands without
    metadata. `tree` is the content of the YAML file that was asked for, with its problems; None where there is none.
    """

    files: dict[str, tuple[int, int]]
    faults: dict[str, tuple[Problem, ...]]
    media: dict[str, Identified]
    cleaned: dict[str, tuple[int, int]]
    notes: tuple[str, ...]
    tree: Tree | None
    reported: tuple[tuple[str, int, int, str], ...]


class _Reported(Problems):
    """Problems in the order in which they were reported, to be reported again elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.added: list[tuple[str, int, int, str]] = []

    def add(self, file: str, line: int, column: int, message: object) -> None:
        super().add(file, line, column, message)
        if len(self.added) < _REPORTED:
            self.added.append((file, line, column, str(message)))


def unpack(source: IO[bytes], target: IO[bytes], *, name: str, yaml: str) -> Unpacked:
    """Write the files of a zip one behind the other, and read the YAML file among them. Raises StudyFileError."""
    files: dict[str, tuple[int, int]] = {}
    faults: dict[str, tuple[Problem, ...]] = {}
    media: dict[str, Identified] = {}
    cleaned: dict[str, tuple[int, int]] = {}
    tree, problems = None, _Reported()
    with Archive(source, name) as archive:
        for member in archive.names:
            begin = target.tell()
            try:
                content = archive.read(member)
            except StudyFileError as error:
                faults[member] = error.problems
                continue
            target.write(content)
            files[member] = (begin, len(content))
            if member != yaml and sniff(content) is not None:
                begin = target.tell()
                media[member] = _identified(member, content, target)
                cleaned[member] = (begin, target.tell() - begin)
            if member == yaml:
                try:
                    tree = yaml_tree.read(yaml, content, problems)
                except StudyFileError as error:
                    faults[member] = error.problems
        return Unpacked(files, faults, media, cleaned, tuple(archive.notes), tree, tuple(problems.added))


def media(source: IO[bytes], target: IO[bytes], *, name: str) -> Identified:
    """Identify a file that raters are to be shown, and write it without metadata into the target."""
    return _identified(name, source.read(), target)


def _identified(name: str, content: bytes, target: IO[bytes]) -> Identified:
    """Identify a file by its content, and write it without metadata where it can be shown."""
    file, cleaned, sentence = accept(name, content, column_of(sniff(content) or ""))
    if file is None or cleaned is None:
        return Identified(None, sentence)
    target.write(cleaned.content)
    return Identified(file, "", tuple(captions.faults_of(content)) if file.kind == captions.KIND else ())


def json_object(source: IO[bytes], _target: None, *, name: str, values: int) -> dict[str, Any]:
    """Return the object that a small JSON file holds.

    Raises
    ------
    StudyFileError
        Where it is something else, with its place, or holds more than so many values.
    """

    def refusal(sentence: str, line: int = 0, column: int = 0) -> StudyFileError:
        return StudyFileError([Problem(name, line, column, sentence)])

    try:
        text = source.read().decode("utf-8-sig")
        if sum(map(text.count, "[{,")) > values:
            raise refusal(
                _("The file holds more than %(n)s values, so it is not a file of this kind.") % {"n": f"{values:,}"}
            )
        document = json.loads(text)
    except UnicodeDecodeError:
        raise refusal(_("The file is not UTF-8 text. Save it from the public form as JSON.")) from None
    except json.JSONDecodeError as error:
        raise refusal(_("not JSON (%(reason)s).") % {"reason": error.msg}, error.lineno, error.colno) from None
    except RecursionError:
        raise refusal(_("The file is nested too deeply, so it is not a datasheet.")) from None
    except ValueError:  # a whole number of thousands of digits
        raise refusal(_("A number in the file is too long, so it is not a datasheet.")) from None
    if not isinstance(document, dict):
        raise refusal(_("The file must be a JSON object with a field for each question."))
    return document
