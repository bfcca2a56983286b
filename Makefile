# SPDX-License-Identifier: Apache-2.0
# make demo | test | test-full | site | browser | linux | bench | lint | record-omnet | record-linux | record-papers | carry-records | release-check | dist | release:
# each installs what it needs, in .venv.
# Nothing else is needed than Python >= 3.11 (with venv), make and g++ >= 12.
#   make test PYTHON=python3.12 VENV=.venv-3.12     another interpreter beside the first
#   make test TESTS=tests/laws OPTIONS=-x           a part, with options of pytest; test-full likewise
SHELL := /bin/bash
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
# By uv, a third of pip's time; by pip where uv cannot (settings that only pip knows, such as a private index). Python
# compiles what is imported, once: pip would compile a gigabyte of packages for a minute.
install = { $(BIN)/uv pip install -q --python $(BIN)/python $(1) 2>/dev/null || $(PIP) install --no-compile --prefer-binary $(1); }
unexport PYTHONDONTWRITEBYTECODE
TESTS ?= tests
OPTIONS ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 1)
SOURCES := $(shell find agents markets analysis omnet/laws omnet/bridge omnet/host omnet/engine omnet/inet \
	omnet/simulations -type f -not -name '*.pyc' -not -name '*.so' -not -path 'analysis/site/*' -not -path omnet/inet/Makefile 2>/dev/null) CMakeLists.txt pyproject.toml

WITH_LINUX := $(if $(filter tests tests/linux%,$(TESTS)),$(shell test "$$(id -u)" = 0 && test -w /dev/net/tun && echo yes))
WITH_OMNET := $(if $(INET_ROOT),$(or $(OMNETPP_ROOT),$(shell command -v opp_run)))

NLOHMANN_INCLUDE ?= $$($(BIN)/python -c \
  "import os, nlohmann_json; print(os.path.join(os.path.dirname(nlohmann_json.__file__), 'include'))")

.PHONY: demo test test-full test-pythons site browser omnet linux bench torture record-omnet record-linux record-papers carry-records release-check release dist lint sanitize clean
.DELETE_ON_ERROR:

demo: $(VENV)/installed
	@rm -rf results/demo
	@$(BIN)/ecnomy run configs/examples/gold-silver.yaml --out results/demo
	@$(BIN)/ecnomy show results/demo

test: $(VENV)/installed $(VENV)/test $(if $(WITH_OMNET),omnet) $(if $(WITH_LINUX),linux)
	@$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup $(OPTIONS) $(TESTS)

# Everything at full depth: all seeds, every mutant, papers measured again, the torture, each supported Python.
test-full: $(VENV)/installed $(VENV)/test $(if $(WITH_OMNET),omnet) $(if $(WITH_LINUX),linux)
	@$(BIN)/python -m pytest --full -n $(JOBS) --dist loadgroup $(OPTIONS) $(TESTS)
	@$(if $(filter tests,$(TESTS)$(OPTIONS)),$(MAKE) --no-print-directory torture test-pythons)

test-pythons: $(VENV)/installed
	@.ci/pythons | while read -r version python; do \
	  test "$$version" = "$$($(BIN)/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')" || \
	  $(MAKE) --no-print-directory test PYTHON="$$python" VENV=.venv-$$version </dev/null || exit 1; done

# The documentation site, build/site/index.html: a warning or a broken link ends it.
site: $(VENV)/installed $(VENV)/site
	@$(BIN)/python analysis/site/build.py

# The built-in engine as a WebAssembly module, build/browser/ecnomy-engine.js; needs Emscripten.
browser: $(VENV)/installed
	@$(BIN)/python omnet/tools/browser_engine.py

# ecnomy's modules for OMNeT++, where OMNETPP_ROOT (or opp_run on the PATH) and INET_ROOT are.
omnet: $(VENV)/installed
	@$(MAKE) --no-print-directory -C omnet -j $(JOBS) NLOHMANN_INCLUDE=$(NLOHMANN_INCLUDE)

# The engine on the kernel's TCP, omnet/linux/ecnomy-linux; needs g++ and Linux headers.
linux: $(VENV)/installed
	@$(MAKE) --no-print-directory -C omnet/linux -j $(JOBS) NLOHMANN_INCLUDE=$(NLOHMANN_INCLUDE)

