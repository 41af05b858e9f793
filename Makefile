# The whole interface: make demo test e2e check fix bench wheel vsix; e2e-vscode is a part of e2e
# Needs git and Python 3.11 or later; everything else goes into .venv, pinned by hash. PYTHON=... chooses the interpreter.

VENV ?= .venv
PYTHON ?=
bin := $(VENV)/bin
PYTEST_ARGS ?=
VSIX_TARGETS ?= linux-x64

.PHONY: demo test e2e e2e-vscode check fix bench wheel vsix .environment .extension

demo: .environment  # a small repository with real defects, reviewed
	@$(bin)/python tools/demo.py

test: .environment  # every test that needs only Python packages; Neovim is one of them
	$(bin)/pytest -n 2 $(PYTEST_ARGS)

e2e: .environment  # the tests that look from outside, against the installed wheel, a real model on this machine, VS Code
	$(bin)/pytest -m e2e --installed --small-model="$$(tools/small_model.sh $(bin)/python)" $(PYTEST_ARGS)
	$(if $(PYTEST_ARGS),,@lacks=$$(tests/e2e/vscode/missing.sh); \
		if [ -z "$$lacks" ]; then $(MAKE) e2e-vscode; else echo "VS Code: not run; $$lacks"; fi)

e2e-vscode: vsix  # the part of it with two real VS Codes in Chromium; needs Node 20 or later, npm and Chromium
	tests/e2e/vscode/run.sh $(bin)/python $(PICTURES)

check: .environment  # style, types, layers, packs, generated files
	$(bin)/ruff check
	$(bin)/ruff format --check
	$(bin)/mypy
	$(bin)/lint-imports
	$(bin)/roundzero packs check
	$(bin)/roundzero packs check checklists/examples/*.yaml
	$(bin)/python tools/generate.py --check

fix: .environment  # put right what can be put right by program
	$(bin)/ruff check --fix
	$(bin)/ruff format
	$(bin)/python tools/generate.py

bench: .environment  # measure against peers in the same run; writes docs/benchmarks.md
	$(bin)/python bench/all.py

wheel: .environment  # dist/roundzero-*.whl
	$(bin)/python -m build --wheel --no-isolation --outdir dist .

vsix: wheel .extension  # dist/roundzero-*.vsix: one without a server, and one with it for each of VSIX_TARGETS; all of them: all
	node vscode-extension/scripts/package.mjs $(bin)/python "$$(ls -t dist/roundzero-*.whl | head -1)" $(VSIX_TARGETS)

.extension:  # the VS Code extension: checked, tested, bundled; needs npm
	@cd vscode-extension && { [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci; }
	cd vscode-extension && npm run --silent check && npm run --silent build

.environment:
	@PYTHON='$(PYTHON)' tools/environment.sh $(VENV)
