package main

import (
	"os"
	"strings"
	"testing"

	"ringpeak/go/config"
)

// TestCompareScriptKnowsEveryOption: each option of ringpeak compare that takes
// a value is given a bad one there, and is in the README.
func TestCompareScriptKnowsEveryOption(t *testing.T) {
	script, err := os.ReadFile("testdata/script/compare.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range config.CompareOptions() {
		if bad := "refused 2 ringpeak compare --" + o.Name + "="; o.Kind != config.Action && !strings.Contains(string(script), bad) {
			t.Errorf("compare.txtar lacks a line %q", bad)
		}
		if o.Kind != config.Action && !strings.Contains(readme(t), "`--"+o.Name) {
			t.Errorf("the README lacks --%s", o.Name)
		}
	}
}
