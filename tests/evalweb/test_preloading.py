"""Templates are compiled before web processes are forked."""

from django.template import Engine

from evalweb.preloading import compile_templates


def test_all_templates_are_compiled_and_those_of_packages_that_they_name() -> None:
    (loader,) = Engine.get_default().template_loaders
    loader.reset()
    compile_templates()
    compiled = set(loader.get_template_cache)
    assert {"rater/judge.html", "researcher/monitor.html"} <= compiled
    assert "unfold/layouts/skeleton.html" in compiled  # the frame of the pages of researchers
