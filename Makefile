# The whole interface: make demo test e2e check fix bench wheel (vsix comes with the VS Code extension)
# Needs git and Python 3.11 or later; everything else goes into .venv, pinned by hash. PYTHON=... chooses the interpreter.

VENV ?= .venv
PYTHON ?=
bin := $(VENV)/bin
PYTEST_ARGS ?=

.PHONY: demo test e2e check fix bench wheel .environment

demo: .environment  # a small repository with real defects, reviewed
	@$(bin)/python tools/demo.py

test: .environment  # every test that needs only Python packages; Neovim is one of them
	$(bin)/pytest -n 2 $(PYTEST_ARGS)

e2e: .environment  # the tests that look from outside, against the installed wheel
	$(bin)/pytest -m e2e --installed $(PYTEST_ARGS)

check: .environment  # style, types, layers, packs, generated files
	$(bin)/ruff check
	$(bin)/ruff format --check
	$(bin)/mypy
	$(bin)/lint-imports
	$(bin)/roundzero packs check
	$(bin)/python tools/generate.py --check

fix: .environment  # put right what can be put right by program
	$(bin)/ruff check --fix
	$(bin)/ruff format
	$(bin)/python tools/generate.py

bench: .environment  # measure against peers in the same run; writes docs/benchmarks.md
	$(bin)/python bench/all.py

wheel: .environment  # dist/roundzero-*.whl
	$(bin)/python -m build --wheel --no-isolation --outdir dist .

.environment:
	@PYTHON='$(PYTHON)' tools/environment.sh $(VENV)
