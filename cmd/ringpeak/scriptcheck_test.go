package main

import (
	"encoding/json"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"ringpeak/go/result"
)

// verdict holds the checks of a document against CODE=STATE pairs; without a
// state, the check must not be there.
func verdict(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 2)
	var r result.Result
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &r))
	for _, a := range args[1:] {
		code, state, ok := strings.Cut(a, "=")
		if c := checkOf(&r, code); !ok || string(c.State) != state {
			ts.Fatalf("%s: check %s is %q, not %q: %s", args[0], code, c.State, state, c.Text)
		}
	}
}
