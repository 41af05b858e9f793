"""Round Zero: the review before round one."""

__version__ = "0.1.0"
