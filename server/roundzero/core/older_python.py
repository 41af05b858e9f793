"""Text of an older Python: what it says that today's does not, so that nobody is told of it as of a mistake.

Python 2 is told by its statements and by names that only it has; Python before 3.7 by ``async`` as a name. Signs of
Python 3 in the same text decide against Python 2, unless it asks which of the two it runs on. Works on text, since such
a file has no tree. Invariant: without such a question a text with a sign of Python 3 is never taken for Python 2.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Collection

ONLY_THERE: Final = frozenset({"basestring", "execfile", "raw_input", "unichr", "unicode", "xrange", "StandardError"})
"""Built-in names of Python 2 that nobody writes for another reason."""
THERE_TOO: Final = frozenset({"apply", "buffer", "cmp", "coerce", "file", "intern", "long", "reduce", "reload"})
"""Built-in names of Python 2 that may as well be a slip today."""

_PYTHON_3: Final = regex(
    r"""^[ \t]*async[ ]+(?:def|for|with)\b | ^[ \t]*nonlocal[ ] | \byield[ ]from\b | ^[ \t]*raise[ ][^#"'\n]*[ ]from[ ]
    | \bdef[ ]\w+\([^"'#\n]*\)[ ]*-> | :=[^=] | (?<![^\s(\[{,=+:%])[rR]?[fFtT][rR]?["'] | \b(?:def|class)[ ]\w+\[
    | ^[ \t]*match[ ].*:[ ]*$ | (?<!\{[ ])(?<!\{)\bsuper\(\)
    | ^from[ ]__future__[ ]import[ ]annotations\b | ^from[ ](?:typing|dataclasses|pathlib|collections\.abc)[ ]import\b
    | ^import[ ](?:asyncio|dataclasses|pathlib)\b""",
    re.VERBOSE | re.MULTILINE,
)
_PYTHON_2: Final = regex(
    r"""^from[ ]__future__[ ]import[ ].*\b(?:print_function|unicode_literals|absolute_import|division|with_statement)\b
    | ^[ \t]*(?:import|from)[ ](?:six|urllib2|urlparse|httplib|cStringIO|StringIO|ConfigParser|Queue|cPickle|mock)\b
    | \.(?:iteritems|itervalues|iterkeys|has_key)\(
    | \bPY[23]\b | \bsys\.version_info\b | \A\#.*\bcoding[:=] | \A\#!.*\n\#.*\bcoding[:=]
    | ^[ \t]*class[ ]\w+\(object\): | \bsuper\(\w+,[ ]\w+\) | (?<![\w"'])u["']""",
    re.VERBOSE | re.MULTILINE,
)
_BOTH: Final = regex(
    r"\bPY[23]\b|\bversion_info\[0\]|\bversion_info\.major\b|\bversion_info[ ]*[<>=]=?[ ]*\([23],?[ ]*0?\)"
)
"""A branch for either, whose other half may show signs of Python 3."""
_STATEMENT_2: Final = regex(
    r"""(?:^|[:;])[ \t]*print[ ]+[\w"'`] | (?:^|[:;])[ \t]*print[ ]*>> | (?:^|[:;])[ \t]*exec[ ]+[\w"']
    | ^[ \t]*raise[ ]+[\w.]+[ ]*, | ^[ \t]*except\b[^:#]*,[ ]*\w+[ ]*: | ` | <> | \b0[0-7]+\b | \b\d+[lL]\b
    | \b[uU][rR]["'] | \bdef[ ]\w+\([^)]*\( | \blambda[ ][^:]*\(""",
    re.VERBOSE,
)
_CAUGHT_2: Final = regex(r"^[ \t]*except\b[^:#\n]*,[ \t]*([a-z_]\w*)[ \t]*:", re.MULTILINE)
_CAUGHT: Final = regex(r"^[ \t]*except\b[^:#\n]*[ \t]as[ \t]+(\w+)[ \t]*:", re.MULTILINE)
"""In Python 2 the name lives on after its block."""
_ASYNC_NAME: Final = regex(r"\.async\b|\basync[ ]*=|\bimport[ ].*\basync\b")


def is_for_python_2(text: str) -> bool:
    """Whether something says that a text is for Python 2 as well, and nothing that it is for Python 3 alone."""
    return _BOTH.search(text) is not None or (_PYTHON_2.search(text) is not None and _PYTHON_3.search(text) is None)


def missing_today(names: Collection[str], text: str) -> frozenset[str]:
    """Those of the undefined names that Python 2 has built in, or had caught, where a text is for it as well."""
    there = ONLY_THERE.intersection(names)
    later = THERE_TOO.intersection(names)
    # Most texts are read no further: a name that stands nowhere else was not caught.
    bound = {name for name in names if name not in there | later and text.count(name) > 1}
    caught = bound.intersection(_CAUGHT_2.findall(text)) if bound else bound
    kept = bound.intersection(_CAUGHT.findall(text)) if bound else bound
    if not there and not later and not caught and not kept:
        return frozenset()
    if is_for_python_2(text):
        return there.union(later, caught, kept)
    return there.union(caught) if _PYTHON_3.search(text) is None else frozenset()


def explains_error(line: str, text: str) -> bool:
    """Whether a text that does not parse at a line did so in an older Python."""
    if _ASYNC_NAME.search(line):
        return True
    return _STATEMENT_2.search(line) is not None and not _PYTHON_3.search(text)
