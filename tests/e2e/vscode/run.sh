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

for program in /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome; do
    [ ! -x "$program" ] || chromium=$program
done
[ -n "${chromium:-}" ] || { echo 'run.sh: Chromium is needed; on Debian: apt-get install chromium' >&2; exit 2; }

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

node host.mjs "$new" "$root/vscode-extension" "$program"
node host.mjs "$old" "$root/vscode-extension" "$program"
node window.mjs "$old" "$vsix.vsix" "" "$program"
# shellcheck disable=SC2086  none, where no pictures are wanted
node window.mjs "$new" "$vsix.vsix" "$vsix-linux-x64.vsix" "$program" $pictures
