package stats

import (
	"testing"

	"ringpeak/go/result"
)

func TestAddSplits(t *testing.T) {
	a := &result.TimeSplit{SampledRounds: 2, SampledIOs: 30, WaitingRounds: 1, PrepareNSPerIO: 10, EnterNSPerIO: 100, ReapNSPerIO: 4}
	b := &result.TimeSplit{SampledRounds: 5, SampledIOs: 10, PrepareNSPerIO: 2, EnterNSPerIO: 300, ReapNSPerIO: 8}
	want := result.TimeSplit{SampledRounds: 7, SampledIOs: 40, WaitingRounds: 1, PrepareNSPerIO: 8, EnterNSPerIO: 150, ReapNSPerIO: 5}
	if got := AddSplits(a, b); *got != want {
		t.Errorf("%+v", *got)
	}
	if AddSplits(a, nil) != a || AddSplits(nil, b) != b || AddSplits(nil, nil) != nil {
		t.Error("one of none is not the other")
	}
}
