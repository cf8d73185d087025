package config

import (
	"slices"
	"testing"

	"ringpeak/go/result"
)

func TestNormalise(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"nothing", nil, []string{"--"}},
		{"attached and apart", []string{"-d128", "-s", "32"}, []string{"--depth=128", "--submit-batch=32", "--"}},
		{"after targets", []string{"f", "-p0", "g", "-r", "1"}, []string{"--polled=0", "--runtime=1", "--", "f", "g"}},
		{"after --", []string{"-p0", "--", "-d128", "--", "-"}, []string{"--polled=0", "--", "-d128", "--", "-"}},
		{"long with value", []string{"--depth=1", "--depth", "2"}, []string{"--depth=1", "--depth=2", "--"}},
		{"long boolean alone", []string{"--latency", "f"}, []string{"--latency=1", "--", "f"}},
		{"long boolean with value", []string{"--polled=auto", "--numa=no"}, []string{"--polled=auto", "--numa=no", "--"}},
		{"long boolean, then a target after --", []string{"--polled", "--", "0"}, []string{"--polled=1", "--", "0"}},
		{"long boolean, then a target", []string{"--latency", "./1"}, []string{"--latency=1", "--", "./1"}},
		{"targets unchanged", []string{"a,b", "c:d", "e f", "", "-", "=", "ü"}, []string{"--", "a,b", "c:d", "e f", "", "-", "=", "ü"}},
		{"lists are not split", []string{"--cpus", "0-3,8"}, []string{"--cpus=0-3,8", "--"}},
		{"value with equals sign", []string{"-H/a=b", "--huge-file=/c=d"}, []string{"--huge-file=/a=b", "--huge-file=/c=d", "--"}},
		{"stdout", []string{"--json", "-"}, []string{"--json=-", "--"}},
		{"odd file name attached", []string{"--json=-x", "-H-y"}, []string{"--json=-x", "--huge-file=-y", "--"}},
		{"help ends it", []string{"f", "-h", "-Z"}, []string{"--help"}},
		{"help by question mark", []string{"-?"}, []string{"--help"}},
		{"help with one dash", []string{"-help"}, []string{"--help"}},
		{"help after a bad target", []string{"-", "--help"}, []string{"--help"}},
		{"help as a value", []string{"-H", "h", "--version"}, []string{"--version"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Options().Normalise(c.args)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q became %q, want %q", c.args, got, c.want)
			}
		})
	}
}

