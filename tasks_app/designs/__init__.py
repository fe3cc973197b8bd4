"""Designs: which rater judges what, and in which order. Each is a pure, seeded module with the design's name."""

from tasks_app.designs.base import Design
from tasks_app.designs.engine.criteria import APART as APART
from tasks_app.designs.engine.criteria import BLOCK as BLOCK
from tasks_app.designs.engine.criteria import RATER as RATER
from tasks_app.designs.engine.criteria import draw_booklets as draw_booklets
from tasks_app.designs.engine.criteria import settings_of_each as settings_of_each
from tasks_app.registry import Registry

registry: Registry[type[Design]] = Registry("design")
registry.discover(__name__)
