package sysfs

import (
	"fmt"
	"slices"
	"strings"
)

// TSC is what the kernel thinks of the CPU's time-stamp counter.
type TSC struct {
	// Clocksource is /sys/devices/system/clocksource/clocksource0/current_clocksource:
	// what the kernel keeps time by, after watching the counter for some time.
	Clocksource Text
	// Constant and NonStop are constant_tsc and nonstop_tsc among the flags of
	// the first CPU in /proc/cpuinfo: it runs at one rate in all frequencies,
	// and in all sleeps.
	Constant, NonStop Attr[bool]
}

// TSC reads it.
func (t Tree) TSC() TSC {
	flags := field(readText(t.path("proc/cpuinfo")), "flags")
	has := func(flag string) Attr[bool] {
		return parseAttr(flags, "proc/cpuinfo", func(s string) (bool, error) {
			return slices.Contains(strings.Fields(s), flag), nil
		})
	}
	return TSC{
		Clocksource: readText(t.path("sys/devices/system/clocksource/clocksource0/current_clocksource")),
		Constant:    has("constant_tsc"),
		NonStop:     has("nonstop_tsc"),
	}
}

// WhyNot is why the counter is no clock to rely on; "" when it is one. What is
// not known speaks against it.
func (c TSC) WhyNot() string {
	switch {
	case !c.Clocksource.OK():
		return "the kernel's clocksource is not known"
	case c.Clocksource.Value != "tsc":
		return fmt.Sprintf("the kernel's clocksource is %s and not tsc", c.Clocksource.Value)
	case !c.Constant.Value:
		return "/proc/cpuinfo does not show constant_tsc"
	case !c.NonStop.Value:
		return "/proc/cpuinfo does not show nonstop_tsc"
	}
	return ""
}
