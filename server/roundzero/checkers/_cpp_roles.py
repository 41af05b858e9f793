"""What a name does at a place in a C or C++ text, comments and strings blanked: it is used, or given a meaning.

Reads the statement before the name and the sign behind it, no grammar. Invariant: a place that cannot be told counts as
one that declares.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from roundzero.checkers._pairs import closing, opening
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Collection

SAYS: Final = regex(
    r"(?<!friend )\b(?:class|struct|enum|union|namespace|typename|concept|define|ifdef|ifndef|undef)\s+"
    r"(?:class\s+|struct\s+)?$"
)
"""What stands before a name that is given a meaning at once."""
_USES: Final = regex(r"\s*using\s+[\w:\s]*$")
_QUALIFIER: Final = regex(r"(?:(?P<last>\w+)|(?P<made>>))?\s*::\s*$")
_LABEL: Final = regex(
    r"^\s*(?:(?:public|private|protected|default|signals|\w*slots)\s*:(?!:)\s*|case\b[^:?]*:(?!:)\s*|template\s*<[^<>]*(?:<[^<>]*>[^<>]*)*>\s*)+"
)
_LAST_WORD: Final = regex(r"(?<!\w)(\w+)\s*$")
_NAMING: Final = frozenset(
    {"class", "struct", "enum", "union", "typename", "namespace", "using", "concept", "goto", "define"}
)
_FRIEND: Final = regex(r"\bfriend\s+(?:class|struct)$")
_EXPRESSION: Final = frozenset(
    {"return", "else", "case", "throw", "new", "delete", "co_return", "co_await", "co_yield", "sizeof", "do", "and",
     "or", "not", "operator", "const", "constexpr", "static", "inline", "extern", "mutable", "volatile", "virtual",
     "friend", "register", "thread_local", "consteval", "constinit", "in", "defined", "public", "private", "protected"}
)  # fmt: skip
_ASKING_MACRO: Final = regex(
    r"(?:EXPECT|ASSERT|CHECK|DCHECK|QCHECK|TEST|TYPED_TEST|INSTANTIATE|CUDA|RETURN|LOG|VLOG|FAIL|BENCHMARK|REQUIRE)\w*"
)
_TESTS: Final = regex(r"(?:TYPED_)?TEST(?:_[FP]|_SUITE|_SUITE_P)?|(?:INSTANTIATE|REGISTER)_\w*TEST_(?:SUITE|CASE)_P")
_SUITE_AT: Final = dict.fromkeys(
    ("INSTANTIATE_TEST_SUITE_P", "INSTANTIATE_TEST_CASE_P", "INSTANTIATE_TYPED_TEST_SUITE_P"), 1
)
"""Which argument of a macro of googletest is the class; mostly the first."""
_MACRO_CALL: Final = regex(r"^\s*(?P<macro>[A-Z][A-Z0-9_]+)\s*\((?:[^()]*,)?\s*$")
_BINDING: Final = regex(r"\bauto\b[\s&]*\[[^\]]*$")
_OPERAND: Final = regex(r"[\w)\]>]\s*[*&]+\s*$")
_TYPE_ONLY: Final = regex(r"^[\w\s:<>,*&\[\]~]*$")
_IS_CONSTANT: Final = regex(r"k[A-Z]|[A-Z][A-Z0-9_]+$")
_BODY: Final = regex(r"\)\s*(?:const|noexcept|override|final|&{1,2}|\s)*(?:\{|->)")
_PREFIX: Final = 400
"""Code points before a name in which its statement begins."""
_STOP: Final = regex(r"[;{}]|\n[ \t]*#[^\n]*")
"""What ends the statement before, a directive among them."""
_ENUM: Final = regex(r"\benum\b[^;{}]*$")
_DIRECTIVE: Final = regex(r"[ \t]*#[ \t]*(\w+)")
_MEMBER: Final = regex(r"(?:(?<!\.\.)\.|->|~)\s*$")
_QUALIFIERS: Final = regex(r"(?:\w+\s*(?:<[^<>]*>)?\s*::\s*)+$")
_INITIALISES: Final = regex(r"\)\s*(?:noexcept\s*)?:(?!:)")
"""Behind the parameters of a constructor, what it initialises."""
_ATTRIBUTE: Final = regex(
    r"\[\[[^\[\]]*\]\]|\b(?:alignas|_Alignas|__attribute__|__declspec)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
)
"""What may stand between the parts of a declaration and says nothing of its name."""
_DECLARATORS: Final = regex(
    r"\s*(?:for\s*\(\s*)?(?!(?:return|throw|delete|goto|new|co_\w+)\b)(?:[\w:]+\s+)*?[\w:]+(?:\s*<[^;]*>)?[\s*&]+\w+\s*"
    r"(?:\[[^\]]*\]\s*)*(?:=(?!=)|[(,{])"
)
"""The beginning of a declaration of several names, up to what the first of them is given."""
_MORE: Final = regex(r",\s*[*&\s]*$")
_BEHIND_CALL: Final = regex(
    r"(?<![\w.>])(?!(?:if|for|while|switch|catch|constexpr|return|sizeof|alignof|case|throw|delete|co_\w+|decltype|noexcept)\b)"
    r"\w+\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)$|\bdecltype\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)$"
)
"""What a macro, or the word for the type of an expression, makes of its arguments: a type, or nothing."""
_BEHIND_BODY: Final = regex(r"\s*,?(?:[*&\s]*\w+\s*(?:\[[^\]]*\]\s*)*,)*[*&\s]*")
"""What may stand between a type's body and a name that is given to it."""
_BODY_OF_TYPE: Final = regex(r"\b(?:struct|union|enum|class)\b[^;{}()]*$")
_AFTER: Final = 40
"""Code points behind a name that say what it is."""


