"""Published studies that a study can be begun from: the folders of examples/published/.

Each folder holds a study file with texts of our own in the form that the paper gives to its study, and paper.yaml with
what is as in the paper, what differs and why, and where the paper's table comes out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings

from tasks_app.setup.starting import Example, example_in, read_shipped
from tasks_app.studyfile.files.source import STUDY_YAML

PAPER_YAML = "paper.yaml"


@dataclass(frozen=True, slots=True)
class Published(Example):
    """A study as its authors published it.

    `cited` is how a sentence names the paper, `source` its full reference and `key` its entry in references.bib.
    `result` says which table or figure of the paper comes out, and where. `method` is the name by which researchers
    know the method, such as “ESA”; empty where it has none.
    """

    cited: str
    source: str
    key: str
    judged: str
    as_published: tuple[str, ...]
    differs: tuple[str, ...]
    result: str
    method: str = ""

    @property
    def named(self) -> str:
        """The method, if it has a name, and the paper."""
        return " · ".join(filter(None, (self.method, self.cited)))


# Keys of paper.yaml: those with one sentence, and those with a list of sentences.
SENTENCES = ("cited", "source", "key", "judged", "result")
LISTS = ("as_published", "differs")
# A key that paper.yaml may have as well.
METHOD = "method"


@cache
def published() -> Mapping[str, Published]:
    """Return the published studies by the names of their folders. Raises ValueError where a paper.yaml is not whole."""
    folder = Path(settings.BASE_DIR) / "examples" / "published"
    return {path.parent.name: _read(path.parent) for path in sorted(folder.glob(f"*/{STUDY_YAML}"))}


def _read(folder: Path) -> Published:
    path = folder / PAPER_YAML
    about = read_shipped(path)
    if set(about) - {METHOD} != {*SENTENCES, *LISTS}:
        raise ValueError(f"{path} must hold {', '.join((*SENTENCES, *LISTS))}; it holds {', '.join(about)}.")
    example = example_in(folder)
    texts = {name: str(about[name]).strip() for name in SENTENCES}
    lists = {name: tuple(str(sentence).strip() for sentence in about[name]) for name in LISTS}
    return Published(
        name=example.name,
        folder=example.folder,
        title=example.title,
        public_title=example.public_title,
        cited=texts["cited"],
        source=texts["source"],
        key=texts["key"],
        judged=texts["judged"],
        as_published=lists["as_published"],
        differs=lists["differs"],
        result=texts["result"],
        method=str(about.get(METHOD, "")),
    )


INTRODUCTION = """\
<!-- Made by `make docs`. Change paper.yaml instead. -->

# Published studies

*New study → As in a published study* starts from the design of a published study, with short texts of our own. Replace
these by your texts. Each entry lists what is as published and what differs.

An automated test runs each study with raters simulated to behave as the paper reports, and checks that the analysis
finds it.
"""


def docs_page() -> str:
    """Return the page of the manual that lists the published studies, in Markdown."""
    lines = [INTRODUCTION.rstrip("\n")]
    for study in published().values():
        lines += ["", *_entry(study)]
    return "\n".join(lines) + "\n"


def _entry(study: Published) -> list[str]:
    folder = f"examples/published/{study.name}"
    return [
        f"## {study.named}: {study.title}",
        "",
        study.judged,
        "",
        f"**Source.** {study.source}",
        "",
        "**As published:**",
        "",
        *(f"- {sentence}" for sentence in study.as_published),
        "",
        "**What differs:**",
        "",
        *(f"- {sentence}" for sentence in study.differs),
        "",
        f"**The paper's result.** {study.result}",
        "",
        f"[{folder}](../{folder}/study.yaml). Load it with",
        "",
        "```sh",
        f"python manage.py load_study {folder} --owner YOU",
        "```",
    ]
