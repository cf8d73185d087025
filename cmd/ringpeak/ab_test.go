package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ringpeak/go/result"
	"ringpeak/go/result/schematest"
)

// abRun is a comparison that goes on for a minute and switches a knob, which is
// "before" outside of it.
type abRun struct {
	*process
	dir, knob, doc string
}

func startAB(t *testing.T) *abRun {
	t.Helper()
	needMeasure(t)
	dir, _ := place(t)
	r := &abRun{dir: dir, knob: filepath.Join(dir, "knob"), doc: filepath.Join(dir, "ab.json")}
	file := testFile(t, dir, "f", 1<<20)
	if err := os.WriteFile(r.knob, []byte("before\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r.process = start(t, "ab", "-O0", "-r100ms", "--warmup", "20ms", "--pairs", "300", "--json", r.doc, file,
		"--switch", "echo $RINGPEAK_ARM >"+r.knob, "--undo", "echo before >"+r.knob)
	return r
}

// gone waits until nothing of it is left: no process that names its folder, and
// the knob as it was.
func (r *abRun) gone(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		knob, err := os.ReadFile(r.knob)
		if err != nil {
			t.Fatal(err)
		}
		left := naming(t, r.dir)
		if string(knob) == "before\n" && len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the knob is %q, and there are left: %q", knob, left)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// naming are the processes whose command line or environment names a folder.
func naming(t *testing.T, dir string) (list []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		line, _ := os.ReadFile(p + "/cmdline") // it may be gone by now
		env, _ := os.ReadFile(p + "/environ")
		if bytes.Contains(line, []byte(dir)) || bytes.Contains(env, []byte(dir)) {
			list = append(list, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return list
}

func (r *abRun) document(t *testing.T) *result.AB {
	t.Helper()
	text, err := os.ReadFile(r.doc)
	if err != nil {
		t.Fatal(err)
	}
	if err := schematest.ValidateAB(text); err != nil {
		t.Error(err)
	}
	d := new(result.AB)
	if err := json.Unmarshal(text, d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestABSignal: Ctrl-C, or a terminal that is closed, reports the pairs that there are, and puts the knob back.
func TestABSignal(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) { endedBy(t, s) })
	}
}

func endedBy(t *testing.T, s syscall.Signal) {
	r := startAB(t)
	r.waitFor("pair   7/300")
	r.signal(s)
	o := r.end()
	if o.status != 0 && o.status != result.StatusAssert || o.took > 2*soon || len(complaints(o.stderr)) > 0 {
		t.Errorf("status %d after %v: %s", o.status, o.took, o.stderr)
	}
	for _, want := range []string{"stopped by a signal", "b against a", " pairs"} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("no %q in\n%s", want, o.stdout)
		}
	}
	d := r.document(t)
	if d.End.Reason != "signal" || d.End.Status != o.status || d.Pairs < 7 || len(d.Outcomes) != 1 {
		t.Errorf("%d pairs, %+v", d.Pairs, d.End)
	}
	r.gone(t)
}

// TestABSignalBeforeAPair: nothing was compared, which is an error.
func TestABSignalBeforeAPair(t *testing.T) {
	r := startAB(t)
	r.waitFor("plan ")
	r.signal(syscall.SIGTERM)
	o := r.end()
	if o.status != result.StatusIO {
		t.Errorf("status %d", o.status)
	}
	oneComplaint(t, o.stderr, "nothing was compared")
	r.gone(t)
}

// TestABKilled: not even a signal that nobody can catch leaves the knob changed
// or a slice behind; nor does leaving at once.
func TestABKilled(t *testing.T) {
	for name, kill := range map[string]func(r *abRun){
		"KILL": func(r *abRun) { r.signal(syscall.SIGKILL) },
		"QUIT": func(r *abRun) { r.signal(syscall.SIGQUIT) },
	} {
		t.Run(name, func(t *testing.T) {
			r := startAB(t)
			r.waitFor("pair   2/300")
			kill(r)
			r.waitOrKill()
			r.gone(t)
			reap()
		})
	}
}

// reap takes leave of what the program left to us, who adopt orphans.
func reap() {
	for {
		if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid <= 0 || err != nil {
			return
		}
	}
}

// waitOrKill waits for the end, however it comes.
func (r *abRun) waitOrKill() {
	if r.cmd.ProcessState == nil {
		time.Sleep(100 * time.Millisecond)
		_ = r.cmd.Process.Kill()
		_ = r.cmd.Wait()
	}
}