_What: TypeAlias = Literal["declares", "brought", "used", "member", "other"]


class Role(NamedTuple):
    """What a name does at a place, and the last name that it is qualified with there.

    ``brought``: by a ``using`` of one name. ``member``: of what stands before it. ``qualifier`` is None without ``::``,
    and "" where no name stands before that.
    """

    what: _What
    qualifier: str | None = None


def declares(code: str, at: int, name: str, scopes: Collection[str] = ()) -> bool:
    """Whether a name at a place is given a meaning there, or may be.

    To bring it from one of the ``scopes`` that it has gives it none.
    """
    what, qualifier = role(code, at, name)
    return what == "declares" or (what == "brought" and qualifier not in scopes)


def role(code: str, at: int, name: str) -> Role:
    """What a name does at a place."""
    line_start = code.rfind("\n", 0, at) + 1
    directive = _directive_around(code, line_start)
    if directive is not None:
        return Role(_in_directive(directive, code[line_start:at]))
    statement = _STOP.split(code[max(0, at - _PREFIX) : at])[-1]
    prior = _LABEL.sub("", _ATTRIBUTE.sub(" ", statement))
    if _MEMBER.search(prior):
        return Role("other" if prior.rstrip().endswith("~") else "member")
    qualifier = _QUALIFIER.search(prior) if prior.rstrip().endswith("::") else None
    if qualifier is None:
        is_more = _is_declared_too(code, at, at - len(statement), prior, code[at + len(name) : at + len(name) + _AFTER])
        return Role("declares" if is_more else _in_statement(code, at, name, prior))
    if qualifier["last"] is not None and _USES.match(prior):
        return Role("brought", qualifier["last"])
    return Role(_in_statement(code, at, name, _QUALIFIERS.sub("", prior[: qualifier.start()])), qualifier["last"] or "")


def _in_statement(code: str, at: int, name: str, prior: str) -> _What:
    """The role of a name behind what its statement says before it, without what qualifies it."""
    after = code[at + len(name) : at + len(name) + _AFTER].lstrip()
    if after.startswith("::") and not prior.rstrip().endswith("namespace"):
        return "used"
    stripped, is_constant = prior.rstrip(), _IS_CONSTANT.match(name) is not None
    return _by_word(stripped, after) or _by_sign(code, at, stripped, after, is_constant=is_constant)


def _by_word(prior: str, after: str) -> _What | None:
    """The role of a name behind a word."""
    word = _LAST_WORD.search(prior)
    if word is None:
        return None
    if word[1] in _NAMING:
        return "other" if _FRIEND.search(prior) else "declares"
    if word[1] in _EXPRESSION:
        return "declares" if word[1] == "const" and after.startswith(("=", "[", ",")) else "used"
    return "declares"


