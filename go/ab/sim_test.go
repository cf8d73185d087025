package ab

import (
	"math"
	"math/rand/v2"
	"testing"

	"ringpeak/go/metric"
	"ringpeak/go/result"
	"ringpeak/go/stats"
)

// machine is a Runner without a machine: what a slice comes to, as an ordinary
// one would have it. Everything is a part of the rate, the logarithm of which is
// a sum.
type machine struct {
	effects []float64 // of the arms, logarithms
	noise   float64   // of each slice, independent: standard deviation
	wander  float64   // of a series that is correlated from slice to slice: standard deviation
	phi     float64   // by so much
	drift   float64   // per slice, for all of the time
	swing   float64   // of a disturbance with the rhythm of two slices
	first   float64   // for being the first of a pair
	outlier float64   // chance of a slice at half the rate
	skewed  bool      // noise has a long tail of slow slices

	r     *rand.Rand
	state float64
	n     int // slices so far
	pair  int
}

func newMachine(m machine, seed uint64) *machine {
	m.r = rand.New(rand.NewPCG(seed, 11))
	m.state = m.wander * m.r.NormFloat64()
	return &m
}

// rate is the next slice's.
func (m *machine) rate(arm, pair int) float64 {
	v := m.effects[arm] + m.state + m.drift*float64(m.n)
	if m.skewed {
		v -= m.noise * (m.r.ExpFloat64() - 1)
	} else {
		v += m.noise * m.r.NormFloat64()
	}
	if m.n%2 == 0 {
		v += m.swing
	}
	if pair != m.pair {
		v += m.first
	}
	if m.r.Float64() < m.outlier {
		v -= math.Ln2
	}
	m.state = m.phi*m.state + math.Sqrt(1-m.phi*m.phi)*m.wander*m.r.NormFloat64()
	m.n, m.pair = m.n+1, pair
	return 1e6 * math.Exp(v)
}

func (m *machine) Slice(j Job, _ <-chan string) (*result.Result, error) {
	return &result.Result{
		Spec:    result.Spec{Seed: j.Seed},
		Summary: result.Summary{IOPSMean: m.rate(j.Arm, j.Pair)},
		End:     result.End{Reason: "time"},
	}, nil
}

// nobody is an Observer that does not look.
type nobody struct{}

func (nobody) Started(*result.AB) error { return nil }
func (nobody) Paired(*result.AB) error  { return nil }

func arms(n int) []result.ABArm {
	list := make([]result.ABArm, n)
	for i := range list {
		list[i].Name = string(rune('a' + i))
	}
	return list
}

