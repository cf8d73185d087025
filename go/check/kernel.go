package check

import (
	"fmt"
	"strings"

	"ringpeak/go/result"
)

// debugSymbols are options of a kernel's configuration under which it checks
// itself on every I/O: lock ordering, memory errors, races, leaks. A second
// symbol takes the option back when it is set.
var debugSymbols = []struct{ on, unless string }{
	{"PROVE_LOCKING", ""},
	{"LOCKDEP", ""},
	{"DEBUG_LOCK_ALLOC", ""},
	{"LOCK_STAT", ""},
	{"DEBUG_SPINLOCK", ""},
	{"KASAN", "KASAN_HW_TAGS"},
	{"KCSAN", ""},
	{"KMSAN", ""},
	{"DEBUG_PAGEALLOC_ENABLE_DEFAULT", ""},
	{"DEBUG_OBJECTS", ""},
	{"DMA_API_DEBUG", ""},
	{"SLUB_DEBUG_ON", ""},
	{"DEBUG_KMEMLEAK", "DEBUG_KMEMLEAK_DEFAULT_OFF"},
	{"GCOV_PROFILE_ALL", ""},
	{"KCOV_INSTRUMENT_ALL", ""},
}

// debugWords are words of the kernel's command line that switch such checks on.
var debugWords = []string{"slub_debug", "slab_debug", "page_owner=on", "debug_pagealloc=on", "debug_objects", "kmemleak=on"}

// debugKernel says whether the kernel is one for debugging, whose IOPS mean
// nothing.
func debugKernel(e *Evidence) result.Check {
	const advice = "measure on a kernel for production"
	k, s := &e.Kernel, &e.Result.System
	var signs []string
	for _, d := range debugSymbols {
		if k.Config.Has(d.on) && (d.unless == "" || !k.Config.Has(d.unless)) {
			signs = append(signs, "CONFIG_"+d.on)
		}
	}
	if k.Debugging.Lockdep && !k.Config.Has("LOCKDEP") {
		signs = append(signs, "/proc/lockdep")
	}
	if k.Debugging.Kmemleak && k.Config.Source == "" {
		signs = append(signs, "/sys/kernel/debug/kmemleak")
	}
	if len(k.Debugging.SlubChecks) > 0 {
		signs = append(signs, "slab checks ("+strings.Join(k.Debugging.SlubChecks, ", ")+")")
	}
	for word := range strings.FieldsSeq(s.Cmdline) {
		for _, d := range debugWords {
			named := word == d || strings.HasPrefix(word, d+"=") || strings.HasPrefix(word, d+",")
			if named && word != d+"=-" { // "-" switches them off
				signs = append(signs, word)
			}
		}
	}
	if name := s.Kernel + " " + s.Build; strings.Contains(strings.ToLower(name), "debug") {
		signs = append(signs, fmt.Sprintf("its name (%s)", strings.TrimSpace(name)))
	}
	switch {
	case len(signs) > 0:
		return found(result.CheckWarn, advice, "the kernel checks itself, which costs a large part of each I/O: %s", list(signs)).check(CodeDebugKernel)
	case k.Config.Source == "":
		return found(result.CheckUnknown, "see whether the kernel is one for production", "the kernel's configuration cannot be read (/proc/config.gz, /boot/config-%s)", s.Kernel).check(CodeDebugKernel)
	}
	return found(result.CheckPass, "", "%s switches no debugging on", k.Config.Source).check(CodeDebugKernel)
}
