"""Studies on the live site, made by the commands a researcher has."""

import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import yaml

from evalweb.local_services.folder import BASE_DIR
from tests.about import ABOUT, AS_IT_IS
from tests.browser.checked import OpenChecked, opener
from tests.servers import LiveSite

STUDY = """\
evalweb: 1
study:
  slug: {slug}
  title: Internal title
  public_title: How do these texts read?
about:
  institution: Example University
  contact: lab@uni.net
  complaints: ethics@uni.net
pay:
  minutes: 4
  amount: 2.00
  currency: EUR
flow:
  enrolments_per_address: 10000
consent: |
  We ask you to read short texts. **You can stop at any time.**
criteria:
  - {{key: fluency, name: Fluency, question: "How fluent is it?", low: not at all, high: perfectly}}
  - {{key: content, name: Content, question: "Does it say the same?", low: nothing, high: everything}}
tasks:
  - key: main
    type: {type}
    criteria: [fluency, content]
    k: 5
    set_size: {size}
    spacing: 1
    params: {{layout: {layout}}}
"""

TEXTS = (
    ("The train is late today.", "Today the train is late.", "Late is the train today."),
    ("القطار متأخر اليوم (رقم 12).", "اليوم يتأخر القطار.", "متأخر القطار اليوم."),
    ("A very long word: " + "Donaudampfschifffahrt" * 6, "Short.", "<script>alert(1)</script> & 🚂"),
    ("Four\nlines\nof\ntext", "One line of text", "No lines at all"),
)


@pytest.fixture
def make_study(live_site: LiveSite, tmp_path: Path) -> Callable[..., str]:
    """Load and open a study on the live site, and return the address of its rater link."""

    def make(slug: str, type: str = "likert", layout: str = "single", size: int = 4, more: str = "") -> str:
        folder = tmp_path / slug
        folder.mkdir()
        study = STUDY.format(slug=slug, type=type, layout=layout, size=size) + more
        (folder / "study.yaml").write_text(study, encoding="utf-8")
        rows = ["item,system,output,source"]
        for number, outputs in enumerate(TEXTS):
            for system, text in zip(("north", "south", "west"), outputs, strict=True):
                quoted = text.replace('"', '""')
                rows.append(f'i{number},{system},"{quoted}",Der Zug hat heute Verspätung.')
        (folder / "items.csv").write_text("\n".join(rows), encoding="utf-8")
        live_site.manage("load_study", str(folder), "--owner", "researcher")
        return live_site.manage("move_study", slug, "open", *AS_IT_IS).strip()

    return make


@pytest.fixture(scope="module")
def open_example(live_site: LiveSite, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Load and open the example study of a task type on the live site, and return the address of its rater link.

    There are places for many raters. What is given changes the (first) task: `params` its parameters, `criteria` the
    study's criteria, anything else a key of the task.
    """
    numbers = count(1)

    def load(name: str, params: dict[str, Any] | None = None, **task: Any) -> str:
        number = next(numbers)
        folder = tmp_path_factory.mktemp(name) / "study"
        shutil.copytree(BASE_DIR / "examples" / name, folder)
        study = yaml.safe_load((folder / "study.yaml").read_text(encoding="utf-8"))
        study["study"]["slug"] = f"{name.replace('_', '-')}-{folder.parent.name[-2:]}-{number}"
        study.setdefault("flow", {})["enrolments_per_address"] = 10_000
        study["about"] |= ABOUT
        study["tasks"][0].setdefault("params", {}).update(params or {})
        for one in study["tasks"]:
            one["k"] = 40
            if one.get("stage", "main") == "main":
                # The screens of a type are tried here; what comes before and between has tests of its own.
                one["checks"] = {"training": 0, "exam": 0, "controls": 0, "attention": 0, "warm_up": 0}
        study["tasks"][0].update(task)
        text = yaml.safe_dump(study, allow_unicode=True, sort_keys=False)
        (folder / "study.yaml").write_text(text, encoding="utf-8")
        live_site.manage("load_study", str(folder), "--owner", "researcher")
        return live_site.manage("move_study", str(study["study"]["slug"]), "open", *AS_IT_IS).strip()

    return load


@pytest.fixture(scope="session")
def open_checked(live_site: LiveSite, tmp_path_factory: pytest.TempPathFactory) -> OpenChecked:
    """Load and open the example with checks on the live site: with sets of two, one text to practise, a test of one."""
    return opener(live_site, tmp_path_factory.mktemp("checked"))
