"""The set-up of a study that was opened, to be read only: made of the study file that opening froze."""

from tasks_app.hooks import sections
from tasks_app.models import Setup, Study, Version
from tasks_app.services.database import atomically
from tasks_app.setup import changes
from tasks_app.studyfile.columns import TABLES
from tasks_app.studyfile.files.yaml_text import given_of


def setup_of(study: Study) -> Setup:
    """Return the set-up of a study: of a draft as it is filled in, of an opened study as it was frozen."""
    if not study.is_frozen:
        return changes.begin(study)
    return frozen_setup(current_version(study))


def current_version(study: Study) -> Version:
    """Return the version that an opened study collects ratings for; its document is read only where it is used."""
    version = Version.objects.defer("document").select_related("by").get(study=study, number=study.current_version)
    version.study = study
    return version


def frozen_setup(version: Version) -> Setup:
    """Return the set-up that shows a frozen version; it is made from the study file when it is first read."""
    setup = Setup.objects.filter(study=version.study_id, version=version.number).first() or _make(version)
    setup.study = version.study
    return setup


@atomically
def _make(version: Version) -> Setup:
    """Replace the draft's content of the form by the frozen study file.

    The draft's rows may say the same in other words, such as defaults that nobody typed.
    """
    Setup.objects.get_or_create(study_id=version.study_id)
    setup = Setup.objects.select_for_update().get(study=version.study_id)
    if setup.version == version.number:
        return setup
    document = version.document
    # A section that an app has added since the study was opened is no part of the frozen document.
    parts = [section for section in sections.registered() if section.name in document]
    setup.given, setup.version, setup.stored_revision = given_of(document, parts), version.number, setup.revision
    setup.rows.filter(table__in=[table.stem for table in TABLES]).delete()
    changes.write_tables(setup, document)
    setup.save(update_fields=["given", "version", "stored_revision"])
    return setup
