package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// combos is how many random runs TestProperty makes.
const combos = 45

// TestProperty runs random combinations of everything that shapes the loop,
// the same ones each time. Each must end by itself, with something measured, no errors, and a document
// in which everything adds up.
func TestProperty(t *testing.T) {
	needMeasure(t)
	dir, direct := place(t)
	var files []string
	for i, size := range []int64{1 << 20, 4096 * 33, 4 << 20, 65536} {
		files = append(files, testFile(t, dir, fmt.Sprintf("f%d", i), size))
	}
	json := filepath.Join(dir, "a.json")
	rnd := rand.New(rand.NewPCG(2026, 2))
	for range combos {
		args := randomRun(rnd, files, direct)
		name := strings.ReplaceAll(strings.Join(args, " "), dir+"/", "")
		o := ringpeak(t, append(args, "--json", json)...)
		if o.status != 0 || len(complaints(o.stderr)) > 0 {
			t.Errorf("ringpeak %s: status %d: %s", name, o.status, o.stderr)
			continue
		}
		b, err := os.ReadFile(json)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := document(b); err != nil {
			t.Errorf("ringpeak %s: %v", name, err)
		}
	}
}

// randomRun is a valid command line.
func randomRun(rnd *rand.Rand, files []string, direct bool) []string {
	pick := func(list ...string) string { return list[rnd.IntN(len(list))] }
	depth := []int{1, 1, 2, 3, 5, 7, 8, 31, 33, 64, 100, 128, 1000}[rnd.IntN(13)]
	batch := func() int { return []int{0, 1, 2, 3, depth / 2, depth, depth + 1, 2 * depth}[rnd.IntN(8)] }
	args := []string{
		"-r0.1", "--interval=30ms", fmt.Sprint("-d", depth), fmt.Sprint("-s", batch()), fmt.Sprint("-c", batch()),
		fmt.Sprint("-n", 1+rnd.IntN(5)), "-R" + pick("0", "1"), "-t" + pick("0", "1", "each"), "--clock=" + pick("auto", "tsc", "monotonic"), "-F" + pick("0", "1"),
		"-B" + pick("0", "1", "1"), "-V" + pick("0", "1"), "-X" + pick("0", "1"), fmt.Sprint("--rounds=", rnd.IntN(3)),
		"--seed=" + fmt.Sprint(rnd.IntN(1000)), "--pin=" + pick("one", "none"),
	}
	switch rnd.IntN(6) {
	case 0:
		args = append(args, "--warmup=30ms")
	case 1:
		args = append(args, "--repeat=2", "--warmup="+pick("0", "5ms"))
	case 2:
		args = append(args, "--until-steady", "--steady-round=10ms", "--interval=10ms")
	}
	switch rnd.IntN(8) {
	case 0:
		return append(args, "-N1")
	case 1:
		args = append(args, "-a1")
	case 2:
		args = append(args, "-S1")
	case 3:
		args = append(args, "--sqpoll", "--sqpoll-idle=2")
	case 4:
		args = append(args, "-e1")
	}
	if direct && rnd.IntN(2) == 0 {
		args = append(args, "-p0", "-b"+pick("512", "1536", "4096", "16384"))
	} else {
		args = append(args, "-O0", "-b"+pick("1", "700", "4096", "65536"))
	}
	for range 1 + rnd.IntN(6) {
		args = append(args, files[rnd.IntN(len(files))])
	}
	return args
}
