# The front door. `make help` lists what there is. Everything is built under build/PRESET (CMakePresets.json).
.DEFAULT_GOAL := build
.PHONY: help build demo test bench format check nightly install deb clean packages packages-test

MODEL   ?= smollm2-135m
PROMPT  ?= What is photosynthesis?
RANKS   ?= 2
PREFIX  ?= /usr/local
WERROR  ?= OFF
JOBS    ?= $(shell nproc)
command := build/release/bin/colonnade
export MODEL PROMPT

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  MODEL=name-or-path, PROMPT=text and RANKS=n change the demo, JOBS=n how many jobs run at once."

build: ## build the command: build/release/bin/colonnade
	@missing="$$(tools/install_packages.sh --list-missing build)"; [ -z "$$missing" ] || { \
	  echo "missing packages:" $$missing; echo "install them with: tools/install_packages.sh build"; exit 1; }
	cmake --preset release -DCOLONNADE_TESTS=OFF -DCOLONNADE_BENCH=OFF
	cmake --build --preset release -j $(JOBS)

packages:
	@tools/install_packages.sh build

packages-test:
	@tools/install_packages.sh build test

demo: packages ## install what is missing, build, fetch the demo model, cut it in two, let it answer a question
	@$(MAKE) --no-print-directory build
	@model="$$MODEL"; [ -e "$$model" ] || model="$$(tools/get_model "$$model")" || exit 1; \
	  $(command) plan -m "$$model" --tp $(RANKS) --brief || exit 1; echo; \
	  how=chat; ! $(command) info -m "$$model" | grep -q '^template *none' || how=run; \
	  exec $(command) $$how -m "$$model" --tp $(RANKS) -p "$$PROMPT" --seed 2 --max-tokens 120

test: packages-test ## install what is missing, build, run every test
	cmake --preset release -DCOLONNADE_TESTS=ON -DCOLONNADE_BENCH=ON -DCOLONNADE_WERROR=$(WERROR)
	cmake --build --preset release -j $(JOBS)
	tools/test_models.sh
	ctest --preset release -j $(JOBS)

bench: packages-test ## build and run the benchmark programs
	cmake --preset release -DCOLONNADE_TESTS=ON -DCOLONNADE_BENCH=ON
	cmake --build --preset release -j $(JOBS)
	@for program in build/release/bin/bench_*; do echo "== $$program"; $$program || exit 1; done

format: ## let clang-format rewrite the sources
	@tools/check.py --fix-format

check: packages-test ## format, layers, sizes, tests beside sources, symbols: what tools/check.py lists
	cmake --preset release -DCOLONNADE_TESTS=ON -DCOLONNADE_BENCH=ON -DCOLONNADE_WERROR=$(WERROR)
	cmake --build --preset release -j $(JOBS)
	tools/check.py

nightly: packages-test ## every test in its long form, clang, sanitizers, longer fuzzing
	tools/nightly.sh

install: build ## install the command, the library and its headers under PREFIX
	cmake --install build/release --prefix "$(PREFIX)"

deb: build ## a Debian package of the command: build/colonnade_VERSION_ARCHITECTURE.deb
	@tools/install_packages.sh deb
	@tools/make_deb.sh build/release

clean: ## remove build/
	rm -rf build
