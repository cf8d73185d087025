package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"ringpeak/go/config"
)

// scriptCommands are what scripts can do beside testscript's own commands:
//
//	need measure|root|direct    skip the script where that is not to be had
//	ok PROG ARG...              run it; status 0, only notes on stderr
//	fails STATUS PROG ARG...    run it; that status, one complaint on stderr
//	refused STATUS PROG ARG...  as fails, and nothing on stdout
//	data FILE SIZE              make a file of random bytes
//	hole FILE SIZE              make a file that is one hole
//	loop VAR FILE ARG...        losetup, until the script ends; its name is in VAR
//	zram VAR SIZE               give zram0 a size, likewise
//	shm VAR SIZE                a file of random bytes on a tmpfs, likewise
//	mount DEV DIR, umount DIR   as root; at the end of the script at the latest
//	mark DEV..., served DEV...  every device has served reads since it was marked
//	verdict FILE CODE=STATE...  the checks of a document; no state: not there
//	document FILE [PATH=VALUE]  FILE (or stdout) is a valid result, with these values
//	lines FILE [DOC]            FILE (or stdout) holds the lines of --jsonl, and is DOC when put together
//	metrics FILE DOC            FILE has the figures of DOC for a textfile collector
//	hdrlog FILE DOC             FILE is a log of HdrHistogram with the latencies of DOC
//	benchfmt FILE DOC N         FILE (or stdout) has N lines in Go's benchmark format, with the figures of DOC
var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"need":     need,
	"ok":       runOK,
	"fails":    runFails,
	"refused":  runRefused,
	"data":     makeData,
	"hole":     makeHole,
	"loop":     makeLoop,
	"zram":     makeZram,
	"shm":      makeShm,
	"mount":    makeMount,
	"umount":   endMount,
	"mark":     mark,
	"served":   served,
	"document": checkDocument,
	"verdict":  verdict,
}

func scriptT(ts *testscript.TestScript) *testing.T { return ts.Value(keyT{}).(*testing.T) }

func arguments(ts *testscript.TestScript, neg bool, args []string, least int) {
	if neg || len(args) < least {
		ts.Fatalf("usage: see scriptCommands")
	}
}

func need(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 1)
	t := scriptT(ts)
	for _, what := range args {
		switch what {
		case "measure":
			needMeasure(t)
		case "root":
			if os.Geteuid() != 0 {
				t.Skip("needs root")
			}
		case "direct":
			if !takesDirect(ts.MkAbs(".")) {
				t.Skip("no directory that takes O_DIRECT in blocks of 512: set TMPDIR to one")
			}
		default:
			ts.Fatalf("need what? %q", what)
		}
	}
}

func runOK(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 1)
	runWith(ts, 0, args)
	if list := complaints(ts.ReadFile("stderr")); len(list) > 0 && !textOnStderr(args) {
		ts.Fatalf("status 0, and yet it complains: %q", list)
	}
}

// textOnStderr says whether a command line gives stdout to something else.
func textOnStderr(args []string) bool {
	line := strings.Join(args, " ") + " "
	return strings.Contains(line, "--json - ") || strings.Contains(line, "--jsonl - ") || strings.Contains(line, "--benchfmt - ")
}

func runFails(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 2)
	status, err := strconv.Atoi(args[0])
	ts.Check(err)
	runWith(ts, status, args[1:])
	list := complaints(ts.ReadFile("stderr"))
	if len(list) != 1 || !strings.HasPrefix(list[0], "ringpeak: ") {
		ts.Fatalf("not one line of ringpeak's on stderr: %q", list)
	}
}

func runRefused(ts *testscript.TestScript, neg bool, args []string) {
	runFails(ts, neg, args)
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("refused, and yet on stdout: %q", out)
	}
}

// runWith runs a program and expects an exit status.
func runWith(ts *testscript.TestScript, status int, args []string) {
	var err error
	for range attempts {
		if err = ts.Exec(args[0], args[1:]...); !starved(ts.ReadFile("stderr")) {
			break
		}
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Fatalf("%v", err)
	}
	got := 0
	if exit != nil {
		got = exit.ExitCode() // -1: a signal
	}
	if got != status {
		ts.Fatalf("status %d, want %d: %v", got, status, err)
	}
}

// sizeOf reads a size as ringpeak's -b does.
func sizeOf(ts *testscript.TestScript, s string) int64 {
	unit := int64(1)
	switch {
	case strings.HasSuffix(s, "k"):
		unit = 1 << 10
	case strings.HasSuffix(s, "m"):
		unit = 1 << 20
	}
	n, err := strconv.ParseInt(strings.TrimRight(s, "km"), 10, 64)
	ts.Check(err)
	return n * unit
}

func makeData(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 2)
	ts.Check(dataFile(ts.MkAbs(args[0]), sizeOf(ts, args[1])))
}

func makeHole(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 2)
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	ts.Check(f.Truncate(sizeOf(ts, args[1])))
}

func checkDocument(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 1)
	text := []byte(ts.ReadFile(args[0]))
	if _, err := document(text); err != nil {
		ts.Fatalf("%s: %v", args[0], err)
	}
	var tree any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	ts.Check(dec.Decode(&tree))
	for _, a := range args[1:] {
		path, want, _ := strings.Cut(a, "=")
		for _, got := range lookUp(tree, strings.Split(path, ".")) {
			if got != want {
				ts.Fatalf("%s: %s is %s, not %s", args[0], path, got, want)
			}
		}
	}
}

// lookUp finds values in a document by their path; * is every element of a
// list, len its length, and what is not there is "absent".
func lookUp(v any, path []string) []string {
	if len(path) == 0 {
		return []string{fmt.Sprint(v)}
	}
	switch v := v.(type) {
	case map[string]any:
		if child, ok := v[path[0]]; ok {
			return lookUp(child, path[1:])
		}
	case []any:
		if path[0] == "len" {
			return []string{strconv.Itoa(len(v))}
		}
		if i, err := strconv.Atoi(path[0]); err == nil && i < len(v) {
			return lookUp(v[i], path[1:])
		}
		if path[0] == "*" && len(v) > 0 {
			var all []string
			for _, child := range v {
				all = append(all, lookUp(child, path[1:])...)
			}
			return all
		}
	}
	return []string{"absent"}
}

// TestUsageKnowsEveryOption keeps the script of wrong options complete: each
// option that takes a value is given a bad one there.
func TestUsageKnowsEveryOption(t *testing.T) {
	script, err := os.ReadFile("testdata/script/usage.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range config.Options() {
		bad := "refused 2 ringpeak --" + o.Name + "="
		if o.Kind != config.Action && !strings.Contains(string(script), bad) {
			t.Errorf("usage.txtar lacks a line %q", bad)
		}
	}
}
