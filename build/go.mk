# The binary. go build runs every time and is quick when nothing changed: it keeps its own books.
# What it cannot see is the content of the archives that cring links (its LDFLAGS only name
# build/out/lib). The generated constant in $(COREID_GO) makes that visible: new id, new package hash.

# Asked for only when a binary is built. No git, no commit, a foreign owner ("dubious ownership"): unknown.
COMMIT = $(shell { [ -e .git ] && git describe --always --dirty 2>/dev/null; } || echo unknown)

# Spelled out, because the user's environment may have switched them off.
GO_CGO := CGO_ENABLED=1 CC='$(CC)' $(GO)
GO_STATIC_TAGS := netgo,osusergo

# $(1) = tags, $(2) = further linker flags
go-build = $(GO_CGO) build -buildvcs=false -tags '$(1)' \
	-ldflags '-X main.version=$(VERSION) -X main.commit=$(COMMIT) $(2)' -o $@ ./cmd/ringpeak
go-build-static = $(call go-build,$(GO_STATIC_TAGS),-linkmode external -extldflags -static)

$(BIN): $(ARCHIVES) $(COREID_GO) FORCE | need-go
	$(say) GO $@
	$(Q)$(if $(filter 1,$(STATIC)),$(go-build-static),$(call go-build))

$(BIN)-static: $(ARCHIVES) $(COREID_GO) FORCE | need-go
	$(say) GO $@
	$(Q)$(go-build-static)

.PHONY: need-go
need-go:
	@command -v $(firstword $(GO)) >/dev/null || { echo "go is missing: Go $$(sed -n 's/^go //p' go.mod) or later is needed (or make GO=/path/to/go)" >&2; exit 1; }
