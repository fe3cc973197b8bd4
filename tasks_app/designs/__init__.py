"""Designs: the texts of each rater, and their order. Each is a pure, seeded module with the design's name.

Whatever a design of your own is written with can be imported from here (docs/extending.md).
"""

from collections.abc import Mapping

from tasks_app.designs.base import Design as Design
from tasks_app.designs.base import Plan as Plan
from tasks_app.designs.base import PlanSettings as PlanSettings
from tasks_app.designs.base import PlanUnit as PlanUnit
from tasks_app.designs.engine.criteria import APART as APART
from tasks_app.designs.engine.criteria import BLOCK as BLOCK
from tasks_app.designs.engine.criteria import RATER as RATER
from tasks_app.designs.engine.criteria import draw_booklets as draw_booklets
from tasks_app.designs.engine.criteria import settings_of_each as settings_of_each
from tasks_app.hooks.registry import Registry
from tasks_app.settings.fields import YesNoField as YesNoField
from tasks_app.settings.fields import choice_field as choice_field
from tasks_app.settings.fields import line_field as line_field
from tasks_app.settings.fields import number_field as number_field
from tasks_app.settings.fields import whole_field as whole_field

registry: Registry[type[Design]] = Registry("design")
register = registry.register
registry.discover(__name__)


def design_of(name: str, stored: Mapping[str, object]) -> Design:
    """Make a design with the settings that are stored with a task; batches, which stand beside them, are none.

    Raises
    ------
    ValueError
        Where a setting is refused, or one is missing that has no default.
    """
    design = registry[name]
    return design({setting: stored[setting] for setting in design.Settings.base_fields if setting in stored})
