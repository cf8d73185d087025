package ab

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ringpeak/go/result"
	"ringpeak/go/stats"
)

// TestOrder: in each block of pairs each arm is in each place once, the order
// is another one by seed, and the same by the same.
func TestOrder(t *testing.T) {
	for arms := 2; arms <= 7; arms++ {
		o, again, other := newOrder(arms, 1), newOrder(arms, 1), newOrder(arms, 2)
		var list, otherList []string
		seeds := map[uint64]bool{}
		for range 10 {
			var places [7][7]int
			for pair := range arms {
				order, seed := o.next()
				same, sameSeed := again.next()
				if !slices.Equal(order, same) || seed != sameSeed {
					t.Fatal("the same seed makes another order")
				}
				another, _ := other.next()
				list, otherList = append(list, fmt.Sprint(order)), append(otherList, fmt.Sprint(another))
				seeds[seed] = true
				for place, arm := range order {
					places[place][arm]++
				}
				if o.balanced() != (pair == arms-1) {
					t.Errorf("%d arms: balanced after %d pairs: %v", arms, pair+1, o.balanced())
				}
			}
			for place := range arms {
				for arm := range arms {
					if places[place][arm] != 1 {
						t.Fatalf("%d arms: in a block, arm %d is %d times in place %d", arms, arm, places[place][arm], place)
					}
				}
			}
		}
		if slices.Equal(list, otherList) {
			t.Errorf("%d arms: the order does not depend on the seed", arms)
		}
		if len(seeds) != 10*arms {
			t.Errorf("%d arms: %d seeds for %d pairs", arms, len(seeds), 10*arms)
		}
	}
}

// TestOrderFollows: no arm comes after one and the same other more often than
// after the rest, in the long run: what one leaves behind falls upon all alike.
func TestOrderFollows(t *testing.T) {
	const pairs = 30000
	for arms := 3; arms <= 7; arms++ {
		o := newOrder(arms, 5)
		var after [7][7]int
		for range pairs {
			order, _ := o.next()
			for i := range order[1:] {
				after[order[i]][order[i+1]]++
			}
		}
		want := float64(pairs) / float64(arms)
		for a := range arms {
			for b := range arms {
				if a != b && math.Abs(float64(after[a][b])/want-1) > 0.2 {
					t.Errorf("%d arms: %d follows %d in %d of %d pairs, want about %.0f", arms, b, a, after[a][b], pairs, want)
				}
			}
		}
	}
}

// scripted is a Runner and Switcher that notes what it is asked for. Slices go
// wrong from the given one on.
type scripted struct {
	rates  map[int]float64 // by arm
	noise  []float64       // by slice, as far as there are some
	breaks int             // the slice that goes wrong, from 1 on; 0 is none
	err    error
	end    string // how a slice ends; "" is by its time
	log    []string
	undone int
	undo   error
	n      int
}

func (s *scripted) Slice(j Job, _ <-chan string) (*result.Result, error) {
	s.n++
	s.log = append(s.log, fmt.Sprintf("slice %c %d %d", 'a'+j.Arm, j.Pair, j.Seed))
	if s.n == s.breaks && s.err != nil {
		return nil, s.err
	}
	rate := s.rates[j.Arm]
	if s.n <= len(s.noise) {
		rate *= 1 + s.noise[s.n-1]
	}
	end := result.End{Reason: "time"}
	if s.n == s.breaks && s.end != "" {
		end.Reason = s.end
	}
	return &result.Result{
		Spec: result.Spec{Seed: j.Seed, BlockSize: 4096}, Summary: result.Summary{IOPSMean: rate, BytesPerSecond: 4096 * rate},
		Intervals: make([]result.Interval, 1), Histogram: new(result.Histogram), End: end,
		Checks: []result.Check{{Code: "polled", State: result.CheckFail, Text: "no"}, {Code: "steady", State: result.CheckUnknown}},
	}, nil
}

func (s *scripted) To(arm string, pair int, _ <-chan string) error {
	s.log = append(s.log, fmt.Sprintf("switch %s %d", arm, pair))
	return nil
}

func (s *scripted) Restore() error {
	s.undone++
	return s.undo
}

func (s *scripted) options(n, pairs int) Options {
	return Options{
		Plan: result.ABPlan{Pairs: pairs, Seed: 3}, Arms: arms(n), Runner: s, Switcher: s, Observer: nobody{},
	}
}

