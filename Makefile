# Every target makes .venv by itself; `make test` is what .ci/run calls.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: live demo test test-faults test-openenv test-train lint classifier bench evaluate clean

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]' --constraint constraints.txt
	touch $@

demo: .venv/ready
	$(BIN)/bridge demo

test: .venv/ready
	$(BIN)/pytest -m "not faults" --numprocesses auto --maxprocesses 8

test-faults: .venv/ready
	$(BIN)/pytest -m faults --timeout 1800

test-openenv: # OpenEnv brings half a gigabyte along, so it gets an environment of its own
	$(PYTHON) -m venv .venv-openenv
	.venv-openenv/bin/pip install --quiet --disable-pip-version-check --editable '.[openenv]' \
		pytest pytest-socket pytest-timeout hypothesis
	.venv-openenv/bin/python -m pytest tests/rhythm_env/test_openenv.py

test-train: # PyTorch is only needed to train, so it gets an environment of its own
	$(PYTHON) -m venv .venv-train
	.venv-train/bin/pip install --quiet --disable-pip-version-check --editable '.[train]' \
		pytest pytest-socket pytest-timeout hypothesis
	.venv-train/bin/python -m pytest tests/policies/test_training.py

lint: .venv/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

classifier: .venv/ready
	$(BIN)/python -m classifiers.linear $(if $(BRIDGE_SAMPLES),--titles $(BRIDGE_SAMPLES)/calendar/titles_real.tsv)

bench: .venv/ready
	$(BIN)/python -m benchmarks

live: .venv/ready # 40 people for four weeks under each policy: an hour of one core
	$(BIN)/bridge live --people 40 --weeks 4 --policy planner,heuristic,random,thompson --write bridge/lab/LIVE.md --picture bridge/lab/live.svg

evaluate: .venv/ready # every policy in every condition, 500 weeks each: 40 minutes of one core
	$(BIN)/bridge evaluate --comparison --episodes 500 --write rhythm_env/README.md --picture rhythm_env/answers.svg

clean:
	rm -rf .venv .venv-openenv .venv-train .venv-healthkit build dist
