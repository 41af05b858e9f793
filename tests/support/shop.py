"""A small program in several languages, with tests, settings and a build, for tests that look around in one.

Texts only. Invariant: nothing in it is wrong; what a test needs to be wrong it adds.
"""

from __future__ import annotations

STOCK = """\
LIMIT = 10


class Shelf:
    size: int = 4

    def take(self, count):
        if count > LIMIT:
            raise ValueError(count)
        return count


class Deep(Shelf):
    def take(self, count):
        return super().take(count)


class Deeper(Deep):
    pass
"""
USES = """\
from app.stock import LIMIT, Shelf
from app.registry import register


@register("front")
def serve(count=3):
    shelf = Shelf()
    return shelf.take(count)


def serve_all(counts):
    return [Shelf().take(count) for count in counts]
"""
OPTIONS = """\
import os


def add(parser):
    parser.add_argument(
        '--max-depth',
        type=int,
        default=7,
    )
    return os.environ.get('APP_MODE', 'safe')
"""
FILES: dict[str, str | bytes] = {
    "app/__init__.py": "",
    "app/stock.py": STOCK,
    "app/uses.py": USES,
    "app/registry.py": "KNOWN = {}\n\n\ndef register(name):\n    return lambda what: KNOWN.setdefault(name, what)\n",
    "app/front.js": "function drawShelf(limit) {\n  return LIMIT;\n}\n",
    "app/options.py": OPTIONS,
    "settings.toml": "max-depth = 9\n[model]\nname = 'x'\n",
    "tests/test_stock.py": "from app.stock import Shelf\n\n\ndef test_take():\n    assert Shelf().take(1) == 1\n",
    "pyproject.toml": "[project]\nname = 'app'\n",
    ".github/workflows/ci.yml": "run: pytest tests/test_stock.py\n",
    "README.md": "The Shelf holds LIMIT articles.\n",
}
