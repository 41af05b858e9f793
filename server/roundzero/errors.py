"""The three kinds of failure, and nothing else.

Whatever is neither of the two subclasses is a bug: logged once with its stack, counted, and survived.
"""

from __future__ import annotations


class RoundzeroError(Exception):
    """Base of every failure that Round Zero expects."""


class UserError(RoundzeroError):
    """Something the person can put right. The message says what is wrong, where, and what to do. Exit status 2."""


class OutsideError(RoundzeroError):
    """The world failed: a program, a file, the network. The work it stood for is *not checked*, never *clean*."""
