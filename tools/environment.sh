#!/bin/sh
# Makes .venv what requirements/dev.txt and pyproject.toml say, and does nothing when it already is.
# Usage: tools/environment.sh [FOLDER]; PYTHON names an interpreter (3.11 or later) to use instead of the first one found.
set -eu
cd "$(dirname "$0")/.."
venv=${1:-.venv}

fail() {
    printf 'roundzero: %s\n' "$@" >&2
    exit 2
}

is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        if is_new_enough "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    found=$(${PYTHON:-python3} --version 2>&1) || found='no Python'
    fail "Python 3.11 or later is needed, and ${PYTHON:-python3} is: $found." \
        'Install it, or name it: make PYTHON=/path/to/python3.12 demo'
}

digest() {
    "$1" -c 'import hashlib, sys; print(hashlib.sha256(b"".join(open(f, "rb").read() for f in sys.argv[1:])).hexdigest())' \
        requirements/dev.txt "$2"
}

stamped() {
    [ -f "$venv/$1" ] && [ "$(cat "$venv/$1")" = "$2" ] && "$venv/bin/python" -c '' 2>/dev/null
}

python=$(find_python)
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
unset PYTHONHOME PYTHONPATH || true

lock="$(digest "$python" /dev/null) $PWD"
if ! stamped .lock "$lock"; then
    "$python" -c 'import venv, ensurepip' 2>/dev/null ||
        fail "$python cannot create environments: its venv module is not installed." \
            'On Debian and Ubuntu: apt-get install python3-venv'
    echo "Creating $venv with $("$python" --version) (about a minute the first time) ..." >&2
    "$python" -m venv --clear "$venv"
    "$venv/bin/python" -m pip install --quiet --require-hashes -r requirements/dev.txt
    printf '%s\n' "$lock" >"$venv/.lock"
fi

project=$(digest "$python" pyproject.toml)
if ! stamped .project "$project"; then
    "$venv/bin/python" -m pip install --quiet --no-deps --no-build-isolation --editable .
    printf '%s\n' "$project" >"$venv/.project"
fi
