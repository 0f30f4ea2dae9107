# What can be done here. Every target sets up what it needs; `make` alone lists them.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.ready
STEP   := ./tools/setup/step

# The system's packages that the tests need and a fresh Debian lacks: the browser and the servers.
TEST_PACKAGES := bubblewrap chromium nginx openssl postgresql
# For the image's tests as root, in make test-slow.
IMAGE_PACKAGES := buildah debootstrap runc
# Chromium without a window's machinery, which the tests take where there is one: it costs much less.
HEADLESS      := chromium-headless-shell

# The sheets' folders: their files import each other by bare names, so each is checked alone.
SHEETS := $(wildcard course/sheets/*/solution)

# Where bytecode is not written, each test worker compiles every test and each server the whole site.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup run check instructor-link test test-newest test-slow test-costs mutants-web lint bench load mutants simulate lock words wheel sizes screenshots audit clean

help:
	@echo "make setup      set everything up"
	@echo "make run        set up and serve (HOST, PORT, DATA_DIR … from the environment)"
	@echo "make check      report problems with the settings, the disk and the port"
	@echo "make instructor-link  print a single-use link that lets a browser open classes"
	@echo "make test       set up and run every test and check of the default run"
	@echo "make test-newest  the tests of the site with the newest Python here (TESTS=tests/web for a folder's)"
	@echo "make test-slow  the exact and statistical checks that take minutes (TESTS=tests/core for a folder's)"
	@echo "make test-costs  print the processor seconds of each test file and fixture"
	@echo "make mutants-web  plant faults into site and kit, and check that a test finds each"
	@echo "make bench      measure the cost of a move, compared with an ordinary app"
	@echo "make load       measure how many students a machine can serve"
	@echo "make mutants    change the rules in small ways, and check that tests notice (MUTANTS=\"cardgames.cards*\")"
	@echo "make simulate   hours of a class with faults, by seed (SEED=1 SEEDS=10 HOURS=1 STUDENTS=60)"
	@echo "make words      add new texts to the languages' catalogues and compile them (LANGUAGE=fr for a new one)"
	@echo "make screenshots  retake the pictures of the README and the guides"
	@echo "make wheel      build the students' package, which /sheets offers, and the site's"
	@echo "make lock       pin the newest versions that pyproject.toml allows, with hashes"
	@echo "make sizes      count the files and lines of Python, templates, styles and scripts by part"
	@echo "make audit      check the pinned versions against the vulnerability database"

setup: $(STAMP) $(VENV)/.compressed .browser/manifest.json

$(STAMP): requirements.txt
	@$(STEP) "Packages of the site" ./tools/setup/environment $(PYTHON) $(VENV) requirements.txt
	@touch $@

# Compressed copies of the static files, made again when one changes.
$(VENV)/.compressed: $(STAMP) $(shell find static -name '*.svg' -o -name '*.css' -o -name '*.js')
	@$(STEP) "Static files, compressed" $(BIN)/python -m whitenoise.compress --quiet static
	@touch $@

# CPython for browsers, from a pinned wheel, and the package that runs there. If the wheel cannot be
# fetched, the set-up continues without a manifest, and the next one tries again. A server without
# access to PyPI takes it from a file: make setup WHEEL=flet_web-….whl
BROWSER_SOURCES := tools/setup/browser_python requirements-browser.txt course/browser/worker.js \
    $(shell find cardgames course templates translations -name '*.py' -o -name '*.html' -o -name '*.md' -o -name '*.toml' -o -name '*.txt' -o -name '*.mo' 2>/dev/null)
.browser/manifest.json: $(STAMP) $(BROWSER_SOURCES)
	@$(STEP) "Python for browsers$(if $(wildcard .browser/runtime),, (27 MB to download))" $(BIN)/python tools/setup/browser_python .browser $(WHEEL)

$(VENV)/.ready-dev: $(STAMP) $(VENV)/.compressed .browser/manifest.json requirements-dev.txt
	@$(STEP) "Programs of the tests" ./tools/setup/packages $(TEST_PACKAGES)
	@./tools/setup/packages $(HEADLESS) 2>/dev/null || true
	@$(STEP) "Packages of the tests" ./tools/setup/environment $(PYTHON) $(VENV) requirements-dev.txt
	@touch $@

# Each part of the set-up is named as it begins. A second start has nothing to set up.
run: setup
	@$(BIN)/python app.py

check: setup
	@$(BIN)/python app.py check

# With the environment of the server. CLASS=K7QXB gives its dashboard back.
instructor-link: setup
	@$(BIN)/python app.py instructor-link $(if $(CLASS),--class $(CLASS))

lint: $(VENV)/.ready-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/djlint --quiet --lint templates
	$(BIN)/biome check
	@for sheet in $(SHEETS); do \
	    MYPYPATH=$$sheet $(BIN)/mypy --explicit-package-bases $$sheet/*.py || exit 1; \
	done

# Browser and grader tests mostly wait for other processes, so more workers than processors keep
# these busy. Files in order: those of the browser, which take longest, come first.
TEST_WORKERS := --numprocesses 4 --dist loadfile --no-loadscope-reorder
test: lint
	$(BIN)/pytest $(TEST_WORKERS)

# The default tests once more, with the processor seconds of each file and fixture.
test-costs: $(VENV)/.ready-dev
	$(BIN)/pytest $(TEST_WORKERS) -p tests.support.costs $(TESTS)

# Newer Pythons warn of more, and warnings are errors.
$(VENV)-newest/.ready: requirements-dev.txt
	@$(STEP) "Packages for the newest Python" ./tools/setup/environment "$$(./tools/setup/newest_python)" $(VENV)-newest requirements-dev.txt
	@touch $@

test-newest: $(VENV)/.ready-dev $(VENV)-newest/.ready
	$(VENV)-newest/bin/python --version
	$(VENV)-newest/bin/python -m pytest --numprocesses 2 --dist loadfile $(or $(TESTS),tests/web tests/database)

# TEST_ORDER=worksteal lets idle workers take tests of a file that another one has begun.
test-slow: $(VENV)/.ready-dev
	@./tools/setup/packages $(IMAGE_PACKAGES) 2>/dev/null || true
	$(BIN)/pytest -m slow --numprocesses $(or $(TEST_PROCESSES),3) --dist $(or $(TEST_ORDER),loadfile) --timeout 1200 --durations 25 $(TESTS)

# FAULT="text" plants only the faults with this text.
mutants-web: $(VENV)/.ready-dev
	@$(BIN)/python -m tools.planted_faults $(if $(FAULT),"$(FAULT)")

bench: $(VENV)/.ready-dev
	$(BIN)/python -m tools.benchmarks.moves

load: $(VENV)/.ready-dev
	$(BIN)/python -m tools.benchmarks.load
	$(BIN)/python -m tools.benchmarks.costly
	$(BIN)/python -m tools.benchmarks.classes $(CLASSROOM)

# In an environment of its own: it needs setproctitle, and with that granian's processes have other names.
$(VENV)-mutants/.ready: requirements-dev.txt
	@./tools/setup/environment $(PYTHON) $(VENV)-mutants requirements-dev.txt
	@$(VENV)-mutants/bin/pip install --quiet mutmut==3.8.1
	@touch $@

# Minutes for one module, MUTANTS="cardgames.cards*"; a night for all of them ([tool.mutmut]).
mutants: $(VENV)-mutants/.ready
	nice $(VENV)-mutants/bin/mutmut run --max-children 2 $(if $(MUTANTS),"$(MUTANTS)")
	@$(VENV)-mutants/bin/mutmut results | grep -v "not checked" || true

simulate: $(VENV)/.ready-dev
	$(BIN)/python -m tests.simulation $(if $(SEED),--seed $(SEED)) $(if $(SEEDS),--seeds $(SEEDS)) \
	    $(if $(HOURS),--hours $(HOURS)) $(if $(STUDENTS),--students $(STUDENTS))

# For every Python from 3.11.0 on and every platform at once, not only the one that locks.
LOCK := $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11.0 --generate-hashes --no-emit-index-url --custom-compile-command "make lock" pyproject.toml
lock: $(VENV)/.ready-dev
	$(LOCK) --extra site --output-file requirements.txt
	$(LOCK) --constraint requirements.txt --extra postgresql --output-file requirements-postgresql.txt
	$(LOCK) --constraint requirements.txt --constraint requirements-postgresql.txt --extra site --extra postgresql --extra dev --output-file requirements-dev.txt

# Every text of the code and the templates; the German of the new ones is then written into the .po.
EXTRACT := PYTHONPATH=$(CURDIR) $(BIN)/pybabel --quiet extract --mapping-file pyproject.toml --no-default-keywords --keyword _ --keyword Text --keyword plural:1,2 --no-location --omit-header
words: $(VENV)/.ready-dev
	@pot=$$(mktemp) && trap 'rm -f "$$pot"' EXIT && $(EXTRACT) --output-file "$$pot" . && \
	$(if $(LANGUAGE),$(BIN)/pybabel --quiet init --domain cardgames --input-file "$$pot" --output-dir translations --locale $(LANGUAGE) &&) \
	$(BIN)/pybabel --quiet update --domain cardgames --input-file "$$pot" --output-dir translations --no-fuzzy-matching --ignore-obsolete --ignore-pot-creation-date && \
	$(BIN)/pybabel --quiet compile --domain cardgames --directory translations

# Two wheels, built with what the virtual environment has, so that a class server without a network
# can build them too: for students rules, sheets and grader (pyproject.toml), which the site offers on
# /sheets; and the whole site, with that one in it (tools/wheel).
wheel: setup
	@rm -f dist/*.whl
	$(BIN)/python -m hatchling build --target wheel
	cd tools/wheel && ../../$(BIN)/python -m hatchling build --target wheel --directory ../../dist
	@ls dist/*.whl

# What a maintainer holds in mind, by part, in files and lines.
sizes:
	@git ls-files '*.py' '*.html' '*.css' '*.js' | xargs wc -l | awk 'function add(part) { \
	    files[part] += 1; lines[part] += $$1 } \
	    $$2 != "total" { split($$2, parts, "/"); add(parts[1]); \
	    if (parts[1] == "web" && $$2 ~ /\/.*\//) add("web/" parts[2]); \
	    if (parts[1] !~ /^(tests|tools)$$/) add("without tests and tools") } \
	    END { for (part in lines) printf "%-24s %4d files %6d lines\n", part, files[part], lines[part] }' | sort

screenshots: $(VENV)/.ready-dev
	$(BIN)/python -m tools.art.screenshots

audit: $(VENV)/.ready-dev
	$(BIN)/uv tool run pip-audit==2.10.1 --strict --requirement requirements.txt --require-hashes --disable-pip

clean:
	rm -rf $(VENV) $(VENV)-mutants $(VENV)-newest mutants .browser build dist .mypy_cache .pytest_cache .ruff_cache
