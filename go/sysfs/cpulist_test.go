package sysfs

import (
	"slices"
	"testing"
)

func TestParseCPUList(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []int
		out  string // canonical form
	}{
		{"", nil, ""},
		{"\n", nil, ""},
		{"0", []int{0}, "0"},
		{"0-3,8\n", []int{0, 1, 2, 3, 8}, "0-3,8"},
		{"16,0", []int{0, 16}, "0,16"},
		{"1,2,3,2-4", []int{1, 2, 3, 4}, "1-4"},
		{" 5 , 7-7 ", []int{5, 7}, "5,7"},
		{"65535", []int{65535}, "65535"},
	} {
		got, err := ParseCPUList(c.in)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("ParseCPUList(%q) = %v, %v, want %v", c.in, got, err, c.want)
		}
		if out := FormatCPUList(got); out != c.out {
			t.Errorf("FormatCPUList(%v) = %q, want %q", got, out, c.out)
		}
	}
	for _, in := range []string{",", "0,", "a", "-1", "1-", "3-1", "0-3:2", "+1", "1 2", "65536", "0-99999999", "0x1", "1--2"} {
		if got, err := ParseCPUList(in); err == nil {
			t.Errorf("ParseCPUList(%q) = %v, want an error", in, got)
		}
	}
}

func TestFormatCPUListLeavesItsArgumentAlone(t *testing.T) {
	in := []int{9, 1, 1, 0}
	if got := FormatCPUList(in); got != "0-1,9" {
		t.Errorf("got %q", got)
	}
	if !slices.Equal(in, []int{9, 1, 1, 0}) {
		t.Errorf("argument became %v", in)
	}
}

func FuzzParseCPUList(f *testing.F) {
	f.Add("0-3,8")
	f.Add("0,16")
	f.Add("9-1")
	f.Fuzz(func(t *testing.T, in string) {
		cpus, err := ParseCPUList(in)
		if err != nil {
			return
		}
		if !slices.IsSorted(cpus) {
			t.Fatalf("%q: not sorted: %v", in, cpus)
		}
		again, err := ParseCPUList(FormatCPUList(cpus))
		if err != nil || !slices.Equal(cpus, again) {
			t.Fatalf("%q: %v came back as %v, %v", in, cpus, again, err)
		}
	})
}
