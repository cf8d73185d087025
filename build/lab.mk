# The lab: Debian kernels in QEMU, without KVM, with NVMe, poll queues and null_blk. See build/lab.

LAB := $(OUT)/lab/lab
# Oldest first, as kernel.sh knows them; CI runs those of LAB_CI_KERNELS each time.
LAB_KERNELS := 5.10 6.1 6.12 7
LAB_CI_KERNELS := 6.1 6.12
# Packages whose tests are run in the guest as well.
LAB_PACKAGES := ./go/device ./go/sysfs

.PHONY: lab lab-shell lab-tools

# The host's program and the guest's init. go build keeps its own books, see go.mk.
lab-tools: | need-go
	$(say) GO $(LAB)
	$(Q)mkdir -p $(OUT)/lab
	$(Q)CGO_ENABLED=0 $(GO) build -buildvcs=false -o $(LAB) ./build/lab/lab
	$(Q)CGO_ENABLED=0 $(GO) build -buildvcs=false -ldflags '-s -w' -o $(OUT)/lab/init ./build/lab/init

lab: static lab-tools ## run the lab's tests on all kernels, or on one: make lab KERNEL=6.12 (5.10, 6.1, 6.12, 7)
	$(Q)LAB_PACKAGES='$(LAB_PACKAGES)' GO='$(GO)' build/lab/test.sh $(or $(KERNEL),$(LAB_KERNELS))

lab-shell: static lab-tools ## a prompt inside the lab: make lab-shell KERNEL=6.12
	$(Q)$(LAB) shell --kernel $(or $(KERNEL),6.12) --bin $(BIN)-static