// TestSlices: each slice is switched to, arms of a pair have the same seed, and
// results keep what is asked of them.
func TestSlices(t *testing.T) {
	s := &scripted{rates: map[int]float64{0: 100, 1: 110}}
	c, err := Run(s.options(2, 8))
	if err != nil {
		t.Fatal(err)
	}
	if c.Pairs != 8 || len(c.Slices) != 16 || len(c.Results) != 16 || c.End.Reason != "pairs" || c.End.Status != 0 || s.undone != 1 {
		t.Errorf("%d pairs, %d slices, %+v, undone %d times", c.Pairs, len(c.Slices), c.End, s.undone)
	}
	for i := range 16 {
		sl := c.Slices[i]
		if want := fmt.Sprintf("switch %s %d", sl.Arm, sl.Pair); s.log[2*i] != want {
			t.Errorf("slice %d: %q, want %q", i, s.log[2*i], want)
		}
		if i%2 == 1 && (sl.Seed != c.Slices[i-1].Seed || sl.Arm == c.Slices[i-1].Arm || sl.Pair != c.Slices[i-1].Pair) {
			t.Errorf("no pair: %+v, %+v", c.Slices[i-1], sl)
		}
		if c.Results[i].Intervals != nil || c.Results[i].Histogram != nil {
			t.Error("results keep intervals and histograms")
		}
	}
	o := c.Outcomes[0]
	if e := o.Effects[0]; o.Verdict != result.ABFaster || math.Abs(e.Change-10) > 1e-9 || *e.Low > *e.High || !e.Significant || e.P != 2.0/256 || e.Better != "higher" {
		t.Errorf("%+v %+v", o, e)
	}
	if len(o.Effects) != 1 {
		t.Errorf("bandwidth says what IOPS say: %+v", o.Effects)
	}
	a := c.Arms[0]
	if len(a.Checks) != 1 || a.Checks[0] != (result.ArmCheck{Code: "polled", State: result.CheckFail, Slices: 8, Text: "no"}) {
		t.Errorf("checks: %+v", a.Checks)
	}
	if f := a.Figures[0]; f.Metric != "iops" || f.N != 8 || f.Median != 100 || f.Min != 100 || f.Q3 != 100 {
		t.Errorf("figures: %+v", f)
	}
}

// TestFailure: what was measured before is kept, the pair that it broke is not
// counted, and the system is put back.
func TestFailure(t *testing.T) {
	for name, c := range map[string]struct {
		s      scripted
		status int
		text   string
	}{
		"first arm":   {scripted{breaks: 15, err: result.Errorf(result.StatusSetup, "no device")}, 4, "arm [ab], pair 8: no device"},
		"second arm":  {scripted{breaks: 16, err: result.Errorf(result.StatusIO, "EIO")}, 1, "arm [ab], pair 8: EIO"},
		"signal":      {scripted{breaks: 16, err: ErrStopped}, 0, ""},
		"interrupted": {scripted{breaks: 16, end: "signal"}, 0, ""},
		"ended early": {scripted{breaks: 16, end: "error"}, 1, "a slice ended early"},
		"undo":        {scripted{undo: result.Errorf(result.StatusSetup, "--undo failed")}, 4, "--undo failed"},
	} {
		s := &c.s
		s.rates = map[int]float64{0: 100, 1: 200}
		got, err := Run(s.options(2, 9))
		text := ""
		if err != nil {
			text = err.Error()
		}
		text = strings.NewReplacer("arm a", "arm [ab]", "arm b", "arm [ab]").Replace(text)
		pairs := 7
		if s.breaks == 0 {
			pairs = 9
		}
		if !strings.Contains(text, c.text) || (c.text == "") != (err == nil) || got.End.Status != c.status || got.Pairs != pairs || s.undone != 1 {
			t.Errorf("%s: %q, %+v, %d pairs, undone %d times", name, text, got.End, got.Pairs, s.undone)
		}
		if got.Outcomes[0].Verdict != result.ABFaster || got.Arms[0].Figures[0].N != pairs {
			t.Errorf("%s: what there is is not kept: %+v", name, got.Outcomes[0])
		}
		for _, sl := range got.Slices {
			if (sl.Discarded != "") != (sl.Pair > pairs) {
				t.Errorf("%s: %+v", name, sl)
			}
		}
	}
}

// TestNothing: without a pair nothing was compared.
func TestNothing(t *testing.T) {
	stop := make(chan string)
	close(stop)
	s := &scripted{}
	o := s.options(2, 9)
	o.Stop = stop
	c, err := Run(o)
	if err == nil || c.End.Status != result.StatusIO || c.End.Reason != "signal" || s.n != 0 || s.undone != 1 {
		t.Errorf("%v, %+v", err, c.End)
	}
	s = &scripted{rates: map[int]float64{}} // nothing completes
	c, err = Run(s.options(2, 9))
	if err == nil || !strings.Contains(err.Error(), "nothing completed") || c.End.Status != result.StatusIO {
		t.Errorf("%v, %+v", err, c.End)
	}
}

