"""The sections that describe a study, its course, and its consent texts."""

import zoneinfo
from collections.abc import Mapping
from functools import cache

from django.utils.translation import gettext as _

from tasks_app import channels
from tasks_app.hooks.sections import Json, Section
from tasks_app.models import ConsentText, Study
from tasks_app.models.study import new_seed
from tasks_app.selectors.acceptance import NotACondition, conditions_in
from tasks_app.services.study import drafts
from tasks_app.settings.study import BLOCKS, LINK_ALONE
from tasks_app.studyfile.declarations import StudyBlock
from tasks_app.studyfile.fields import LANGUAGE_PATTERN, is_language, not_a_language
from tasks_app.studyfile.files.yaml_text import KEPT
from tasks_app.studyfile.problems import nearest
from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.schema import form_schema, plain
from tasks_app.texts.plaintext import problem_in


@cache
def time_zones() -> frozenset[str]:
    """Return the names of all time zones of this machine."""
    return frozenset(zoneinfo.available_timezones())


class StudySection(Section):
    """The names, languages and other basic settings of the study."""

    name = "study"

    def schema(self) -> Mapping[str, Json]:
        return form_schema(StudyBlock)

    def check(self, reading: StudyReading) -> Json:
        """Check the basic settings; a seed is drawn where none is given, so that the document is complete."""
        values = reading.clean(StudyBlock, reading.given("study"), ("study",))
        if values["slug"] in drafts.RESERVED_SLUGS:
            sentence = _("“%(slug)s” is an address of evalweb itself. Choose another.")
            reading.problem(("study", "slug"), sentence % {"slug": values["slug"]})
        zone = ("study", "timezone")
        if reading.sound(zone) and values["timezone"] not in time_zones():
            sentence = _("There is no time zone “%(name)s”.") % {"name": values["timezone"]}
            reading.problem(zone, f"{sentence} {nearest(values['timezone'], time_zones())}".rstrip())
        if values["seed"] is None:
            values["seed"] = new_seed()
        return values

    def export(self, study: Study) -> Json:
        return {name: getattr(study, name) for name in StudyBlock.base_fields}


class SettingsSection(Section):
    """A block of settings, written with every default filled in."""

    def __init__(self, name: str) -> None:
        self.name = name

    def schema(self) -> Mapping[str, Json]:
        return form_schema(BLOCKS[self.name].Settings)

    def check(self, reading: StudyReading) -> Json:
        return reading.clean(BLOCKS[self.name].Settings, reading.given(self.name), (self.name,))

    def export(self, study: Study) -> Json:
        values = BLOCKS[self.name](study.settings.get(self.name, {}))
        return {key: plain(value) for key, value in vars(values).items()}

    def store(self, study: Study, values: Json) -> None:
        drafts.set_settings(study=study, block=self.name, values=values)


class AcceptanceSection(SettingsSection):
    """The conditions for accepting texts that raters wrote in another study; they name questions of this study."""

    after = ("criteria", "tasks")

    def check(self, reading: StudyReading) -> Json:
        """Refuse conditions that cannot be read, and those on questions or answers that the study does not have."""
        values = super().check(reading)
        path = ("acceptance", "answers")
        if not (reading.sound(path) and reading.sound(("criteria",)) and reading.sound(("tasks",))):
            return values
        labels_of = {row["key"]: tuple(row.get("labels") or ()) for row in reading.document["criteria"]}
        try:
            conditions = list(conditions_in(values["answers"]))
        except NotACondition as problem:
            reading.problem(path, str(problem))
            return values
        for condition in conditions:
            if condition.criterion not in labels_of:
                sentence = _("There is no question “%(name)s”.") % {"name": condition.criterion}
                reading.problem(path, f"{sentence} {nearest(condition.criterion, labels_of)}".rstrip())
                continue
            labels = labels_of[condition.criterion]
            for answer in condition.answers if labels and condition.sign == "=" else ():
                if answer not in labels and not answer.isdecimal():
                    sentence = _("“%(name)s” has no answer “%(answer)s”.") % {
                        "name": condition.criterion,
                        "answer": answer,
                    }
                    reading.problem(path, f"{sentence} {nearest(answer, labels)}".rstrip())
        return values


