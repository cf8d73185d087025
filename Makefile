# ringpeak: everything is built through make. `make help` lists the targets.
# Outputs land in build/out; the one generated file elsewhere is go/engine/cring/coreid.go.

VERSION = 0.1.0

# Settings, on the command line or in the environment:
#   LIBURING=PATH     a tarball or tree of the pinned liburing, instead of the network
#   LIBURING=system   the installed liburing (pkg-config) instead of the pinned one
#   NATIVE=1          compile csrc/ for this very CPU; such a binary dies on others
#   STATIC=1          link without shared libraries
#   ARGS="..."        arguments for `make run` and `make bench`
#   PREFIX, DESTDIR   where `make install` puts things
#   CC, GO            the tools
#   V=1               show the commands
PREFIX ?= /usr/local
GO ?= go
ifneq ($(filter default undefined,$(origin CC)),)
CC := gcc
endif

OUT := build/out
BIN := $(OUT)/ringpeak

Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),@:,@printf '  %-7s %s\n')

.DEFAULT_GOAL := build
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-print-directory
.PHONY: FORCE
FORCE:

include liburing/PIN
include build/core.mk
include build/go.mk
include build/test.mk
include build/lab.mk

.PHONY: all build static fetch run bench notices install clean distclean fmt help

all: build
build: $(BIN) ## build build/out/ringpeak (the default; also `make all`)

static: $(BIN)-static ## build build/out/ringpeak-static, which needs no shared library

fetch: ## get and verify liburing, so that the build needs no network for it
	$(Q)[ "$(LIBURING)" = system ] || LIBURING='$(LIBURING)' liburing/fetch.sh

# What the build says goes to stderr, so that stdout holds the results alone.
run: ## build, then run it: make run ARGS="-d128 /dev/nvme0n1"
	@$(MAKE) build >&2
	$(Q)$(BIN) $(ARGS)

bench: ## build, with the C benchmarks (build/out/bench/bench_*), then run build/bench.sh with ARGS
	@$(MAKE) build $(CBENCH_NAMES:%=$(OUT)/bench/bench_%) >&2
	$(Q)build/bench.sh $(ARGS)

notices: $(OUT)/NOTICES.md ## collect the licences of what is linked in
$(OUT)/NOTICES.md: liburing/NOTICE.md go.mod build/notices.sh
	$(Q)mkdir -p $(@D)
	$(say) GEN $@
	$(Q)GO='$(GO)' build/notices.sh >$@

install: build notices ## install into PREFIX (/usr/local), below DESTDIR if given
	$(say) INSTALL $(DESTDIR)$(PREFIX)/bin/ringpeak
	$(Q)install -D -m 755 $(BIN) '$(DESTDIR)$(PREFIX)/bin/ringpeak'
	$(Q)install -D -m 644 LICENSE '$(DESTDIR)$(PREFIX)/share/doc/ringpeak/LICENSE'
	$(Q)install -D -m 644 $(OUT)/NOTICES.md '$(DESTDIR)$(PREFIX)/share/doc/ringpeak/NOTICES.md'

clean: ## remove what was built
	$(Q)rm -rf $(OUT) $(COREID_GO)

distclean: clean ## remove the fetched liburing as well
	$(Q)rm -rf liburing/src

fmt: ## format the Go sources
	$(Q)gofmt -l -w go cmd build

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | LC_ALL=C sort -t'|' -k1,1 | awk -F'|' '{ printf "%-14s %s\n", $$1, $$2 }'
	@sed -n '/^# Settings/,/^[^#]/s/^#  *\([A-Z].*=.*\|[A-Z]*, .*\|V=1.*\)/  \1/p' Makefile
