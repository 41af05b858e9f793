"""The command line: main.py, one module per subcommand, and parts (with a leading underscore) that they share.

A subcommand is a module with ``SUMMARY``, ``arguments(parser)`` and ``run(args) -> int``; it is found by being here.
Invariant: a subcommand's module is cheap to import; what it needs is imported when it runs.
"""