bench: $(VENV)/installed $(VENV)/test
	@$(BIN)/python tests/bench/bench_engine.py
	@$(BIN)/python tests/bench/bench_browser.py
	@$(BIN)/python tests/bench/bench_marking.py
	@$(BIN)/python tests/bench/bench_window.py
	@$(BIN)/python tests/bench/bench_curve.py
	@$(BIN)/python tests/bench/plot_curve.py
	@$(BIN)/python tests/bench/bench_ns3.py
	@$(BIN)/python tests/bench/bench_inet.py
	@$(BIN)/python tests/bench/bench_decisions.py
	@$(BIN)/python tests/bench/bench_bridge.py
	@$(BIN)/python tests/bench/bench_market.py
	@$(BIN)/python tests/bench/bench_crowd.py
	@$(BIN)/python tests/bench/bench_sweep.py
	@$(BIN)/python tests/bench/bench_rows.py
	@$(BIN)/python tests/bench/bench_rl.py
	@$(BIN)/python tests/bench/plot_history.py

# A sweep that is killed, starved of disk and corrupted at random moments, then single markets that are killed; some minutes.
#   make torture TORTURE="--seed 7"      the same moments again
torture: $(VENV)/installed $(VENV)/test
	@$(BIN)/python tests/torture/torture.py $(TORTURE)
	@$(BIN)/python tests/torture/torture_markets.py $(TORTURE)

# What OMNeT++/INET gives in each equivalence scenario, anew; goes on where it was interrupted.
#   make record-omnet RECORDS="two-links voip-web"      some of them
record-omnet: $(VENV)/installed $(VENV)/test $(if $(WITH_OMNET),omnet)
	@$(BIN)/python -m ecnomy.analysis.compare.recording --jobs $(JOBS) $(RECORDS)

# What the kernel's TCP gives in the scenarios of linux.yaml, as root on an idle machine: 45 minutes of real time.
#   make record-linux RECORDS="reno-1 gold-silver"      some of them
record-linux: $(VENV)/installed $(VENV)/test linux
	@$(BIN)/python -m ecnomy.analysis.compare.recording --engine linux $(RECORDS)

# All claims of the papers, whole and quick, into tests/validation/papers.json; with grids two hours and more; goes on likewise.
record-papers: $(VENV)/installed $(VENV)/test
	@$(BIN)/ecnomy reproduce --all --quick
	@$(BIN)/ecnomy reproduce --all
	@$(BIN)/python -m ecnomy.analysis.reproduce.record results/reproduce tests/validation/papers.json

# After a change of code: all probes that are due, on OMNeT++/INET too where it is; records that nothing moved take the
# digests of the code as it is, so that no probe of theirs is due any more. What moved stays stale.
carry-records: $(VENV)/installed $(VENV)/test $(if $(WITH_OMNET),omnet)
	@$(BIN)/python tests/validation/records.py --carry

# Before a release: everything at full depth, and no record is stale.
release-check: lint test-full
	@$(BIN)/python tests/validation/records.py --budget inf --strict

# A release: all of that, the site, and in dist/ the sdist and the wheel made of it, for every Linux that is not too old.
release: release-check site dist

