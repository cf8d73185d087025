package device

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ringpeak/go/result"
)

var direct = Options{BlockSize: 4096, Direct: true}

func TestFile(t *testing.T) {
	path := tempFile(t, "data", 3*4096+100)
	tg := open(t, path, direct)
	if tg.Path != path || tg.Resolved != "" || tg.Kind != result.KindFile || tg.SizeBytes != 3*4096+100 || tg.Blocks != 3 {
		t.Errorf("%+v", tg)
	}
	if !tg.Direct || !tg.NoAtime {
		t.Errorf("direct %v, noatime %v", tg.Direct, tg.NoAtime)
	}
	if tg.FileSystem == "" || tg.Device == "" {
		t.Errorf("file system %q, device %q", tg.FileSystem, tg.Device)
	}
	flags, err := unix.FcntlInt(uintptr(tg.FD), unix.F_GETFL, 0)
	if err != nil {
		t.Fatal(err)
	}
	if flags&unix.O_ACCMODE != unix.O_RDONLY || flags&unix.O_NONBLOCK != 0 || flags&unix.O_DIRECT == 0 {
		t.Errorf("flags %#x: want read-only, blocking, direct", flags)
	}
	if fd, err := unix.FcntlInt(uintptr(tg.FD), unix.F_GETFD, 0); err != nil || fd&unix.FD_CLOEXEC == 0 {
		t.Errorf("not close-on-exec: %#x, %v", fd, err)
	}
	if _, err := unix.Write(tg.FD, []byte{1}); !errors.Is(err, unix.EBADF) {
		t.Errorf("write: %v, want EBADF", err)
	}
	if n := Notes(tg, 4096); len(n) != 1 || n[0].Code != "tail" {
		t.Errorf("notes %v, want the tail", n)
	}

	buffered := open(t, path, Options{BlockSize: 1000})
	if buffered.Direct || buffered.Blocks != (3*4096+100)/1000 || buffered.CanPoll != result.ChoiceNo {
		t.Errorf("buffered: %+v", buffered)
	}
}

func TestCloseIsIdempotent(t *testing.T) {
	tg := open(t, tempFile(t, "data", 4096), direct)
	fd := tg.FD
	for i := range 3 {
		if err := Close(tg); err != nil || tg.FD != -1 {
			t.Errorf("close %d: %v, FD %d", i, err, tg.FD)
		}
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); !errors.Is(err, unix.EBADF) {
		t.Errorf("descriptor %d is still open: %v", fd, err)
	}
}

func TestOpenAllIsAllOrNothing(t *testing.T) {
	a, b := tempFile(t, "a", 4096), tempFile(t, "b", 8192)
	before := openFDs()
	if ts, err := OpenAll([]string{a, b, a + ".missing"}, direct); err == nil {
		t.Errorf("got %v, want an error", ts)
	}
	if after := openFDs(); after != before {
		t.Errorf("descriptors: %d before, %d after", before, after)
	}
	ts, err := OpenAll([]string{a, b, a}, direct)
	if err != nil || len(ts) != 3 || ts[1].Blocks != 2 || ts[0].FD == ts[2].FD {
		t.Fatalf("got %+v, %v", ts, err)
	}
	if err := errors.Join(CloseAll(ts), CloseAll(ts)); err != nil || ts[2].FD != -1 {
		t.Errorf("close: %v, %+v", err, ts)
	}
}

func TestNames(t *testing.T) {
	dir := filepath.Dir(tempFile(t, "pci-0000:81:00.0-nvme-1", 4096))
	t.Chdir(dir)
	for _, name := range []string{"pci-0000:81:00.0-nvme-1", "a b", "-p1", "--", "ümlaut", "x\ny"} {
		writeFile(t, name, make([]byte, 4096))
		tg := open(t, name, direct)
		if tg.Path != name || tg.Resolved != "" {
			t.Errorf("%q: path %q, resolved %q", name, tg.Path, tg.Resolved)
		}
	}
	if err := os.Symlink("a b", "by-id"); err != nil {
		t.Fatal(err)
	}
	if tg := open(t, "by-id", direct); tg.Resolved != "a b" || tg.Path != "by-id" {
		t.Errorf("symlink: path %q, resolved %q", tg.Path, tg.Resolved)
	}
	writeFile(t, "empty\x1b[2J one", nil)
	refused(t, "empty\x1b[2J one", direct, result.StatusSetup, `"empty\x1b[2J one" is empty`)
}

