# csrc/ into build/out/lib/libringpeak.a, and the Go file that carries its id.

CORE_SRCS := $(sort $(wildcard csrc/*.c))

# _GNU_SOURCE for preadv2 and the like; empty, as in a source's own `#define _GNU_SOURCE`, so that both go together.
# No vectorising: batches are a few dozen CQEs of which one word in four matters; gathering those costs
# more instructions than an OR with memory for each.
CORE_CFLAGS := -std=gnu11 -D_GNU_SOURCE= -O3 -fno-tree-vectorize -g -Wall -Wextra -Werror -Wstrict-prototypes -Wmissing-prototypes -fPIC
# Opt-in only: a binary made for this CPU dies with SIGILL in VMs and on other machines.
ifeq ($(NATIVE),1)
CORE_CFLAGS += -march=native
endif
# The flags carry no absolute path, so the id does not depend on where the tree lies.
ifeq ($(LIBURING),system)
CORE_INCLUDES = -Icsrc $(shell pkg-config --cflags liburing)
else
CORE_INCLUDES = -Icsrc -isystem $(OUT)/liburing/src/include
endif

COREID := $(OUT)/core.id
COREID_GO := go/engine/cring/coreid.go
ARCHIVES := $(OUT)/lib/libringpeak.a $(OUT)/lib/liburing.a
coreid = CC='$(CC)' CORE_CFLAGS='$(CORE_CFLAGS)' LIBURING='$(LIBURING)' build/coreid.sh

# These three run on every build and touch their file only when its content changes.
$(OUT)/lib/liburing.a: FORCE
	$(Q)mkdir -p $(@D)
	$(Q)CC='$(CC)' LIBURING='$(LIBURING)' build/liburing.sh

$(COREID): $(OUT)/lib/liburing.a FORCE
	$(Q)$(coreid) id $@

$(COREID_GO): $(COREID) FORCE
	$(Q)$(coreid) go $@

# One set of objects for each way of compiling. All depend on the id: it is compiled in, and it stands
# for sources, flags, compiler and liburing, so a change of any of them rebuilds.
# Files appear under their names whole, so that another make in the same tree never reads half of one.
# $(1) = name of the set, $(2) = further flags, $(3) = archive
define core-objects
$(OUT)/obj/$(1)/%.o: csrc/%.c $(COREID) Makefile build/core.mk | $(OUT)/lib/liburing.a
	$(Q)mkdir -p $$(@D)
	$$(say) CC '$$<$(if $(filter-out core,$(1)), ($(1)))'
	$(Q)$(CC) $(CORE_CFLAGS) $(2) -DRP_CORE_ID="\"$$$$(cat $(COREID))\"" $$(CORE_INCLUDES) -MMD -MP -MT $$@ -MF $$(@:.o=.d) \
		-c -o $$@.$$$$$$$$ $$< && mv -f $$@.$$$$$$$$ $$@

# Made anew each time: a member whose source is gone must go too.
$(3): $(CORE_SRCS:csrc/%.c=$(OUT)/obj/$(1)/%.o) $(COREID)
	$(Q)mkdir -p $$(@D)
	$$(say) AR $$@
	$(Q)ar rcsD $$@.$$$$$$$$ $$(filter %.o,$$^) && mv -f $$@.$$$$$$$$ $$@

-include $(CORE_SRCS:csrc/%.c=$(OUT)/obj/$(1)/%.d)
endef

# GCC's "may be uninitialized" is unreliable in instrumented code; the plain build has it switched on.
SAN_asan := -O1 -fno-omit-frame-pointer -Wno-maybe-uninitialized -fsanitize=address,undefined -fno-sanitize-recover=all
# TSan does not model stand-alone fences; GCC says so at each one. They are compiled nevertheless.
SAN_tsan := -O1 -fno-omit-frame-pointer -Wno-maybe-uninitialized -Wno-tsan -fsanitize=thread

$(eval $(call core-objects,core,,$(OUT)/lib/libringpeak.a))
$(eval $(call core-objects,asan,$(SAN_asan),$(OUT)/test/libringpeak-asan.a))
$(eval $(call core-objects,tsan,$(SAN_tsan),$(OUT)/test/libringpeak-tsan.a))

# csrc/test/test_NAME.c is one test program, csrc/test/bench_NAME.c one benchmark. Each is one file;
# what several share is in csrc/test/*.h.
CTEST_NAMES := $(patsubst csrc/test/test_%.c,%,$(sort $(wildcard csrc/test/test_*.c)))
CBENCH_NAMES := $(patsubst csrc/test/bench_%.c,%,$(sort $(wildcard csrc/test/bench_*.c)))

# $(1) = program, a pattern, $(2) = source, $(3) = archive of csrc/, $(4) = further flags
define c-program
$(1): $(2) $(wildcard csrc/test/*.h) $(3) $(OUT)/lib/liburing.a
	$(Q)mkdir -p $$(@D)
	$$(say) CCLD '$$@'
	$(Q)$(CC) $(CORE_CFLAGS) $(4) $$(CORE_INCLUDES) -o $$@.$$$$$$$$ $$< \
		$(3) $(OUT)/lib/liburing.a -lpthread && mv -f $$@.$$$$$$$$ $$@
endef
$(eval $(call c-program,$(OUT)/test/asan/c-%,csrc/test/test_%.c,$(OUT)/test/libringpeak-asan.a,$(SAN_asan)))
$(eval $(call c-program,$(OUT)/test/tsan/c-%,csrc/test/test_%.c,$(OUT)/test/libringpeak-tsan.a,$(SAN_tsan)))
$(eval $(call c-program,$(OUT)/bench/bench_%,csrc/test/bench_%.c,$(OUT)/lib/libringpeak.a,))