# The wheel follows the tutorial in an environment that has nothing else.
dist: $(VENV)/release
	@rm -rf build/release dist
	@PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m build -q --outdir build/release .
	@PATH="$(abspath $(BIN)):$$PATH" $(BIN)/auditwheel repair -w dist build/release/*.whl 2>/dev/null
	@cp build/release/*.tar.gz dist
	@$(BIN)/twine check --strict dist/*
	@$(PYTHON) -m venv build/release/venv
	@build/release/venv/bin/python -m pip --disable-pip-version-check -q install "$$(echo dist/*.whl)[report]"
	@$(PYTHON) tests/acceptance/tutorial_text.py "$(abspath build/release/venv/bin/ecnomy)"
	@ls -l dist

lint: $(VENV)/installed $(VENV)/test $(VENV)/lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy agents/ecnomy markets/ecnomy analysis/ecnomy analysis/site/sitegen
	git ls-files 'tests/*.py' | grep -vE '/(test_|bench_|conftest)' | xargs $(BIN)/mypy
	PYTHONPATH=agents:markets:analysis $(BIN)/lint-imports --config pyproject.toml
	git ls-files '*.h' '*.cc' | xargs $(BIN)/clang-format --dry-run --Werror
	$(BIN)/clang-tidy --quiet $$(git ls-files 'omnet/bridge/*.cc' 'omnet/engine/*.cc' 'omnet/host/*.cc' 'omnet/linux/*.cc') -- \
	  -std=c++20 -Iomnet -isystem $(NLOHMANN_INCLUDE) -DECNOMY_VERSION='"lint"'
	git ls-files | xargs $(BIN)/codespell

# The engine with address and undefined behaviour sanitizers, and its tests on it, but for the long runs against
# theory. No -Werror here: g++ 12 warns of std::string's own code under sanitizers.
sanitize: $(VENV)/installed $(VENV)/test
	@PATH="$(abspath $(BIN)):$$PATH" cmake -S . -B build/sanitize -DECNOMY_SANITIZE=ON \
	  -DECNOMY_VERSION=sanitize -DPython3_EXECUTABLE=$(abspath $(BIN)/python) >/dev/null
	@PATH="$(abspath $(BIN)):$$PATH" cmake --build build/sanitize -j $(JOBS)
	@ECNOMY_ENGINE=$(abspath build/sanitize/ecnomy-engine) $(BIN)/python -m pytest -n $(JOBS) \
	  tests/engine tests/bridge -k "not theory and not window_laws"

clean:
	@$(MAKE) --no-print-directory -C omnet cleanall
	rm -rf build dist $(VENV) results .pytest_cache .mypy_cache .ruff_cache .hypothesis

# ---- set-up

$(VENV)/base: pyproject.toml
	@test -n "$(PYTHON)" || { echo "ecnomy needs Python >= 3.11 (Debian: apt-get install python3 python3-venv)"; exit 1; }
	@command -v g++ >/dev/null || { echo "ecnomy needs g++ >= 12 (Debian: apt-get install g++)"; exit 1; }
	@test "$$(g++ -dumpversion | cut -d. -f1)" -ge 12 || { echo "ecnomy needs g++ >= 12, found $$(g++ -dumpversion) (Debian: apt-get install g++)"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "ecnomy needs Python's venv module (Debian: apt-get install python3-venv)"; exit 1; }
	@echo "Setting up $(VENV) (a minute or two, once)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) install uv 2>/dev/null || true
	@$(call install,"scikit-build-core>=1.0" "nlohmann-json>=3.11" "cmake>=3.20" ninja)
	@touch $@

# The packages, with those of EXTRAS, fetched while the engine is compiled (by uv alone; where it cannot, pip fetches
# them afterwards). What most tests import is compiled here once: each of the suite's workers would do it again.
test test-full bench torture lint sanitize record-omnet record-papers carry-records $(VENV)/test: EXTRAS = --extra test
IMPORTED = import distributed, duckdb, gymnasium, hypothesis, matplotlib.pyplot, mesa, networkx, optuna, pandas, pytest, \
	rich.console, scipy.optimize, scipy.stats, seaborn, typer
$(VENV)/packages: pyproject.toml | $(VENV)/base
	@$(BIN)/uv pip install -q --python $(BIN)/python -r pyproject.toml $(EXTRAS) 2>/dev/null || true
	@$(if $(EXTRAS),$(BIN)/python -c "$(IMPORTED)" 2>/dev/null || true)
	@touch $@

# Built once for every Python.
build/wheel/made: $(SOURCES) | $(VENV)/base
	@echo "Building ecnomy"
	@rm -f build/wheel/*.whl
	@PATH="$(abspath $(BIN)):$$PATH" $(PIP) wheel --no-build-isolation --no-deps --wheel-dir build/wheel .
	@touch $@

$(VENV)/installed: $(SOURCES) | $(VENV)/base
	@$(MAKE) -s --no-print-directory -j2 build/wheel/made $(VENV)/packages EXTRAS="$(EXTRAS)"
	@$(call install,build/wheel/*.whl)
	@$(PIP) install --no-deps --force-reinstall build/wheel/*.whl
	@touch $@

# Extras of the ecnomy that is installed already, so that nothing is built again.
$(VENV)/test: pyproject.toml | $(VENV)/installed
	@$(call install,"ecnomy[test]")
	@touch $@

$(VENV)/release: pyproject.toml | $(VENV)/installed
	@$(call install,"ecnomy[release]")
	@touch $@

$(VENV)/site: pyproject.toml | $(VENV)/installed
	@$(call install,"ecnomy[site]")
	@touch $@

$(VENV)/lint: pyproject.toml | $(VENV)/installed
	@$(call install,"ecnomy[lint]")
	@touch $@
