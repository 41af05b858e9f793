#!/bin/sh
# Two real VS Codes, the newest and an old one: the suite in their extension hosts, and a person at a window of each.
# Needs what `make vsix` left in dist/ (for linux-x64), npm and Chromium. With PICTURES, screenshots for the documents go
# there. Usage: run.sh PYTHON [PICTURES]
set -eu
cd "$(dirname "$0")"
root=$(cd ../../.. && pwd)
here() { case $1 in /*) printf '%s\n' "$1" ;; *) printf '%s\n' "$root/$1" ;; esac; }
python=$(here "$1")
pictures=${2:+$(here "$2")}

new=$(./install.sh 1.139)
old=$(./install.sh 1.100)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(node -p "require('$root/vscode-extension/package.json').version")
vsix=$root/dist/roundzero-$version
# The server that people get, for the runs that start it by its path.
"$python" -m zipfile -e "$vsix-linux-x64.vsix" "$work/unpacked"
"$python" -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-index \
    --find-links "$work/unpacked/extension/wheels" roundzero
program=$work/venv/bin/roundzero

# Both editors at once: each waits a good deal. What the old one says comes when both are done.
both() {
    status=0
    "$1" "$old" >"$work/old.log" 2>&1 &
    beside=$!
    "$1" "$new" || status=1
    wait "$beside" || status=1
    cat "$work/old.log"
    return "$status"
}
suite() { node host.mjs "$1" "$root/vscode-extension" "$program"; }
window() {
    if [ "$1" = "$old" ]; then
        node window.mjs "$1" "$vsix.vsix" "" "$program"
    else
        # shellcheck disable=SC2086  none, where no pictures are wanted
        node window.mjs "$1" "$vsix.vsix" "$vsix-linux-x64.vsix" "$program" $pictures
    fi
}
both suite
both window
