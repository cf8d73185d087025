package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ringpeak/go/result"
)

// labNull makes a null_blk for one test, 64 MiB large, and returns its node.
// The kernel looks for partitions before it is there, which takes two reads.
func labNull(t *testing.T, name string, attrs ...string) string {
	t.Helper()
	dir := "/sys/kernel/config/nullb/" + name
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(os.WriteFile(dir+"/power", []byte("0"), 0), os.Remove(dir)); err != nil {
			t.Error(err)
		}
	})
	for _, a := range append([]string{"queue_mode=2", "blocksize=512", "size=64", "submit_queues=2"}, append(attrs, "power=1")...) {
		key, value, _ := strings.Cut(a, "=")
		if err := os.WriteFile(filepath.Join(dir, key), []byte(value), 0); err != nil {
			t.Fatal(err)
		}
	}
	// Newer kernels name the disk after the folder, older ones by number.
	if node := "/dev/" + name; exists(node) {
		return node
	}
	return "/dev/nullb" + readLine(t, dir+"/index")
}

// labSet writes a setting of the guest's kernel until the end of the test.
func labSet(t *testing.T, path, value string) {
	t.Helper()
	before := readLine(t, path)
	if err := os.WriteFile(path, []byte(value), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.WriteFile(path, []byte(before), 0); err != nil {
			t.Error(err)
		}
	})
}

func readLine(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

// labWatched runs a command line with an eye on it: look is called once it
// measures. It must measure without errors, and hold every invariant.
func labWatched(t *testing.T, line string, look func(*process)) (outcome, *result.Result) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.json")
	p := start(t, append(labArgs(line), "--interval", "200ms", "--json", file)...)
	p.waitFor("IOPS=")
	look(p)
	o := p.end()
	if o.status != 0 {
		t.Errorf("%s: status %d: %s", line, o.status, o.stderr)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := document(b); err != nil {
		t.Errorf("%s: %v", line, err)
	}
	return o, readResult(t, file)
}

// threads are those of a process whose names begin so: iou-wrk, iou-sqp.
func threads(p *process, prefix string) (dirs []string) {
	found, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/comm", p.cmd.Process.Pid))
	for _, f := range found {
		if b, err := os.ReadFile(f); err == nil && strings.HasPrefix(string(b), prefix) {
			dirs = append(dirs, filepath.Dir(f))
		}
	}
	return dirs
}
