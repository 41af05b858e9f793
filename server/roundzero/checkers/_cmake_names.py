"""CMake for removed_symbol_elsewhere: functions and macros that went, and the commands that still call them.

CMake finds a command by its name when it runs, wherever it was defined before, so that a definition anywhere in the
repository is enough for silence. Invariant: a command of CMake's own is nobody's to lose.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._gone_definitions import Gone, Use, added_lines
from roundzero.core.item import language_of
from roundzero.core.lexical import blanked
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roundzero.checkers._gone_definitions import Around
    from roundzero.core.change import FileChange, Source

_DEFINED: Final = regex(r"^\s*(?:function|macro)\s*\(\s*(\w+)", re.IGNORECASE | re.MULTILINE)
_BRINGS: Final = regex(
    r"^\s*(?:include|find_package|FetchContent_\w+|cpmaddpackage|add_subdirectory)\s*\(", re.IGNORECASE
)
_BUILT_IN: Final = frozenset(
    """
    add_compile_definitions add_compile_options add_custom_command add_custom_target add_definitions add_dependencies
    add_executable add_library add_link_options add_subdirectory add_test aux_source_directory block break build_command
    cmake_language cmake_minimum_required cmake_parse_arguments cmake_path cmake_policy configure_file continue
    create_test_sourcelist define_property enable_language enable_testing execute_process export file find_file
    find_library find_package find_path find_program foreach function get_cmake_property get_directory_property
    get_filename_component get_property get_source_file_property get_target_property get_test_property if include
    include_directories include_guard install link_directories link_libraries list macro mark_as_advanced math message
    option project return separate_arguments set set_directory_properties set_property set_source_files_properties
    set_target_properties set_tests_properties site_name source_group string target_compile_definitions
    target_compile_features target_compile_options target_include_directories target_link_directories
    target_link_libraries target_link_options target_precompile_headers target_sources try_compile try_run unset
    variable_watch while check_c_source_compiles check_cxx_source_compiles check_c_compiler_flag check_cxx_compiler_flag
    check_include_file check_include_files check_function_exists check_symbol_exists check_type_size
    find_package_handle_standard_args externalproject_add gtest_discover_tests gtest_add_tests
    """.split()  # noqa: SIM905  a column of quotes would be read less well
)
"""CMake's own commands, and those of modules that everybody includes."""


class _CMake:
    """Functions and macros of CMake."""

    languages = frozenset({"cmake"})
    by_path = False
    defines = regex(r"^\s*(?:function|macro)\s*\(", re.IGNORECASE)

    def gone(self, file: FileChange, base: Source) -> Iterator[Gone]:
        """The functions that the file no longer defines."""
        there = {name.lower() for name, _ in _cmake_functions(blanked(file.head))} if file.head is not None else set()
        for name, at in _cmake_functions(blanked(base)):
            if name.lower() not in there and name.lower() not in _BUILT_IN:
                yield Gone(file=file, base=base, name=name, kind="function", offset=at, word=name)

    def uses(self, gone: Gone, around: Around) -> Iterator[Use]:
        """The commands of that name."""
        name = re.escape(gone.name)
        defines = re.compile(
            rf"\b(?:function|macro)\s*\(\s*{name}\b|\bCOMMAND\s+{name}\b|[\"'$]{name}\b", re.IGNORECASE
        )
        if any(defines.search(hit.text) for hit in around.hits(gone)):
            return
        if any(_BRINGS.search(line) for line in added_lines(around.change, self.languages)):
            return
        called = re.compile(rf"^[ \t]*({name})[ \t]*\(", re.MULTILINE)
        rows = [
            (path, match)
            for path in around.naming(gone, self.languages)
            for match in called.finditer(around.code(path))
        ]
        if rows and not _is_spelt_otherwise(gone.name, around):
            yield from (Use(path, match.start(1), match.end(1)) for path, match in rows)


def _is_spelt_otherwise(name: str, around: Around) -> bool:
    """Whether some file defines it in other letters, which CMake takes for the same."""
    paths = (path for path in around.paths if language_of(path) == "cmake")
    return any(other.lower() == name.lower() for path in paths for other, _ in _cmake_functions(around.code(path)))


def _cmake_functions(code: str) -> Iterator[tuple[str, int]]:
    for match in _DEFINED.finditer(code):
        yield match[1], match.start(1)


FAMILY: Final = _CMake()
"""The language of CMakeLists.txt."""
