# Needs make and Python 3.11 or newer, nothing else; everything is installed into .venv.
# make PYTHON=python3.12 picks another Python, make test ARGS='-k storage' hands words on
# (ARGS='-n 0' runs the tests one by one).

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input -qq
RUNTIME := $(VENV)/.runtime-installed
DEV := $(VENV)/.dev-installed
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header --no-annotate

.DEFAULT_GOAL := help
.PHONY: help run test lint style types imports accuracy bench soak wheel docs lock clean
.DELETE_ON_ERROR:

help: ## List what make can do
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

run: $(RUNTIME) ## Open the local workspace, or connect to Slack where its tokens are set
	@exec $(BIN)/gpusize-bot $(ARGS)

test: $(DEV) ## Run the tests, on all cores
	$(BIN)/pytest -n auto --dist worksteal $(ARGS)

lint: style types imports ## Check style, types and who imports whom

style: $(DEV) ## Check style
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(DEV) ## Check types
	$(BIN)/mypy

imports: $(DEV) ## Check who imports whom
	$(BIN)/lint-imports --no-logo

accuracy: $(DEV) ## Score the engine against published figures and write docs/accuracy.md
	$(BIN)/python -m tools.accuracy $(ARGS)

bench: $(DEV) ## Measure speed and memory
	$(BIN)/pytest benchmarks --benchmark-enable -o python_files='bench_*.py' $(ARGS)

soak: $(DEV) ## Kill writers of the log at random, 200 times for each store, and look what is lost
	$(BIN)/python -m tools.soak $(ARGS)

wheel: $(DEV) ## Build the wheel into dist/
	rm -rf dist
	$(BIN)/python -m build --wheel --no-isolation --outdir dist

docs: $(DEV) ## Refresh the README, the reference of the JSON and the table of what is covered
	$(BIN)/python tools/console_blocks.py README.md
	$(BIN)/python -m tools.json_reference
	$(BIN)/python -m tools.log_reference
	$(BIN)/python -m tools.coverage

lock: $(DEV) ## Lock the newest allowed releases of what is installed
	$(COMPILE) --upgrade pyproject.toml requirements/build.in -o requirements/runtime.txt
	$(COMPILE) --upgrade pyproject.toml requirements/build.in --extra dev \
		--constraint requirements/runtime.txt -o requirements/dev.txt

clean: ## Remove what was built, the caches and .venv
	rm -rf dist build .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis .benchmarks \
		.import_linter_cache $(VENV)
	find bot sizing tests tools benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python: | tools/make_venv.sh
	@sh tools/make_venv.sh $(VENV)

# A stamp is written last: an installation that was cut off is done again.
$(RUNTIME): requirements/runtime.txt pyproject.toml bot/__init__.py | $(BIN)/python
	@echo "Installing gpusize into $(VENV) ..."
	@$(PIP) install --require-hashes -r requirements/runtime.txt
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(DEV): requirements/dev.txt $(RUNTIME)
	@echo "Installing what the tests need ..."
	@$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $@
