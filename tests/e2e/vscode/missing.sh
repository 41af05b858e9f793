#!/bin/sh
# Says what the tests with a real VS Code need and this machine neither has nor can get; nothing when they can run. Root on
# Debian gets Chromium, as Emacs and Vim. Usage: missing.sh
set -eu
lack() { echo "$1"; exit 0; }

major=$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)
[ "$major" -ge 20 ] || lack 'it needs Node 20 or later'
command -v npm >/dev/null || lack 'it needs npm'
[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || lack 'it runs on Linux for x64 only'

for program in /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome; do
    [ ! -x "$program" ] || chromium=$program
done
if [ -z "${chromium:-}" ]; then
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || lack 'it needs Chromium, or root to install it'
    { apt-get --quiet update && DEBIAN_FRONTEND=noninteractive apt-get --quiet --yes install --no-install-recommends chromium; } \
        >/dev/null 2>&1 || lack 'it needs Chromium, and apt-get cannot install it'
fi

cache=${XDG_CACHE_HOME:-$HOME/.cache}/roundzero-e2e/vscode
if [ ! -f "$cache/1.139/ready" ] || [ ! -f "$cache/1.100/ready" ]; then
    npm view --silent code-server@4.139.1 version >/dev/null 2>&1 || lack 'npm cannot fetch the editor'
fi