func TestNormaliseRefuses(t *testing.T) {
	for _, c := range []struct {
		args []string
		says []string
	}{
		{[]string{"-Z"}, []string{"no option -Z", "--help"}},
		{[]string{"-v"}, []string{"-v", "-V (--vectored)"}},
		{[]string{"-ü3"}, []string{"no option -ü"}},
		{[]string{"-\xff"}, []string{"no option"}},
		{[]string{"--=3"}, []string{"no option --"}},
		{[]string{"--dept", "3"}, []string{"--dept", "did you mean --depth?"}},
		{[]string{"--block"}, []string{"did you mean --block-size?"}},
		{[]string{"--d=3"}, []string{"did you mean -d?"}},
		{[]string{"--qqqqqq"}, []string{"--help"}},
		{[]string{"-depth=3"}, []string{"one dash too few", "--depth=3"}},
		{[]string{"-version"}, []string{"one dash too few", "--version"}},
		{[]string{"-d"}, []string{"-d/--depth", "lacks its value", "--depth=N"}},
		{[]string{"--style"}, []string{"--style", "lacks its value"}},
		{[]string{"--json", "--style"}, []string{"--json", "lacks its value", "--json=--style"}},
		{[]string{"-d=128"}, []string{"-d128"}},
		{[]string{"-d", "-5"}, []string{"-d/--depth", `"-5"`, "1 to 32768"}},
		{[]string{"-s", "-n", "1"}, []string{"-s/--submit-batch", `"-n"`}},
		{[]string{"-d0"}, []string{`"0"`, "1 to 32768"}},
		{[]string{"-d32769"}, []string{`"32769"`, "1 to 32768"}},
		{[]string{"-d", "12x"}, []string{`"12x"`}},
		{[]string{"-d", ""}, []string{`""`}},
		{[]string{"-d", "99999999999999999999"}, []string{"1 to 32768"}},
		{[]string{"-dabc", "-d3"}, []string{`"abc"`}}, // overridden, still garbage
		{[]string{"-n0"}, []string{"-n/--threads", "1 to 4096"}},
		{[]string{"-b0"}, []string{"-b/--block-size", "1 to 1g"}},
		{[]string{"-b4kx"}, []string{`"4kx"`}},
		{[]string{"-b4kB"}, []string{`"4kB"`, "4KiB"}},
		{[]string{"-b2g"}, []string{"1 to 1g"}},
		{[]string{"-b", "9999999999g"}, []string{"1 to 1g"}},
		{[]string{"-bk"}, []string{`"k"`}},
		{[]string{"-b-4k"}, []string{`"-4k"`}},
		{[]string{"-t", "/dev/sda"}, []string{"-t/--latency", "0, 1 or each", "-t1", "--latency"}},
		{[]string{"-p2"}, []string{"0, 1 or auto"}},
		{[]string{"--latency=auto"}, []string{"0, 1 or each"}},
		{[]string{"--latency", "each"}, []string{"--latency=each", "./each"}},
		{[]string{"--clock=hpet"}, []string{"one of auto, tsc, monotonic"}},
		{[]string{"--sqpoll=2"}, []string{"--sqpoll=0"}},
		{[]string{"--polled", "0"}, []string{"--polled=0", "./0"}},
		{[]string{"--polled", "auto"}, []string{"--polled=auto"}},
		{[]string{"--help=1"}, []string{"takes no value"}},
		{[]string{"-r", "-1"}, []string{"-r/--runtime", "0 s"}},
		{[]string{"-r", "1h30"}, []string{`"1h30"`}},
		{[]string{"-r", "1.2.3"}, []string{`"1.2.3"`}},
		{[]string{"-r9999999999"}, []string{"2147483647 s"}},
		{[]string{"--interval", "1ms"}, []string{"0.01 s"}},
		{[]string{"--style=fio-3.30"}, []string{"one of native, fio-3.29, fio-3.33, fio-3.42"}},
		{[]string{"--pin", "two"}, []string{"one of one, none"}},
		{[]string{"--cpus="}, []string{"0-3,8"}},
		{[]string{"--cpus", "3-1"}, []string{`"3-1"`}},
		{[]string{"--cpus", "1,,2"}, []string{`"1,,2"`}},
		{[]string{"--cpus", "0-70000"}, []string{"list of CPUs"}},
		{[]string{"--json="}, []string{"name of a file"}},
		{[]string{"-H", ""}, []string{"-H/--huge-file"}},
		{[]string{"--seed=0x10"}, []string{"whole number from 0"}},
		{[]string{"-Tfast"}, []string{"-T/--tsc-rate"}},
	} {
		t.Run(c.args[0], func(t *testing.T) {
			_, err := Options().Normalise(c.args)
			wantError(t, err, result.StatusUsage, c.says...)
		})
	}
}

func TestSizesAndTimes(t *testing.T) {
	for in, want := range map[string]int64{
		"512": 512, "4k": 4096, "4K": 4096, "4KiB": 4096, "1m": 1 << 20, "1MiB": 1 << 20, "1g": 1 << 30, "+7": 7,
	} {
		if got, ok := parseSize(in); !ok || got != want {
			t.Errorf("size %q: %d %v, want %d", in, got, ok, want)
		}
	}
	for in, want := range map[string]int64{
		"0": 0, "10": 10e9, "0.5": 5e8, "500ms": 5e8, "2m": 120e9, "1h30m": 5400e9, "5.": 5e9,
	} {
		if got, ok := parseDuration(in); !ok || got != want {
			t.Errorf("time %q: %d %v, want %d", in, got, ok, want)
		}
	}
}
