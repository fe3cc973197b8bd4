# evalweb. `make run` and `make test` need Python 3.11 or newer with pip; everything else they bring along.
PYTHON ?= python3
PY := .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help run stop test test-fast test-all lint bench backup restore docs messages screenshots lock run-venv dev-venv

help:
	@echo "make run               start everything here and say where it is; Ctrl-C stops it"
	@echo "make run DEMO=no       the same without the demonstration studies"
	@echo "make stop              stop it from another terminal"
	@echo "make test              linters and the whole suite, with a real browser"
	@echo "make test-fast         the suite without database, browser and whole starts"
	@echo "make test-all          the suite with every example, theme and width, and many more drawn examples"
	@echo "make lint              linters, types, contracts, migrations"
	@echo "make bench             benchmarks, by hand"
	@echo "make backup            database, media and secrets into one file"
	@echo "make restore FILE=...  replace everything by a backup"
	@echo "make screenshots       draw the screenshots of the docs anew"
	@echo "make docs              write the pages and tables of the docs that the program knows"
	@echo "make messages          collect texts for translators"
	@echo "make lock              write the exact versions that the image installs"

# `make run DEMO=no` leaves the demonstration studies out.
ifeq ($(DEMO),no)
export EVALWEB_DEMO := 0
endif

# What Python has compiled is kept, whatever the environment says: many processes import the same modules.
export PYTHONDONTWRITEBYTECODE :=

# The commands below are run without a shell between, so that a signal for make reaches them.

run: run-venv
	@$(PY) -m evalweb.serve

stop: run-venv
	@$(PY) -m evalweb.serve stop

test: dev-venv
	@$(PY) scripts/lint.py --skip-types-of-tests
	@echo "Running the whole suite"
	@$(PY) -m pytest -n 2

test-fast: dev-venv
	@$(PY) -m pytest -n 2 -m "not database and not browser and not whole"

test-all: lint
	@echo "Running the whole suite with everything it leaves out otherwise"
	@$(PY) -m pytest -n 2 --exhaustive

screenshots: dev-venv
	@$(PY) -m pytest -n 0 -q tests/screenshots.py

lint: dev-venv
	@$(PY) scripts/lint.py

bench: dev-venv
	@$(PY) -m bench

backup: run-venv
	@$(PY) -m evalweb.backup create

restore: run-venv
	@test -n "$(FILE)" || { echo "Say which backup: make restore FILE=var/backups/evalweb-....tar.gz"; exit 2; }
	@$(PY) -m evalweb.backup restore "$(FILE)"

docs: dev-venv
	@$(PY) scripts/docs.py

messages: dev-venv
	@$(PY) scripts/messages.py

lock: run-venv
	@$(PY) scripts/lock.py

run-venv:
	@$(PYTHON) scripts/bootstrap.py

dev-venv:
	@$(PYTHON) scripts/bootstrap.py --dev