// failing is an Observer whose writer is gone.
type failing struct{ nobody }

func (failing) Paired(*result.AB) error { return errors.New("broken pipe") }

func TestNobodyListens(t *testing.T) {
	s := &scripted{rates: map[int]float64{0: 1, 1: 1}}
	o := s.options(2, 9)
	o.Observer = failing{}
	c, err := Run(o)
	if err == nil || c.End.Status != result.StatusIO || c.Pairs != 1 || s.undone != 1 {
		t.Errorf("%v, %+v", err, c.End)
	}
}

// TestVerdicts are the words for what came out.
func TestVerdicts(t *testing.T) {
	// wobble makes the pairs' ratios scatter by d around 1 + shift, evenly.
	wobble := func(pairs int, d float64) []float64 {
		list := make([]float64, 2*pairs)
		for i := range list {
			list[i] = d * float64(i%5-2) / 2
		}
		return list
	}
	precision := 5.0
	for name, c := range map[string]struct {
		b         float64
		pairs     int
		noise     float64
		precision *float64
		verdict   result.ABVerdict
		text      string
		status    int
	}{
		"slower":       {90, 10, 0, nil, result.ABSlower, "b is slower than a by 10.0% (95%: -10.0% to -10.0%), 10 pairs", 0},
		"same":         {100, 10, 0.004, nil, result.ABSame, "no difference larger than 0.", 0},
		"precise":      {100, 10, 0.03, &precision, result.ABSame, "no difference larger than ", 0},
		"inconclusive": {100, 10, 0.1, nil, result.ABInconclusive, " more would tell it to ±1.0%", 5},
	} {
		s := &scripted{rates: map[int]float64{0: 100, 1: c.b}, noise: wobble(c.pairs, c.noise)}
		o := s.options(2, c.pairs)
		o.Plan.Precision = c.precision
		got, err := Run(o)
		out := got.Outcomes[0]
		if err != nil || out.Verdict != c.verdict || !strings.Contains(out.Text, c.text) || got.End.Status != c.status {
			t.Errorf("%s: %v, %+v, %+v", name, err, out, got.End)
		}
		if (out.Within != nil) != (c.verdict == result.ABSame) || (out.MorePairs != nil) != (c.verdict == result.ABInconclusive) {
			t.Errorf("%s: %+v", name, out)
		}
	}
}

// TestLeastPairs: with fewer, not even all ratios of one sign are significant.
func TestLeastPairs(t *testing.T) {
	for arms := 2; arms <= 7; arms++ {
		n := LeastPairs(arms)
		p := func(n int) float64 { return 2 / math.Exp2(float64(n)) * float64(arms-1) }
		if p(n) > alpha || n > 6 && p(n-1) <= alpha {
			t.Errorf("%d arms: %d pairs", arms, n)
		}
		s := &scripted{rates: map[int]float64{0: 1}}
		for i := 1; i < arms; i++ {
			s.rates[i] = 2
		}
		for _, pairs := range []int{n - 1, n} {
			c, err := Run(s.options(arms, pairs))
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range c.Outcomes {
				if (o.Verdict == result.ABFaster) != (pairs == n) {
					t.Errorf("%d arms, %d pairs: %+v", arms, pairs, o)
				}
			}
		}
	}
}

// TestInconclusiveWords: it is always said what is missing.
func TestInconclusiveWords(t *testing.T) {
	for name, c := range map[string]struct {
		low, high float64
		text      string
	}{
		"too few":   {-0.02, 0.04, " more would tell it to ±1.0%"},
		"no number": {-20, 20, "; not even 10000 would tell it to ±1.0%"},
		"too many":  {-0.6, 0.7, "; not even 10000 would tell it to ±1.0%"},
		// As when one slice of ten is far too slow.
		"ranks": {0.01, 0.03, "+2.0% (95%: +1.0% to +3.0%), 10 pairs; the interval leaves out 0, and p=0.084 does not agree yet: measure more pairs"},
	} {
		r := &run{res: &result.AB{Arms: arms(2)}}
		e := stats.Effect{N: 10, Log: 0.02, Low: c.low, High: c.high, Known: true, P: 0.084}
		low, high := 100*c.low, 100*c.high
		o := result.ABResult{Arm: "b", Against: "a", Effects: []result.Effect{{Metric: "iops", Change: 2, Low: &low, High: &high, P: e.P}}}
		r.judge(&o, &e)
		if o.Verdict != result.ABInconclusive || !strings.Contains(o.Text, c.text) {
			t.Errorf("%s: %s: %s", name, o.Verdict, o.Text)
		}
	}
}
