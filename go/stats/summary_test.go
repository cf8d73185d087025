package stats

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
	"testing/quick"

	"github.com/google/go-cmp/cmp"

	"ringpeak/go/result"
)

const second = int64(1e9)

// interval has one submitter that completed n I/Os of 512 bytes.
func interval(start, length int64, n uint64, partial bool) result.Interval {
	c := result.Counters{Submitted: n + 2, Completed: n, Failed: 1, Bytes: 512 * n, Calls: n / 32}
	return result.Interval{
		StartNS: start, LengthNS: length, Partial: partial, Total: c,
		Submitters: []result.Counters{c}, InFlight: []uint32{1},
	}
}

func TestSummarise(t *testing.T) {
	tests := []struct {
		name      string
		intervals []result.Interval
		want      result.Summary
	}{
		{name: "nothing"},
		{
			name:      "no length",
			intervals: []result.Interval{interval(0, 0, 320, false)},
			want: result.Summary{
				Total:            result.Counters{Submitted: 322, Completed: 320, Failed: 1, Bytes: 163840, Calls: 10},
				SubmittedPerCall: 32.2, CompletedPerCall: 32,
			},
		},
		{
			name:      "one partial only",
			intervals: []result.Interval{interval(0, second/2, 320, true)},
			want: result.Summary{
				WindowNS: second / 2, Intervals: 0,
				Total:    result.Counters{Submitted: 322, Completed: 320, Failed: 1, Bytes: 163840, Calls: 10},
				IOPSMean: 640, IOPSMedian: 640, IOPSMin: 640, IOPSMax: 640,
				BytesPerSecond: 327680, SubmittedPerCall: 32.2, CompletedPerCall: 32,
			},
		},
		{
			name: "four whole of different length and a partial one",
			intervals: []result.Interval{
				interval(0, second, 100, false), interval(second, 2*second, 800, false),
				interval(3*second, second, 300, false), interval(4*second, second, 200, false),
				interval(5*second, second/2, 1000, true),
			},
			want: result.Summary{
				WindowNS: 5*second + second/2, Intervals: 4,
				Total:    result.Counters{Submitted: 2410, Completed: 2400, Failed: 5, Bytes: 2400 * 512, Calls: 3 + 25 + 9 + 6 + 31},
				IOPSMean: 2400 / 5.5, IOPSMedian: 250, IOPSMin: 100, IOPSMax: 400,
				IOPSStdDev:     known(math.Sqrt((150*150 + 50*50 + 50*50 + 150*150) / 3.0)),
				BytesPerSecond: 2400 * 512 / 5.5, SubmittedPerCall: 2410 / 74.0, CompletedPerCall: 2400 / 74.0,
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Summarise(tt.intervals)
			got.IOPSMedian95Why = "" // needs more intervals, in all of them
			near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) })
			if diff := cmp.Diff(tt.want, got, near); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// randomRun is a run of up to 20 intervals and up to 8 submitters in which
// anything may be zero.
func randomRun(seed uint64) []result.Interval {
	r := rand.New(rand.NewPCG(seed, 1))
	submitters := r.IntN(9)
	ivs := make([]result.Interval, r.IntN(21))
	start := int64(0)
	for i := range ivs {
		iv := &ivs[i]
		iv.StartNS, iv.LengthNS, iv.Partial = start, r.Int64N(3)*r.Int64N(second), r.IntN(3) == 0
		start += iv.LengthNS
		for range submitters {
			c := result.Counters{Completed: r.Uint64N(3) * r.Uint64N(1e7), Failed: r.Uint64N(100), Calls: r.Uint64N(2) * r.Uint64N(1e6)}
			c.Submitted = c.Completed + c.Failed + r.Uint64N(128)
			c.Bytes = 4096 * c.Completed
			iv.Submitters = append(iv.Submitters, c)
			iv.Total = iv.Total.Add(c)
		}
	}
	return ivs
}

func TestSummaryInvariants(t *testing.T) {
	holds := func(seed uint64) bool {
		ivs := randomRun(seed)
		s := Summarise(ivs)
		if _, err := json.Marshal(s); err != nil { // refuses NaN and infinity
			t.Log(err)
			return false
		}
		var sum result.Counters
		for _, c := range SumSubmitters(ivs) {
			sum = sum.Add(c)
		}
		ordered := s.IOPSMin <= s.IOPSMedian && s.IOPSMedian <= s.IOPSMax
		return sum == s.Total && ordered && (s.IOPSStdDev == nil) == (s.Intervals < 2) && s.Intervals <= len(ivs)
	}
	if err := quick.Check(holds, &quick.Config{MaxCount: 2000}); err != nil {
		t.Error(err)
	}
}

func TestSumSubmittersRagged(t *testing.T) {
	one := result.Counters{Submitted: 1, Completed: 1}
	got := SumSubmitters([]result.Interval{
		{Submitters: []result.Counters{one}},
		{Submitters: []result.Counters{one, one}},
	})
	want := []result.Counters{one.Add(one), one}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestIntervalRates(t *testing.T) {
	iv := interval(0, second/4, 320, true)
	want := Rates{IOPS: 1280, BytesPerSecond: 655360, SubmittedPerCall: 32.2, CompletedPerCall: 32}
	if got := IntervalRates(&iv); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := IntervalRates(&result.Interval{Total: result.Counters{Completed: 5}}); got != (Rates{}) {
		t.Errorf("without time and calls: %+v, want zeros", got)
	}
	var sink Rates
	if n := testing.AllocsPerRun(100, func() { sink = IntervalRates(&iv) }); n != 0 {
		t.Errorf("%v allocations (%v)", n, sink)
	}
}

func known(v float64) result.OptFloat { return &v }