class ChannelsSection(SettingsSection):
    """The origin of raters: the channels that are open, each with parameters of its own."""

    def schema(self) -> dict[str, Json]:
        members = {
            name: {**form_schema(channel.Settings), "title": str(channel.label), KEPT: True}
            for name, channel in channels.registry.items()
        }
        return {
            "type": "object",
            "description": "Where raters come from: the channels that are open, each with its parameters or {}.",
            "properties": members,
            "additionalProperties": False,
            "default": {"link": {}},
        }

    def check(self, reading: StudyReading) -> Json:
        """Check the open channels and their parameters; without this section, only the link is open."""
        given = reading.given("channels")
        if given is None:
            given = {name: dict(params) for name, params in LINK_ALONE.items()}
        named = [name for name in channels.registry if isinstance(given, dict) and name in given]
        if not named and reading.sound(("channels",)):
            reading.problem(
                ("channels",),
                _("No channel is open, so no rater can take part. Open at least one, such as the link (link: {})."),
            )
        return {
            name: reading.clean(channels.registry[name].Settings, given[name], ("channels", name)) for name in named
        }

    def export(self, study: Study) -> Json:
        opened = study.options.channels
        return {
            name: {key: plain(value) for key, value in channels.registry[name].Settings.read(opened[name]).items()}
            for name in channels.registry
            if name in opened
        }


class ConsentSection(Section):
    """The consent texts that raters agree to."""

    name = "consent"
    after = ("study",)

    def schema(self) -> dict[str, Json]:
        return {
            "type": ["string", "object"],
            "propertyNames": {"pattern": LANGUAGE_PATTERN},
            "additionalProperties": {"type": "string"},
            "description": "What raters agree to, in Markdown: one text, or one text a language.",
        }

    def check(self, reading: StudyReading) -> Json:
        given, own = reading.given("consent"), reading.document["study"]["language"]
        if isinstance(given, str):
            given = {own: given}
        texts: dict[str, str] = {}
        for language, body in given.items() if isinstance(given, dict) else ():
            path = ("consent", language)
            if not is_language(language):
                reading.problem(path, str(not_a_language), key=True)
            elif isinstance(body, str) and (fault := problem_in(body)):
                reading.problem(path, fault)
            elif isinstance(body, str) and body.strip():
                texts[language] = body.strip()
        if texts and own not in texts and reading.sound(("consent",)) and reading.sound(("study", "language")):
            sentence = _("There is no text in the study's own language (%(language)s), which everybody can be shown.")
            reading.problem(("consent",), sentence % {"language": own})
        # Nobody is asked where ratings come from elsewhere; Review says what is missing if the study is to be opened.
        is_imported = reading.document["flow"].get("imported")
        if not texts and reading.sound(("consent",)) and not is_imported:
            reading.note(_("There is no consent text. Raters must be told what they agree to before the study opens."))
        return texts

    def export(self, study: Study) -> Json:
        """Return the newest consent texts by language."""
        texts: dict[int, dict[str, str]] = {}
        for row in ConsentText.objects.filter(study=study).order_by("language"):
            texts.setdefault(row.version, {})[row.language] = row.body
        return texts[max(texts)] if texts else {}

    def store(self, study: Study, texts: Json) -> None:
        drafts.store_consent(study=study, texts=texts)

    def erase(self, study: Study) -> None:
        drafts.erase_consent(study=study)


_BLOCK_SECTIONS = (AcceptanceSection(name) if name == "acceptance" else SettingsSection(name) for name in BLOCKS)
SECTIONS = (StudySection(), *_BLOCK_SECTIONS, ChannelsSection("channels"), ConsentSection())
