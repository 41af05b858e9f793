"""What counts as an output format."""

from importlib import import_module
from pkgutil import iter_modules

from roundzero import render


def test_a_format_is_a_module_that_renders() -> None:
    """Each module of the package that can render a report is a format, and no other is."""
    modules = (import_module(f"{render.__name__}.{each.name}") for each in iter_modules(render.__path__))
    able = {module.__name__.rpartition(".")[2] for module in modules if hasattr(module, "render")}
    assert set(render.formats()) == able
    assert {"terminal", "json", "ndjson", "markdown", "sarif"} <= able
