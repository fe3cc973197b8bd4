"""Compile templates and addresses where one process loads the code for all: first pages need not do so."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.template import Engine
from django.template.base import Template
from django.template.loader_tags import ExtendsNode, IncludeNode
from django.urls import NoReverseMatch, get_resolver, reverse


def compile_templates() -> None:
    """Compile the templates of the site, and those of other packages that they name. The engine keeps them."""
    engine = Engine.get_default()
    names = [str(path.relative_to(folder)) for folder in map(Path, engine.dirs) for path in folder.rglob("*.html")]
    compiled: set[str] = set()
    while names:
        if (name := names.pop()) not in compiled:
            compiled.add(name)
            names += _named_in(engine.get_template(name))


def _named_in(template: Template) -> Iterator[str]:
    """Yield the names of the templates that a template extends and includes, where they stand in it as words."""
    nodes: Any = template.nodelist
    named = [node.parent_name for node in nodes.get_nodes_by_type(ExtendsNode)]
    named += [node.template for node in nodes.get_nodes_by_type(IncludeNode)]
    yield from (name.var for name in named if isinstance(name.var, str))


def compile_addresses() -> None:
    """Have Django compile the table of addresses, as it does when it first writes an address of each namespace."""
    for namespace in get_resolver().namespace_dict:
        try:
            reverse(f"{namespace}:")
        except NoReverseMatch:  # no address has an empty name, but all names are known now
            continue
