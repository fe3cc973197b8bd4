"""Designs: who rates what, in which order. One pure, seeded module a design; the module's name is the design's."""

from tasks_app.designs._criteria import APART as APART
from tasks_app.designs._criteria import BLOCK as BLOCK
from tasks_app.designs._criteria import RATER as RATER
from tasks_app.designs._criteria import draw_booklets as draw_booklets
from tasks_app.designs._criteria import settings_of_each as settings_of_each
from tasks_app.designs.base import Design
from tasks_app.registry import Registry

registry: Registry[type[Design]] = Registry("design")
registry.discover(__name__)
