# The lab: Debian kernels in QEMU, without KVM, with NVMe, poll queues and null_blk. See build/lab.
#
#   make lab KERNEL=6.12                              one kernel: 5.10, 6.1, 6.12, 7
#   make lab LAB_PACKAGES=./go/...                    run the tests of these packages inside as well
#   go test -exec "$PWD/build/out/lab/lab exec --kernel 6.12 --" ./go/device    after `make lab-tools`

LAB_KERNELS := 5.10 6.1 6.12 7

.PHONY: lab lab-table lab-shell lab-tools cost

lab: static $(OUT)/lab/c-nvme ## run the lab's tests on all kernels, or on one: make lab KERNEL=6.12
	$(Q)GO='$(GO)' build/lab/test.sh $(or $(KERNEL),$(LAB_KERNELS))

lab-table: static lab-tools ## how interrupts, polling and passthrough relate: make lab-table KERNEL=6.12
	$(Q)$(OUT)/lab/lab table --kernel $(or $(KERNEL),6.12) --bin $(BIN)-static

lab-shell: static lab-tools ## a prompt inside the lab: make lab-shell KERNEL=6.12
	$(Q)$(OUT)/lab/lab shell --kernel $(or $(KERNEL),6.12) --bin $(BIN)-static

# The host's program and the guest's init.
lab-tools: | need-go
	$(say) GO $(OUT)/lab/lab
	$(Q)GO='$(GO)' build/lab/test.sh tools

# The loops to compare with, static as all that runs in the guest.
$(eval $(call c-program,$(OUT)/lab/bench_%,csrc/test/bench_%.c,$(OUT)/lib/libringpeak.a,-static))

# The C test that needs NVMe namespaces.
$(eval $(call c-program,$(OUT)/lab/c-%,csrc/test/test_%.c,$(OUT)/lib/libringpeak.a,-static))

#   make cost UPDATE=1                                keep these figures, in build/lab/cost.txt
#   make cost ARGS="--peer PROGRAM"                   one more column: a static program with the same flags
cost: static lab-tools $(OUT)/lab/bench_bare $(OUT)/lab/bench_c ## count instructions per I/O, compare them with those kept: make cost [UPDATE=1]
	$(Q)CC='$(CC)' $(OUT)/lab/lab cost --kernel $(or $(KERNEL),6.12) --bin $(BIN)-static \
		--bare $(OUT)/lab/bench_bare --loop $(OUT)/lab/bench_c $(if $(filter 1,$(UPDATE)),--update) $(ARGS)
