# `make bench` and `make test` need Python 3.11 or newer and nothing else: they make their own environment in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
LOCK := requirements/bench.txt
BENCH_FLAGS ?=

.PHONY: bench test test-browser long coverage certificates perf redaction docs screenshots clean lock schemas

bench: $(VENV)/.bench-ready
	@$(BIN)/bench all $(BENCH_FLAGS); code=$$?; \
	if [ $$code -ne 0 ]; then echo "bench ended with exit code $$code (make turns every failure into its own 2)"; fi; exit $$code

test: $(VENV)/.test-ready
	$(BIN)/ruff check bench tests docs/conf.py
	$(BIN)/ruff format --check bench tests docs/conf.py
	$(BIN)/mypy
	$(BIN)/python -m pytest -m "not long and not browser" -n 2 --dist loadfile
	@echo "The pages were not opened in a browser: make test-browser does that (it needs Chromium)."

test-browser: $(VENV)/.test-ready
	$(BIN)/python -m pytest -m browser tests/browser

long: $(VENV)/.test-ready
	$(BIN)/python -m pytest -m long -s

coverage: $(VENV)/.test-ready
	PYTHONPATH=tests BENCH_COVERAGE_SCALE=10 $(BIN)/python tests/long/test_interval_coverage.py > reports/coverage/intervals.csv
	$(BIN)/python tests/coverage_table.py > reports/coverage/outside.md

certificates: $(VENV)/.test-ready
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python tests/long/certificate_simulation.py reports/certificates
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python tests/long/test_drift_simulation.py > reports/certificates/drift.md
	PYTHONPATH=tests OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python tests/recalibration_grid.py > reports/certificates/recalibration.md
	BENCH_COVERAGE_SCALE=2.5 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python tests/prevalence_table.py
	$(BIN)/python tests/synthetic_certificate.py reports/certificates
	$(BIN)/bench calibrate --suite lessons --out reports/certificates/lessonbench.md; test $$? -eq 2

perf: $(VENV)/.test-ready
	$(BIN)/python tests/perf/bootstrap.py > reports/perf/bootstrap.md
	OPENBLAS_NUM_THREADS=1 $(BIN)/python tests/perf/two_judges.py > reports/perf/two-judges.md
	OPENBLAS_NUM_THREADS=1 $(BIN)/python tests/perf/probabilities.py > reports/perf/probabilities.md
	$(BIN)/python tests/perf/check.py > reports/perf/check.md
	$(BIN)/python tests/perf/sweep.py > reports/perf/sweep.md
	$(BIN)/python tests/perf/import_claude.py > reports/perf/import.md
	$(BIN)/python tests/perf/report_page.py > reports/perf/page.md

screenshots: $(VENV)/.test-ready
	$(BIN)/bench report --out build/screenshots >/dev/null
	$(BIN)/python tests/browser/screenshots.py build/screenshots/report.html docs/images

redaction: $(VENV)/.test-ready
	PYTHONPATH=tests $(BIN)/python tests/redaction_table.py $(SESSIONS) > reports/redaction/README.md

# The reference is made from the code; the site is what a reader of build/docs/index.html sees.
docs: $(VENV)/.test-ready
	$(BIN)/python tests/reference_pages.py
	$(BIN)/python -m sphinx -W --keep-going -q -c docs -b html -d build/doctrees . build/docs

schemas: $(VENV)/.bench-ready
	$(BIN)/bench schema

# The parts are installed from the lock; the project itself without its dependencies, so nothing unpinned gets in.
$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed (set PYTHON=...)"; exit 3; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.bench-ready: $(LOCK) pyproject.toml | $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements/bench.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

$(VENV)/.test-ready: $(VENV)/.bench-ready requirements/test.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements/test.txt
	@touch $@

# Resolve anew for every Python from 3.11 on and every system; needs uv.
lock:
	uv pip compile --universal --python-version 3.11 --no-header --no-annotate --extra analysis --extra web pyproject.toml requirements/build.in -o requirements/bench.txt
	uv pip compile --universal --python-version 3.11 --no-header --no-annotate --extra analysis --extra web --extra dev pyproject.toml requirements/build.in -c requirements/bench.txt -o requirements/test.txt

clean:
	rm -rf $(VENV) reports/latest
