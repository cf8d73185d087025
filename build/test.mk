# Tests and checks. `make test` is what CI runs.

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOFUMPT := mvdan.cc/gofumpt@v0.12.0

.PHONY: test test-all test-packages check-fmt check-changelog vet test-c test-c-tsan test-go test-go-race test-nocgo test-lab lint

# One after the other, also under -j: the first step installs what the others need, and tests that
# measure must not share the CPUs with a compiler.
test: ## formats, vet, C tests under ASan and UBSan, Go tests with and without cgo, two kernels of the lab, cost
	@$(MAKE) test-packages
	@$(MAKE) check-fmt check-changelog
	@$(MAKE) build
	@$(MAKE) vet
	@$(MAKE) test-c
	@$(MAKE) test-go
	@$(MAKE) test-nocgo
	@$(MAKE) test-lab
	@$(MAKE) cost

test-all: ## make test, then ThreadSanitizer, Go's race detector, lint and the lab's other kernels
	@$(MAKE) test
	@$(MAKE) test-c-tsan
	@$(MAKE) test-go-race
	@$(MAKE) lint
	@$(MAKE) lab KERNEL='5.10 7'

test-packages:
	$(Q)build/packages.sh

check-fmt:
	$(say) CHECK gofmt
	@files=$$(gofmt -l go cmd build) && { [ -z "$$files" ] || { echo "not formatted (make fmt):" $$files >&2; exit 1; }; }

check-changelog:
	$(say) CHECK CHANGELOG.md
	@top=$$(sed -n 's/^## \([^ ]*\).*/\1/p' CHANGELOG.md | head -n 1); [ "$$top" = "$(VERSION)" ] || \
		{ echo "CHANGELOG.md begins with '$$top', the Makefile's VERSION is '$(VERSION)'" >&2; exit 1; }

vet: $(ARCHIVES) $(COREID_GO) | need-go
	$(say) VET ./...
	$(Q)$(GO_CGO) vet ./...

test-c: $(CTEST_NAMES:%=$(OUT)/test/asan/c-%) ## the C tests under ASan and UBSan
	$(say) TEST 'csrc (asan, ubsan)'
	$(Q)UBSAN_OPTIONS=print_stacktrace=1 build/ctest.sh $^

# Without address randomisation: the run-time library of older GCCs cannot map its shadow on kernels
# that randomise more bits than it expects. TSan's own status for a finding is 66, which fails.
test-c-tsan: $(CTEST_NAMES:%=$(OUT)/test/tsan/c-%)
	$(say) TEST 'csrc (tsan)'
	$(Q)setarch -R build/ctest.sh $^

# The archives are no part of Go's cache key (see go.mk), devices even less: never a cached pass.
test-go: $(ARCHIVES) $(COREID_GO) | need-go ## the Go tests
	$(say) TEST ./...
	$(Q)$(GO_CGO) test -count=1 ./...

# Programs under the race detector sleep for a second before they end, unless told not to: a
# comparison in pairs starts dozens of them.
test-go-race: $(ARCHIVES) $(COREID_GO) | need-go
	$(say) TEST './... (race)'
	$(Q)GORACE=atexit_sleep_ms=0 $(GO_CGO) test -race -count=1 ./...

# Without cgo there is a stub that says what is missing; all else must build and pass.
test-nocgo: | need-go
	$(say) TEST './... (no cgo)'
	$(Q)CGO_ENABLED=0 $(GO) vet ./...
	$(Q)CGO_ENABLED=0 $(GO) build -buildvcs=false ./...
	$(Q)CGO_ENABLED=0 $(GO) test -count=1 ./...

test-lab: ## the lab on the two kernels that most servers run: 6.1 and 6.12
	$(Q)$(MAKE) lab KERNEL='6.1 6.12'

# The linters are pinned here and not in go.mod, so that their modules do not become ours.
lint: $(ARCHIVES) $(COREID_GO) | need-go ## staticcheck, gofumpt, shellcheck (if installed)
	$(say) LINT staticcheck
	$(Q)$(GO_CGO) run $(STATICCHECK) ./...
	$(say) LINT gofumpt
	@files=$$($(GO) run $(GOFUMPT) -l go cmd build) && { [ -z "$$files" ] || { echo "gofumpt would change:" $$files >&2; exit 1; }; }
	@if command -v shellcheck >/dev/null; then echo '  LINT    shellcheck'; shellcheck -S warning -x -P liburing -P build/lab liburing/*.sh build/*.sh build/lab/*.sh; fi
