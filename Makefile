# The whole of Evenhand in a few words: `make report`, `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Jupyter in the same environment slows every start by seconds, so the tools of development have their own.
DEV := .venv-dev

SAMPLE := data/sample
SOURCE ?= $(SAMPLE)/export.sqlite
AS_OF ?= 2026-11-01T00:00:00Z
POLICY ?= $(SAMPLE)/policy.toml
# Reviews and seat records belong to one export: the sample's never stand beside another.
REVIEWS ?= $(if $(filter $(SAMPLE)/export.sqlite,$(SOURCE)),$(SAMPLE)/reviews.ndjson)
SEATS ?= $(if $(filter $(SAMPLE)/export.sqlite,$(SOURCE)),$(SAMPLE)/seats.ndjson)
ANCHOR_KEYS ?= $(if $(filter $(SAMPLE)/export.sqlite,$(SOURCE)),$(SAMPLE)/anchor-keys.json)
OUT ?= reports
LAKE ?= data/lake

export DAGSTER_DISABLE_TELEMETRY := 1

.PHONY: report test test-slow check lint types bench bench-large dev notebook browser postgres lock clean

report: $(VENV)/.core $(SAMPLE)/export.sqlite
	@$(BIN)/python -m pipelines --source $(SOURCE) --as-of $(AS_OF) --policy $(POLICY) --lake $(LAKE) --out $(OUT) \
		$(if $(REVIEWS),--reviews $(REVIEWS)) $(if $(SEATS),--seats $(SEATS)) \
		$(if $(ANCHOR_KEYS),--anchor-keys $(ANCHOR_KEYS))

$(SAMPLE)/export.sqlite: | $(VENV)/.core
	@$(BIN)/evenhand sample $(SAMPLE) --as-of 2026-11-01T00:00:00Z

test: $(VENV)/.test browser postgres
	@$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal -m "not slow"

# Every page in every way, a longer comparison with the naive reference, runs killed at any moment.
test-slow: $(VENV)/.test browser postgres
	@EVENHAND_FUZZ=300 $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal -m "slow or not slow" tests/browser/test_every_page.py tests/property/test_figures_against_reference.py tests/integration/test_every_kind_of_source.py tests/faults tests/integration/test_verify.py tests/golden/test_every_build_verifies.py

# Everything that must hold before a change lands.
check: lint types test

lint: $(VENV)/.test
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/.test
	@$(BIN)/mypy

# Ratios and seconds that the README states, from a generated export.
bench: $(VENV)/.test
	@$(BIN)/python -m tests.bench

bench-large: $(VENV)/.test
	@$(BIN)/python -m tests.bench --large

dev: $(DEV)/.dev $(SAMPLE)/export.sqlite
	@mkdir -p .dagster && cp pipelines/dagster.yaml .dagster/dagster.yaml
	@DAGSTER_HOME=$(CURDIR)/.dagster $(DEV)/bin/dagster dev -m pipelines.definitions

notebook: $(DEV)/.dev data/lake/lake.json
	@$(DEV)/bin/jupyter lab notebooks

data/lake/lake.json: | $(VENV)/.core $(SAMPLE)/export.sqlite
	@$(BIN)/evenhand extract $(SAMPLE)/export.sqlite --lake data/lake

# A browser for the page tests: one that is there, or the distribution's, or Playwright's own.
browser: $(VENV)/.test
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
		|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
			&& apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; } \
		|| $(BIN)/python -m playwright install chromium

# PostgreSQL's programs for the source tests, which start a server of their own and never as root.
postgres:
	@ls /usr/lib/postgresql/*/bin/pg_ctl >/dev/null 2>&1 || command -v pg_ctl >/dev/null \
		|| [ "$$EVENHAND_NO_POSTGRES" = 1 ] \
		|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
			&& apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql; } \
		|| echo "PostgreSQL is not there: install Debian's package postgresql, or set EVENHAND_NO_POSTGRES=1" >&2

$(VENV)/.core: requirements.lock pyproject.toml
	@$(call install,$(VENV),requirements.lock)
	@touch $@

$(VENV)/.test: requirements-test.lock | $(VENV)/.core
	@$(call install,$(VENV),requirements-test.lock)
	@touch $@

$(DEV)/.dev: requirements-dev.lock pyproject.toml
	@$(call install,$(DEV),requirements-dev.lock)
	@touch $@

# Every package is pinned by hash; the project itself is linked, not copied.
define install
echo "Installing $(2) into $(1) ..." && { [ -x $(1)/bin/python ] || $(PYTHON) -m venv $(1); } \
	&& $(1)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement $(2) \
	&& $(1)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
endef

# Renews the locks; needs uv.
LOCK := uv pip compile --quiet --generate-hashes --universal --no-header --no-annotate --no-strip-extras --python-version 3.11 pyproject.toml
lock:
	$(LOCK) --extra install --extra postgresql --output-file requirements.lock
	$(LOCK) --extra install --extra postgresql --extra test --constraint requirements.lock --output-file requirements-test.lock
	$(LOCK) --extra install --extra postgresql --extra test --extra dev --extra notebook --constraint requirements-test.lock --output-file requirements-dev.lock

clean:
	rm -rf $(VENV) $(DEV) data/lake reports/builds reports/latest reports/history.json reports/feed.xml reports/restatements.html .dagster