def _by_sign(code: str, at: int, prior: str, after: str, *, is_constant: bool) -> _What:
    """The role of a name behind anything else, or at the beginning of a statement."""
    opened = prior.count("(") > prior.count(")")
    if "typedef" in prior or _BINDING.search(prior):
        return "declares"
    if (
        prior
        and not opened
        and not _INITIALISES.search(prior)
        and after.startswith("(")
        and _BODY.match(code, closing(code, code.index("(", at)))
    ):
        return "declares"
    if prior.endswith(("*", "&", ">")):
        return "declares" if _is_declarator(prior, after, opened=opened, is_constant=is_constant) else "used"
    is_member = after[:1] in {",", "}", "="} and not after.startswith("==")
    captured = is_member and after.startswith("=") and prior.endswith(("[", ",")) and "[" in prior
    in_row = prior.endswith(",") and not opened and prior.strip(" ,") and _TYPE_ONLY.match(prior) and "<" not in prior
    macro = _MACRO_CALL.match(prior)
    is_argument = macro is not None and after[:1] in {",", ")"}
    if macro is not None and is_argument and _TESTS.fullmatch(macro["macro"]):
        return "used" if prior.count(",") == _SUITE_AT.get(macro["macro"], 0) and macro["macro"] != "TEST" else "other"
    made = macro is not None and is_argument and not _ASKING_MACRO.fullmatch(macro["macro"])
    return "declares" if captured or in_row or made or (is_member and _in_enum(code, at)) else "used"


def _is_declared_too(code: str, at: int, begin: int, prior: str, after: str) -> bool:
    """Whether a name is given the type of its statement behind another name, or behind a body; a base class is not."""
    after = after.lstrip()
    braced = code[max(0, begin - 1) : begin] == "}"
    if braced and _BEHIND_BODY.fullmatch(prior):
        if prior.lstrip().startswith(","):
            return after[:1] in {"{", ";", "="} and not after.startswith("==")
        return (not prior.strip() and after[:1] in {";", ","}) or _ends_type(code, begin - 1)
    more = _MORE.search(prior) is not None and prior.count("<") <= prior.count(">")
    opened = prior.count("(") - prior.count(")") - prior.lstrip().startswith("for")
    if opened > 0:
        return False
    if more and _DECLARATORS.match(prior):
        return True
    if after.startswith("(") and "=" not in prior and _BEHIND_CALL.search(prior.rstrip()):
        return True
    initialises = _INITIALISES.search(prior) is not None and "?" not in prior and after[:1] in {"(", "{"}
    return initialises and prior.rstrip().endswith((":", ",")) and not code[at].isupper()


def _ends_type(code: str, brace: int) -> bool:
    """Whether a closing brace is that of a structure, a union or an enumeration."""
    begin = opening(code, brace)
    return begin is not None and _BODY_OF_TYPE.search(code[max(0, begin - _PREFIX) : begin]) is not None


def _is_declarator(prior: str, after: str, *, opened: bool, is_constant: bool) -> bool:
    """Whether a name behind a star, an ampersand or a closing angle bracket is what a type is given to."""
    if prior.endswith(" >") or (opened and is_constant and _OPERAND.search(prior)):
        return False
    if prior.endswith(("->", "&&")) and (opened or "=" in prior or "return" in prior):
        return False
    if re.search(r"\(\s*[*&]$", prior) and after.startswith(")"):
        return True
    if not _OPERAND.search(prior) and not prior.endswith(">"):
        return False
    if opened:
        return not after.startswith("(")
    return not re.search(r"=|\breturn\b", prior)


def _in_enum(code: str, at: int) -> bool:
    """Whether a name stands between the braces of an enumeration."""
    brace = opening(code, at)
    return brace is not None and _ENUM.search(code[max(0, brace - _PREFIX) : brace]) is not None


def _directive_around(code: str, line_start: int) -> str | None:
    """The preprocessor's word, and what follows, of the directive that a line belongs to."""
    start = line_start
    while code[max(0, start - 3) : start].rstrip("\r\n").endswith("\\"):
        start = code.rfind("\n", 0, start - 1) + 1
    match = _DIRECTIVE.match(code, start)
    if match is None:
        return None
    return match[1] if start == line_start else f"{match[1]} more"


def _in_directive(directive: str, before: str) -> _What:
    if directive in {"ifdef", "ifndef", "undef", "if", "elif"}:
        return "declares"
    if directive == "define" and re.fullmatch(r"\s*#\s*define\s+", before):
        return "declares"
    return "other"
