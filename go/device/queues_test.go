package device

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ringpeak/go/sysfs"
)

// readQueues are the queues of a disk that is laid out as path=value pairs
// below its directory, "" for one that is unknown.
func readQueues(t *testing.T, types bool, queues ...string) string {
	t.Helper()
	root := t.TempDir()
	put := func(name, value string) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(value+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("sys/class/block/vdx/dev", "254:7")
	for i, q := range queues {
		put(fmt.Sprintf("sys/class/block/vdx/mq/%d/cpu_list", i), fmt.Sprintf("%d, %d", 2*i%4, 2*i%4+1))
		if types {
			put(fmt.Sprintf("sys/kernel/debug/block/vdx/hctx%d/type", i), q)
		}
	}
	tree := sysfs.At(root)
	b, err := tree.BlockNamed("vdx")
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(ReadQueues(b, tree))
}

func TestReadQueues(t *testing.T) {
	for _, tt := range []struct {
		types  bool
		queues []string
		want   string
	}{
		{true, nil, "[]"},
		{true, []string{"default"}, "[{vdx 0 [0 1]}]"},
		{true, []string{"default", "default", "poll"}, "[{vdx 0 [0 1]} {vdx 1 [2 3]}]"},
		{true, []string{"default", "read", "read", "poll"}, "[{vdx 1 [2 3]} {vdx 2 [0 1]}]"},
		{false, []string{"?", "?"}, "[]"}, // one of them may be polled
		{false, []string{"?"}, "[{vdx 0 [0 1]}]"},
	} {
		if got := readQueues(t, tt.types, tt.queues...); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.queues, got, tt.want)
		}
	}
}
