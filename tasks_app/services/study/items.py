"""Store the material of a study: systems, documents, items, media and outputs."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import ProtectedError, QuerySet

from tasks_app.models import (
    Document,
    Gold,
    Item,
    ItemMedia,
    Media,
    Output,
    Part,
    PartOutput,
    Prefill,
    Study,
    System,
    Unit,
)
from tasks_app.services.copying import copy_rows, new_ids
from tasks_app.services.database import atomically, expect_many_rows
from tasks_app.services.study import cleaned
from tasks_app.services.study.drafts import refuse_frozen, tried_out
from tasks_app.texts import plaintext
from tasks_app.uploads.cleaning import Cleaned

# Rows an INSERT; more does not make it faster, and the statement stays below some megabytes.
BATCH = 2000

# Fields that an item's JSON and its row have in common; the last two are JSON in the row as well.
_PLAIN, _JSON = ("key", "position", "source", "reference", "source_language", "format"), ("options", "features")
ITEM_COLUMNS = (*_PLAIN, *_JSON)

# The content of an output with its place, as queries name the columns; the last three describe its file.
OUTPUT_CONTENT = (
    "item_id", "system__key", "variant", "text", "language", "highlights",
    "media__sha256", "media__kind", "captions__sha256",
)  # fmt: skip


# What a row says of a file besides its study and hash.
_ABOUT_A_FILE = ("kind", "bytes", "file", "clean_file", "clean_bytes", "removed", "refusal")


@atomically
def store_systems(*, study: Study, systems: Sequence[Mapping[str, Any]]) -> None:
    """Store systems in their order. Raises NotADraft."""
    refuse_frozen(study)
    System.objects.bulk_create(
        (
            System(
                study=study,
                key=system["key"],
                name=system["name"],
                kind=system["kind"],
                attributes=system.get("attributes", {}),
            )
            for system in systems
        ),
        BATCH,
    )


@atomically
def store_media(*, study: Study, sha256: str, kind: str, content: bytes) -> list[str]:
    """Keep a file in private storage under the hash of its content, with the copy for raters; store a repeat once.

    The hash may be that of the file without metadata, which is then all that is kept. Returns the names of the files
    written, for `remove_files` should the caller's transaction fail. Raises NotADraft.
    """
    refuse_frozen(study)
    # Each study has a copy of its own: erasing one study then never asks which others still need a file.
    name = f"studies/{study.pk}/{sha256}"
    is_there = default_storage.exists(name)
    if is_there and Media.objects.exclude(clean_file="").filter(study=study, sha256=sha256).exists():
        return []
    result, reason = cleaned.cleaned_or_reason(content, kind)
    if result is not None and cleaned.digest_of(result.content) == sha256:
        content, result = result.content, Cleaned(result.content)
    written = [] if is_there else [default_storage.save(name, ContentFile(content))]
    file, copy = (written[0] if written else name), ""
    if result is not None and result.content != content:
        copy, is_new = cleaned.save_copy(name, result.content)
        written += [copy] if is_new else []
    about = {"kind": kind, "bytes": len(content), "file": file}
    try:
        Media.objects.update_or_create(
            study=study, sha256=sha256, defaults=about | cleaned.columns_of(result, reason, file, copy)
        )
    except BaseException:
        # The caller has not heard of these yet.
        remove_files(written)
        raise
    return written


def files_of(media: QuerySet[Media]) -> list[str]:
    """Return the names of files and of their cleaned copies, each once."""
    pairs = media.values_list("file", "clean_file")
    return list(dict.fromkeys(name for pair in pairs for name in pair if name))


def keep_media(*, study: Study, media: Iterable[Media]) -> None:
    """Keep files that were uploaded, and that no item names yet, where a draft was emptied in this transaction."""
    for row in media:
        Media.objects.get_or_create(
            study=study,
            sha256=row.sha256,
            defaults={name: getattr(row, name) for name in _ABOUT_A_FILE},
        )


def remove_files(names: Iterable[str]) -> None:
    """Delete files that no row names."""
    for name in names:
        default_storage.delete(name)


@atomically
def store_items(*, study: Study, items: Sequence[Mapping[str, Any]]) -> None:
    """Store items with their documents, media and outputs; systems and media must be there. Raises NotADraft."""
    refuse_frozen(study)
    expect_many_rows()
    since = study.next_version
    keys = dict.fromkeys(item["document"] for item in items if item["document"])
    documents = {
        row.key: row.pk for row in Document.objects.bulk_create((Document(study=study, key=key) for key in keys), BATCH)
    }
    item_ids = new_ids(Item, len(items))
    copy_rows(
        Item,
        ("id", "study_id", "since", "document_id", *ITEM_COLUMNS, "highlights"),
        (
            (
                pk, study.pk, since, documents.get(item["document"]),
                *(item[name] for name in _PLAIN),
                *(json.dumps(item[name]) for name in _JSON),
                json.dumps(item.get("highlights", {})),
            )
            for pk, item in zip(item_ids, items, strict=True)
        ),
    )  # fmt: skip
    media = dict(Media.objects.filter(study=study).values_list("sha256", "id"))
    copy_rows(Output, _OUTPUT_COLUMNS, _output_rows(study, item_ids, items, media))
    _show_media(media, zip(item_ids, items, strict=True))


_OUTPUT_COLUMNS = (
    "item_id", "system_id", "since", "variant", "text", "language", "highlights", "kind", "media_id", "captions_id",
    "digest",
)  # fmt: skip


def _output_rows(
    study: Study, item_ids: Sequence[int], items: Sequence[Mapping[str, Any]], media: Mapping[str, int]
) -> Iterator[Iterable[object]]:
    """Yield the columns of all outputs, in the order of their items."""
    systems, since = dict(System.objects.filter(study=study).values_list("key", "id")), study.next_version
    for pk, item in zip(item_ids, items, strict=True):
        for output in item["outputs"]:
            yield (
                pk, systems[output["system"]], since, output["variant"], output["text"], output["language"],
                json.dumps(output.get("highlights", [])), *_shown(output, media),
            )  # fmt: skip


def _shown(output: Mapping[str, Any], media: Mapping[str, int]) -> tuple[str, int | None, int | None, str]:
    """Return the content of an output that raters see: its kind, its files, and the digest of these or of its text."""
    file = output.get("file")
    if file is None:
        return Output.Kind.TEXT.value, None, None, plaintext.digest(output["text"], output.get("highlights"))
    sha256 = [file["sha256"], *filter(None, [file.get("captions")])]
    return (
        file["kind"].partition("/")[0],
        media[file["sha256"]],
        media[file["captions"]] if "captions" in file else None,
        plaintext.digest_of_files(*sha256),
    )


def _show_media(media: Mapping[str, int], pairs: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
    rows_shown: list[ItemMedia] = []
    for pk, item in pairs:
        counts: dict[str, int] = {}
        for context in item["context"]:
            role = context["role"]
            counts[role] = counts.get(role, 0) + 1
            rows_shown.append(ItemMedia(item_id=pk, role=role, order=counts[role], media_id=media[context["sha256"]]))
    ItemMedia.objects.bulk_create(rows_shown, BATCH)


@atomically
def erase_items(*, study: Study) -> None:
    """Remove a draft's units, items, media and systems. Raises NotADraft where somebody has judged them."""
    refuse_frozen(study)
    files = files_of(Media.objects.filter(study=study))
    try:
        # From the leaves on, so that Django has nothing to collect row by row.
        for rows in (
            Prefill.objects.filter(part__unit__task__study=study),
            Gold.objects.filter(unit__task__study=study),
            PartOutput.objects.filter(part__unit__task__study=study),
            Part.objects.filter(unit__task__study=study),
            Unit.objects.filter(task__study=study),
            Output.objects.filter(item__study=study),
            ItemMedia.objects.filter(item__study=study),
            Item.objects.filter(study=study),
            Media.objects.filter(study=study),
            Document.objects.filter(study=study),
            System.objects.filter(study=study),
        ):
            rows.delete()
    except ProtectedError as error:
        raise tried_out(study) from error
    transaction.on_commit(lambda: _remove_unused(study, files))


def _remove_unused(study: Study, files: Sequence[str]) -> None:
    """Delete files that no row uses; the draft may have got the same files again meanwhile."""
    used = set(files_of(Media.objects.filter(study=study)))
    remove_files(name for name in files if name not in used)