func TestRefusals(t *testing.T) {
	file := tempFile(t, "data", 1000)
	dir := filepath.Dir(file)
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := unix.Mkfifo(at("fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", at("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	writeFile(t, at("empty"), nil)
	os.Symlink("nowhere", at("dangling"))
	os.Symlink("circle", at("circle"))

	start := time.Now()
	for _, c := range []struct {
		path   string
		o      Options
		status int
		parts  string // separated by |
	}{
		{"", direct, 2, "empty name"},
		{file, Options{BlockSize: 0}, 2, "block size 0"},
		{dir, direct, 4, "is a directory|block device or a regular file"},
		{at("fifo"), direct, 4, "is a fifo"},
		{at("socket"), direct, 4, "is a socket"},
		{at("empty"), direct, 4, "is empty"},
		{at("missing"), direct, 4, "does not exist|" + at("missing")},
		{at("data/below"), direct, 4, "does not exist|not a directory"},
		{at("dangling"), direct, 4, "symlink that leads nowhere"},
		{at("circle"), direct, 4, "too many symlinks"},
		{at(strings.Repeat("n", 300)), direct, 4, "file name too long"},
		{"/dev/null", direct, 4, "is a character device"},
		{file, Options{BlockSize: 4096}, 2, "holds 1000 bytes, less than one block of 4096|smaller -b"},
		{file, Options{BlockSize: 1000, Direct: true}, 2, "-b1000 is not a multiple|-O0"},
	} {
		refused(t, c.path, c.o, c.status, strings.Split(c.parts, "|")...)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("took %v: something blocked", d)
	}
	if _, err := Open(at("missing"), direct); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v does not wrap not-exist", err)
	}
}

// TestFifoInsteadOfFile puts a fifo where a file was seen: opening must not
// block, and must notice.
func TestFifoInsteadOfFile(t *testing.T) {
	path := tempFile(t, "data", 4096)
	var seen unix.Stat_t
	if err := unix.Stat(path, &seen); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(path), unix.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	fd, err := openNoAtime(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if _, err := settle(&result.Target{Path: path, FD: fd}, &seen); err == nil || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("got %v, want a refusal", err)
	}
}

func TestFileSystemWithoutDirect(t *testing.T) {
	const attr = "/sys/kernel/notes" // sysfs, readable, not empty
	if st, err := os.Stat(attr); err != nil || st.Size() == 0 {
		t.Skip("no such file in sysfs to try")
	}
	refused(t, attr, Options{BlockSize: 1, Direct: true}, 4, "file system (sysfs) does not support O_DIRECT", "-O0")
}

func nobody() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

func TestAsAnotherUser(t *testing.T) {
	needRoot(t)
	path := tempFile(t, "data", 4096)
	if got := openElsewhere(t, path, nobody(), nil); got != "opened: noatime false\n" {
		t.Errorf("a readable file of another user: %s", got)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := openElsewhere(t, path, nobody(), nil); !strings.Contains(got, "may not be read by this user") {
		t.Errorf("a file that may not be read: %s", got)
	}
	if err := os.Chmod(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := openElsewhere(t, path, nobody(), nil); !strings.Contains(got, "may not search") {
		t.Errorf("a folder that may not be searched: %s", got)
	}
}

func TestHoles(t *testing.T) {
	path := tempFile(t, "data", 64<<10)
	wantOpt(t, "holes of a full file", open(t, path, direct).HoleBytes, 0)
	if err := os.Truncate(path, 1<<20); err != nil {
		t.Fatal(err)
	}
	tg := open(t, path, direct)
	if tg.HoleBytes != nil && *tg.HoleBytes == 0 {
		t.Skip("this file system tells no holes")
	}
	wantOpt(t, "holes of a grown file", tg.HoleBytes, 1<<20-64<<10)
	if n := Notes(tg, 4096); len(n) != 1 || n[0].Code != "holes" {
		t.Errorf("notes %v", n)
	}

	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(make([]byte, 64<<10), 512<<10); err != nil {
		t.Fatal(err)
	}
	wantOpt(t, "holes between data", open(t, path, direct).HoleBytes, 1<<20-128<<10)
}
