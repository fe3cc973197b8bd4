"""Describe an archive for people and programs: README, Frictionless data package, RO-Crate."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analytics_app.exports.columns import RATINGS, RESULTS, Column, Kind
from analytics_app.models import Run
from tasks_app.models import Study

README, PACKAGE, CRATE = "README.md", "datapackage.json", "ro-crate-metadata.json"
# What the site signed, and its signature (analytics_app.archive.signing).
MANIFEST, SIGNATURE = "manifest.json", "signature.json"

# Types of Frictionless by the kinds of columns.
TYPES: Mapping[Kind, str] = {
    Kind.TEXT: "string",
    Kind.WORD: "string",
    Kind.WHOLE: "integer",
    Kind.NUMBER: "number",
    Kind.YES_NO: "boolean",
    Kind.JSON: "any",
    Kind.TIME: "any",
}

MEDIA_TYPES = {
    "csv": "text/csv",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "md": "text/markdown",
    "tex": "application/x-tex",
    "bib": "application/x-bibtex",
    "zip": "application/zip",
}


@dataclass(frozen=True, slots=True)
class ArchivedFile:
    """A file of the archive: its path, its content in a sentence, its size in bytes and SHA-256."""

    path: str
    about: str
    bytes: int
    sha256: str

    @property
    def ending(self) -> str:
        """The ending of its name."""
        return self.path.rpartition(".")[2]

    @property
    def media_type(self) -> str:
        """Its media type."""
        return MEDIA_TYPES[self.ending]


@dataclass(frozen=True, slots=True)
class Archived:
    """The study and run of an archive, for its descriptions.

    `texts` says whether it has texts; `made` is the day, as 2026-03-20. `signed_by` is the fingerprint of the key that
    signs it, "" for none, and `site` the address of the site.
    """

    study: Study
    run: Run
    texts: bool
    made: str
    versions: Mapping[str, str]
    signed_by: str = ""
    site: str = ""

    @property
    def title(self) -> str:
        """The name of the archive."""
        return f"{self.study.title}: ratings and results of run {self.run.number}"

    @property
    def summary(self) -> str:
        """Return a description of the archive in one or two sentences."""
        return (
            f"Human evaluation “{self.study.slug}”: ratings, study file, analysis plan, results and datasheet, with "
            f"the rows from which run {self.run.number} can be computed again."
        )


def readme(about: Archived, files: Sequence[ArchivedFile]) -> str:
    """Return the README: the content of each file, and how the run is computed again."""
    rows = [f"| `{file.path}` | {file.about} |" for file in files]
    texts = (
        []
        if about.texts
        else [
            "Texts were left out: letters are replaced by x, so that lengths and numbers of words stay. Analyses that "
            "read texts cannot be computed again.",
            "",
        ]
    )
    lines = [
        f"# {about.title}",
        "",
        about.summary,
        "Raters have pseudonyms; nothing in these files leads to their accounts, addresses or devices.",
        "",
        *texts,
        "| file | holds |",
        "|---|---|",
        *rows,
        f"| `{PACKAGE}` | every file with its columns, size and SHA-256 (Frictionless data package) |",
        f"| `{CRATE}` | the same for archives of research data (RO-Crate 1.1) |",
        *_signed_files(about),
        "",
        "## Compute it again",
        "",
        f"The run was computed with evalweb {about.run.code_version}. With that version installed:",
        "",
        "```sh",
        "python manage.py verify ARCHIVE.zip",
        "```",
        "",
        "This loads the rows into an empty database of its own, computes the run with the same settings and seed, and "
        "compares every number to the last digit. `versions.json` lists the versions of Python and of the libraries "
        "with which the archive was made; other versions can change last digits.",
        "",
        *_signed(about),
    ]
    return "\n".join(lines)


def _signed_files(about: Archived) -> list[str]:
    """Return the rows of the README about the signature, if there is one."""
    if not about.signed_by:
        return []
    return [
        f"| `{MANIFEST}` | what the site signed: path, size and SHA-256 of every other file |",
        f"| `{SIGNATURE}` | the signature (Ed25519) of the bytes of `{MANIFEST}` |",
    ]


def _signed(about: Archived) -> list[str]:
    """Return the section of the README about the signature, if there is one."""
    if not about.signed_by:
        return []
    return [
        "## Check who published it",
        "",
        f"The archive was signed by {about.site or 'the site that made it'}, with the key",
        "",
        f"    {about.signed_by}",
        "",
        "Compare these 64 digits with the page “Keys of archives” (`/archive-keys/`) of that site, not with this file, "
        "and give them to the command:",
        "",
        "```sh",
        f"python manage.py verify ARCHIVE.zip --key {about.signed_by}",
        "```",
        "",
    ]


def package(about: Archived, files: Sequence[ArchivedFile], features: Sequence[str]) -> str:
    """Return the descriptor of the Frictionless data package."""
    schemas = {
        "data/ratings.csv": [*map(_field, RATINGS), *({"name": name, "type": "string"} for name in features)],
        "results/results.csv": list(map(_field, RESULTS)),
    }
    resources = []
    for file in files:
        resource: dict[str, Any] = {
            "name": file.path.lower().replace("/", "-").replace("_", "-"),
            "path": file.path,
            "description": file.about,
            "mediatype": file.media_type,
            "bytes": file.bytes,
            "hash": f"sha256:{file.sha256}",
        }
        if file.path in schemas:
            resource |= {
                "profile": "tabular-data-resource",
                "format": "csv",
                "encoding": "utf-8",
                "schema": {"fields": schemas[file.path], "missingValues": [""]},
            }
        resources.append(resource)
    descriptor = {
        "profile": "data-package",
        "name": about.study.slug,
        "title": about.title,
        "description": about.summary,
        "created": f"{about.made}T00:00:00Z",
        "evalweb": {
            "format": 2 if about.signed_by else 1,
            "study": about.study.slug,
            "run": about.run.number,
            "digest": about.run.digest,
            "code_version": about.run.code_version,
            "texts": about.texts,
        },
        "resources": resources,
    }
    return json.dumps(descriptor, ensure_ascii=False, indent=2) + "\n"


def crate(about: Archived, files: Sequence[ArchivedFile]) -> str:
    """Return the metadata of the RO-Crate: the files, the program, and the run with its input and its output."""
    paths = [file.path for file in files]
    signed = (MANIFEST, SIGNATURE) if about.signed_by else ()
    graph: list[dict[str, Any]] = [
        {
            "@id": CRATE,
            "@type": "CreativeWork",
            "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
            "about": {"@id": "./"},
        },
        {
            "@id": "./",
            "@type": "Dataset",
            "name": about.title,
            "description": about.summary,
            "datePublished": about.made,
            "hasPart": [{"@id": path} for path in (*paths, README, PACKAGE, *signed)],
            "mentions": {"@id": "#run"},
        },
        *(
            {
                "@id": file.path,
                "@type": "File",
                "name": file.path,
                "description": file.about,
                "encodingFormat": file.media_type,
                "contentSize": str(file.bytes),
                "sha256": file.sha256,
            }
            for file in files
        ),
        {"@id": README, "@type": "File", "name": README, "encodingFormat": "text/markdown"},
        *(
            {"@id": path, "@type": "File", "name": path, "encodingFormat": "application/json"}
            for path in (PACKAGE, *signed)
        ),
        {"@id": "#evalweb", "@type": "SoftwareApplication", "name": "evalweb", "version": about.run.code_version},
        {
            "@id": "#run",
            "@type": "CreateAction",
            "name": f"Run {about.run.number}",
            "instrument": {"@id": "#evalweb"},
            "object": [{"@id": path} for path in paths if path.startswith("rows/")],
            "result": [{"@id": path} for path in paths if path.startswith("results/")],
            **({"endTime": about.run.finished.isoformat()} if about.run.finished is not None else {}),
        },
    ]
    document = {"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": graph}
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _field(column: Column) -> dict[str, str]:
    return {"name": column.name, "type": TYPES[column.kind], "description": str(column.doc)}
