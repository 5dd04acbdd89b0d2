# Needs python3 (3.11+, on Debian with python3-venv) and make. Nothing else.
PYTHON    ?= python3
VENV      ?= .venv
INSTALLER ?= uv
BIN       := $(VENV)/bin
LOCKS     := requirements/lock.txt requirements/uv.txt
# The stamp's name is the hash of what decides the venv's content, so a checkout's
# file times do not matter and switching branches reinstalls exactly when needed.
STAMP     := $(VENV)/.ok-$(shell cat $(LOCKS) pyproject.toml 2>/dev/null | sha256sum | cut -c1-16)-$(INSTALLER)
UV_LOCK   := pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header

export PIP_DISABLE_PIP_VERSION_CHECK = 1
export PIP_NO_INPUT = 1
export UV_NO_CONFIG = 1
export UV_SYSTEM_CERTS = 1
export UV_PYTHON_DOWNLOADS = never
export NO_MKDOCS_2_WARNING = 1

.PHONY: setup demo test check types lint docs bench soak guests matrix lock lock-check clean
setup: $(STAMP)

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit("evenhand needs Python 3.11 or newer, not %d.%d" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo 'Python cannot make a venv: on Debian, apt-get install python3-venv' >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(STAMP): $(VENV)/.created
	@rm -f $(VENV)/.ok-*
ifeq ($(INSTALLER),uv)
	$(BIN)/python -m pip install -q --no-deps --require-hashes --only-binary :all: -r requirements/uv.txt
	$(BIN)/uv pip sync -q --python $(BIN)/python --require-hashes --only-binary :all: --compile-bytecode requirements/lock.txt
else
	$(BIN)/python -m pip install -q --no-deps --require-hashes --only-binary :all: -r requirements/lock.txt
endif
	$(BIN)/python -m pip install -q --no-deps --no-build-isolation --no-index -e .
	@touch $@

demo: setup
	$(BIN)/evenhand demo

test: setup
	$(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder

check: setup
	@$(MAKE) --no-print-directory --jobs=2 types lint docs lock-check

types: setup
	$(BIN)/mypy

lint: setup
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/lint-imports

docs: setup
	$(BIN)/mkdocs build -q --strict

bench: setup
	$(BIN)/python -m benchmarks

lock: setup
	$(BIN)/uv $(UV_LOCK) --fork-strategy fewest --excludes requirements/excludes.txt -o requirements/lock.txt requirements/all.in
	$(BIN)/uv $(UV_LOCK) --fork-strategy fewest --excludes requirements/excludes.txt -o requirements/guests.txt requirements/guests.in
	$(BIN)/uv $(UV_LOCK) -o requirements/uv.txt requirements/uv.in
	! grep -n '://' requirements/lock.txt requirements/guests.txt requirements/uv.txt

# What takes minutes (kills, loads) and lies outside continuous integration; its log is committed.
# FULLY: what `make test` runs too, but shorter.
SOAKED := tests/soak/log.txt
FULLY := tests/study/generation/test_answers_real.py tests/study/test_panel_real.py tests/e2e/test_desk_killed.py
soak: setup
	echo "# make soak; $$($(BIN)/python -V), $$(uname -sm)" > $(SOAKED)
	{ EVENHAND_SOAK=1 $(BIN)/python -m pytest -q -s tests/soak $(FULLY) 2>&1 || echo 'make soak: FAILED'; } \
		| sed 's#/[^ ]*/pytest-[^ ]*/#…/#g' | tee -a $(SOAKED)
	@! grep -q '^make soak: FAILED' $(SOAKED)
	$(BIN)/python -m tests.soak.desk $(SOAKED)
	$(BIN)/python -m tests.soak.calls $(SOAKED)

# What is imported from, exported to and searched through others, tested against their own packages, and what runs on
# Ray: in a venv of its own (about 2 GB), outside continuous integration; its log is committed.
GUESTS := $(VENV)-guests
$(GUESTS)/.ok-$(shell cat requirements/guests.txt 2>/dev/null | sha256sum | cut -c1-16): setup
	$(PYTHON) -m venv --clear $(GUESTS)
	$(BIN)/uv pip sync -q --python $(GUESTS)/bin/python --require-hashes --only-binary :all: requirements/guests.txt
	$(BIN)/uv pip install -q --python $(GUESTS)/bin/python --no-deps --no-build-isolation --no-index -e .
	@touch $@

guests: $(GUESTS)/.ok-$(shell cat requirements/guests.txt 2>/dev/null | sha256sum | cut -c1-16)
	$(GUESTS)/bin/python -m pytest -q -p no:cacheprovider -p no:asyncio tests/guests 2>&1 | tee tests/guests/log.txt

# Wheel and sdist on every Python that is here, with and without each extra, with the oldest companions allowed.
matrix: setup
	$(BIN)/python -m tests.soak.install tests/soak/install.txt

# The lock is in date when every requirement of all.in and of pyproject.toml is met by it.
lock-check: setup
	$(BIN)/python tests/lock_in_date.py

clean:
	rm -rf $(VENV) $(GUESTS) site