// compare runs one comparison on a machine.
func compare(t *testing.T, m machine, plan result.ABPlan, seed uint64) *Comparison {
	t.Helper()
	plan.Seed = seed
	c, err := Run(Options{
		Plan: plan, Arms: arms(len(m.effects)), Runner: newMachine(m, seed), Observer: nobody{},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// heavy is what an ordinary machine does to a comparison: it loses a third of
// its speed in forty slices and wanders by 6 %, slices that follow each other
// are alike, one in twenty-five is far too slow, and the first of two is a
// little faster.
func heavy(effects ...float64) machine {
	return machine{effects: effects, noise: 0.01, wander: 0.06, phi: 0.97, drift: -0.01, first: 0.003, outlier: 0.04}
}

// TestNoDifferenceWhereThereIsNone: on machines of all kinds, two or more arms
// that are the same are told apart in about 5 % of all comparisons at most, and
// the interval holds the truth in about 95 %.
func TestNoDifferenceWhereThereIsNone(t *testing.T) {
	const runs = 400
	for name, m := range map[string]machine{
		"quiet":     {effects: []float64{0, 0}, noise: 0.01},
		"heavy":     heavy(0, 0),
		"rhythm":    {effects: []float64{0, 0}, noise: 0.01, swing: 0.1},
		"position":  {effects: []float64{0, 0}, noise: 0.01, first: 0.05},
		"skewed":    {effects: []float64{0, 0}, noise: 0.05, skewed: true},
		"outliers":  {effects: []float64{0, 0}, noise: 0.02, outlier: 0.2},
		"wandering": {effects: []float64{0, 0}, noise: 0.005, wander: 0.3, phi: 0.8},
		"four arms": heavy(0, 0, 0, 0),
		// So many that it takes Holm to call no more than one comparison in
		// twenty.
		"seven arms": {effects: make([]float64, 7), noise: 0.01},
	} {
		for _, pairs := range []int{10, 20} {
			called, covered, outcomes := 0, 0, 0
			for seed := range uint64(runs) {
				c := compare(t, m, result.ABPlan{Pairs: pairs}, seed)
				any := false
				for _, o := range c.Outcomes {
					any = any || o.Verdict == result.ABFaster || o.Verdict == result.ABSlower
					outcomes++
					covered += within(&o.Effects[0], 0)
				}
				if any {
					called++
				}
			}
			// 0.05 and two and a half standard errors of so many runs
			if part := float64(called) / runs; part > 0.05+2.5*math.Sqrt(0.05*0.95/runs) {
				t.Errorf("%s, %d pairs: %.3f of the comparisons show a difference", name, pairs, part)
			}
			if part := float64(covered) / float64(outcomes); part < 0.93 {
				t.Errorf("%s, %d pairs: the interval holds the truth in %.3f", name, pairs, part)
			}
		}
	}
}

// TestBlocksFail: the comparison that people make by hand, all of one arm and
// then all of the other, finds differences on the same machine where there are
// none. If it did not, the machine of these tests would be no test.
func TestBlocksFail(t *testing.T) {
	const runs, slices = 300, 20
	called := 0
	for seed := range uint64(runs) {
		m := newMachine(heavy(0, 0), seed)
		var sides [2][]float64
		for arm := range sides {
			for i := range slices {
				sides[arm] = append(sides[arm], m.rate(arm, i))
			}
		}
		if e := stats.Independent(sides[0], sides[1]); e.P <= 0.05 {
			called++
		}
	}
	if part := float64(called) / runs; part < 0.6 {
		t.Errorf("blocks show a difference in %.2f of the comparisons only", part)
	}
}

// TestSmallEffectIsFound: 2 %, under heavy drift.
func TestSmallEffectIsFound(t *testing.T) {
	const runs = 400
	truth := math.Log(1.02)
	found, covered, wrong := 0, 0, 0
	for seed := range uint64(runs) {
		c := compare(t, heavy(0, truth), result.ABPlan{Pairs: 40}, seed)
		switch o := &c.Outcomes[0]; o.Verdict {
		case result.ABFaster:
			found++
		case result.ABSlower:
			wrong++
		}
		covered += within(&c.Outcomes[0].Effects[0], 2)
	}
	if float64(found)/runs < 0.9 || wrong > 0 {
		t.Errorf("found in %.3f of the comparisons, with the wrong sign in %d", float64(found)/runs, wrong)
	}
	if part := float64(covered) / runs; part < 0.92 {
		t.Errorf("the interval holds the truth in %.3f", part)
	}
}

// TestPrecisionStops: stopping at a width neither calls differences more often
// nor covers less, and it stops.
func TestPrecisionStops(t *testing.T) {
	const runs = 400
	precision := 1.0
	for name, m := range map[string]machine{
		"quiet":    {effects: []float64{0, 0}, noise: 0.015},
		"outliers": {effects: []float64{0, 0}, noise: 0.015, outlier: 0.1},
		"heavy":    heavy(0, 0),
	} {
		called, covered, stopped, pairs := 0, 0, 0, 0
		for seed := range uint64(runs) {
			c := compare(t, m, result.ABPlan{Pairs: 100, Precision: &precision}, seed)
			o := &c.Outcomes[0]
			pairs += c.Pairs
			if c.End.Reason == reasonPrecision {
				stopped++
				if o.Verdict == result.ABInconclusive && !(*o.Effects[0].Low > 0 || *o.Effects[0].High < 0) {
					t.Fatalf("%s, seed %d: precise, and yet %s", name, seed, o.Text)
				}
			}
			if o.Verdict == result.ABFaster || o.Verdict == result.ABSlower {
				called++
			}
			covered += within(&o.Effects[0], 0)
		}
		if part := float64(called) / runs; part > 0.07 {
			t.Errorf("%s: %.3f of the comparisons show a difference", name, part)
		}
		if part := float64(covered) / runs; part < 0.92 {
			t.Errorf("%s: the interval holds the truth in %.3f", name, part)
		}
		if mean := float64(pairs) / runs; stopped < runs*9/10 || mean > 60 {
			t.Errorf("%s: stopped in %d of %d runs, after %.0f pairs on average", name, stopped, runs, mean)
		}
	}
}

// TestDetectable: what an A/A comparison says can be found is found in about
// four of five comparisons.
func TestDetectable(t *testing.T) {
	const runs, pairs = 400, 20
	found := 0
	for seed := range uint64(runs) {
		m := machine{effects: []float64{0, 0}, noise: 0.02}
		aa := compare(t, m, result.ABPlan{Pairs: 60, AA: true}, seed)
		for _, d := range aa.Noise.Detectable {
			if d.Pairs == pairs {
				m.effects[1] = math.Log1p(d.Change / 100)
			}
		}
		if compare(t, m, result.ABPlan{Pairs: pairs}, seed+runs).Outcomes[0].Verdict == result.ABFaster {
			found++
		}
	}
	if part := float64(found) / runs; part < 0.7 || part > 0.92 {
		t.Errorf("found in %.2f", part)
	}
}

// within says whether an effect's interval holds a change.
func within(e *result.Effect, change float64) int {
	if e.Low != nil && *e.Low <= change && change <= *e.High {
		return 1
	}
	return 0
}

func TestMetricsAreKnown(t *testing.T) {
	if metric.All()[0].Name != "iops" {
		t.Error("verdicts are by the first metric, and texts call it IOPS")
	}
}
