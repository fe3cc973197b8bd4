"""A study file while it is checked: its content, the place of every value, and the problems."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.utils.translation import gettext as _

from tasks_app.hooks import sections
from tasks_app.hooks.sections import Document, Json, Path
from tasks_app.settings.study import with_defaults
from tasks_app.settings.workload import Workload
from tasks_app.studyfile.explain import violations
from tasks_app.studyfile.files.decoding import Place
from tasks_app.studyfile.files.media import MediaFile
from tasks_app.studyfile.files.source import STUDY_YAML, Files, Upload
from tasks_app.studyfile.files.yaml_tree import Tree, read
from tasks_app.studyfile.problems import Problems, StudyFileError, closest
from tasks_app.studyfile.schema import whole_schema, written
from tasks_app.texts.findings import TextFinding


class StudyReading:
    """A study file as the checks of the sections see it; see `tasks_app.hooks.sections.Reading`."""

    def __init__(self, files: Files, tree: Tree | None = None) -> None:
        """Read study.yaml and compare it with the schema; problems are collected, not raised.

        `tree` is the content of study.yaml where it need not be read.
        """
        self.files = files
        self.problems = Problems()
        self.document: Document = {"evalweb": sections.FORMAT}
        self.notes: list[str] = list(files.notes)
        self.used: set[str] = {STUDY_YAML}
        # Findings about the items: their file, the place of each (item, system, variant) and of its file, the media
        # they name by hash with the place of each (item, column), whether units can be made of them, those units, and
        # numbers for the person who loads the study.
        self.items_file = "items.csv"
        self.output_places: dict[tuple[str, str, str], Place] = {}
        self.file_places: dict[tuple[str, str, str], Place] = {}
        self.media: dict[str, MediaFile] = {}
        self.media_places: dict[tuple[str, str], Place] = {}
        self.units_sound = False
        self.drafts: Any = None
        self.counts: dict[str, int] = {}
        # Units of the largest set of each task and of each of its sets, by its key; what a rater is given in all.
        self.set_sizes: dict[str, int] = {}
        self.booklets: dict[str, tuple[int, ...]] = {}
        self.workload: Workload | None = None
        self.text_findings: list[TextFinding] = []
        # Tables that are not read from the files, by their stems.
        self.tables: dict[str, Any] = {}
        # The sentences about each place in study.yaml.
        self.sentences: dict[Path, list[str]] = {}
        # Values with which a plan that cannot be drawn could be.
        self.nearest: dict[Path, Json] = {}
        # Whether nothing but drawing the plan found problems.
        self.lacks_only_a_plan = False
        self._reported: set[Path] = set()
        self._touched: set[Path] = set()
        self.tree = tree or self._read()
        if self.tree.data is None:
            self._mark(())
        else:
            for path, sentence, key in violations(self.tree.data, whole_schema()):
                self.problem(path, self._about_format(path) or sentence, key=key)

    def forget_places_of_outputs(self) -> None:
        """Free the places of the outputs once units are made of them: later checks report files of outputs only."""
        self.output_places = {}

    def forget_items(self) -> None:
        """Free the units and the places of the items, which take more memory than the items, once all is checked."""
        self.drafts, self.output_places, self.file_places = [], {}, {}

    def _read(self) -> Tree:
        """Parse study.yaml; a problem that keeps it from being read is reported."""
        if STUDY_YAML not in self.files.names:
            near = closest(STUDY_YAML, [name.rpartition("/")[2] for name in self.files.names])
            sentence = _("There is no study.yaml here. It describes the study; see docs/study-file.md.")
            if near is not None:
                sentence += " " + _("Is it %(name)s? Rename or move it.") % {"name": near}
            self.problems.add(self.files.label, 0, 0, sentence)
            return Tree(STUDY_YAML)
        content = self.read(STUDY_YAML)
        if content is None:
            return Tree(STUDY_YAML)
        if isinstance(self.files, Upload) and self.files.tree is not None:
            return self.files.tree_with(self.problems)
        return read(STUDY_YAML, content, self.problems)

    def read(self, name: str) -> bytes | None:
        """Return the content of a file; None where it cannot be read, which is then reported."""
        self.used.add(name)
        try:
            return self.files.read(name)
        except StudyFileError as refusal:
            for problem in refusal.problems:
                self.problems.add(problem.file, problem.line, problem.column, problem.message)
            return None

    def given(self, name: str) -> Json:
        """Return the part of study.yaml of that name as it stands there, or None."""
        return self.tree.data.get(name) if isinstance(self.tree.data, dict) else None

    def mapped_columns(self, stem: str) -> Mapping[str, str] | None:
        """Return the names that study.yaml gives to the columns of a table: the file's by ours; None for our own."""
        given = self.given("columns")
        mapped: Mapping[str, str] | None = given.get(stem) if isinstance(given, Mapping) else None
        return mapped

    def quoting(self, stem: str) -> str:
        """Return the setting of study.yaml for the quotation marks of a table; "" where there is none."""
        given = self.given("quoting")
        return str(given.get(stem, "")) if isinstance(given, Mapping) else ""

    def problem(self, path: Path, message: str, *, key: bool = False) -> None:
        """Report a problem with a value, or with the key in front of it."""
        place = self.tree.place(path, key=key)
        if place in self.tree.refused:
            # Another sentence would be about the 0 that stands for the number.
            self._mark(path)
            return
        self.sentences.setdefault(path, []).append(message)
        self.problems.add(STUDY_YAML, place.line, place.column, f"{name_of(path)}: {message}" if path else message)
        self._mark(path)

    def _mark(self, path: Path) -> None:
        self._reported.add(path)
        self._touched.update(path[:length] for length in range(len(path) + 1))

    def sound(self, path: Path) -> bool:
        """Return whether nothing was reported at that place, within it or around it."""
        around = (path[:length] for length in range(len(path)))
        return path not in self._touched and not any(outer in self._reported for outer in around)

    def note(self, message: str) -> None:
        """Tell the researcher something that stops nothing."""
        if message not in self.notes:
            self.notes.append(message)

    def clean(self, form: type[forms.Form], given: Json, path: Path) -> dict[str, Json]:
        """Return an object with every default filled in; bad values are reported and replaced by their defaults."""
        values = given if isinstance(given, Mapping) else {}
        fields = form.base_fields
        usable = {name: value for name, value in values.items() if name in fields and self.sound((*path, name))}
        bound = with_defaults(form, usable)
        for name, errors in bound.errors.items():
            place = path if name == NON_FIELD_ERRORS else (*path, name)
            # A field that was reported has its default here: an error about that would confuse.
            if name == NON_FIELD_ERRORS or self.sound(place):
                self.problem(place, " ".join(map(str, errors)))
        return written(form, bound.cleaned_data)

    def _about_format(self, path: Path) -> str | None:
        if path != ("evalweb",):
            return None
        given = self.given("evalweb")
        if isinstance(given, int) and given > sections.FORMAT:
            return _("This file is of format %(given)d; this installation reads format %(known)d. Update evalweb.") % {
                "given": given,
                "known": sections.FORMAT,
            }
        return _("The first line must be “evalweb: %(known)d”, the version of this format.") % {
            "known": sections.FORMAT
        }


def name_of(path: Path) -> str:
    """Write a path as people do: tasks[1].k."""
    name = ""
    for part in path:
        name += f"[{part}]" if isinstance(part, int) else f".{part}" if name else str(part)
    return name
