"""Entry point of ``roundzero`` and ``python -m roundzero``. Loads nothing else before it is needed."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and leave with its exit status."""
    try:
        from roundzero.cli.main import main as run  # noqa: PLC0415  an interrupt while loading is an interrupt too

        status = run(sys.argv[1:])
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)


if __name__ == "__main__":
    main()
