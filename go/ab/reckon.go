package ab

import (
	"fmt"
	"math"
	"slices"

	"ringpeak/go/metric"
	"ringpeak/go/result"
	"ringpeak/go/stats"
)

const (
	alpha = 0.05
	// defaultPrecision is what "no difference" means when nobody has said.
	defaultPrecision = 1.0
	// preciseAfter is how many pairs there must be before a narrow interval
	// ends a comparison: that of few pairs is narrow by chance too often.
	preciseAfter = 10
	// manyPairs is more than anybody measures, and what --pairs goes up to.
	manyPairs = 10000
)

// reckon makes figures and outcomes of the complete pairs.
func (r *run) reckon() {
	for i := range r.res.Arms {
		r.res.Arms[i].Figures = r.spread(i)
	}
	r.res.Outcomes, r.deciding = nil, nil
	for arm := 1; arm < len(r.res.Arms); arm++ {
		r.res.Outcomes = append(r.res.Outcomes, result.ABResult{
			Arm: r.res.Arms[arm].Name, Against: r.res.Arms[0].Name, Effects: r.effects(arm),
		})
	}
	r.holm()
	for i := range r.res.Outcomes {
		r.judge(&r.res.Outcomes[i], &r.deciding[i])
	}
	r.noise()
}

// spread is the figures of an arm.
func (r *run) spread(arm int) (list []result.ArmFigure) {
	for _, m := range r.metrics {
		var values []float64
		for _, pair := range r.values {
			if v, ok := pair[arm][m.Name]; ok {
				values = append(values, v)
			}
		}
		if len(values) == 0 {
			continue
		}
		slices.Sort(values)
		f := result.ArmFigure{
			Metric: m.Name, Unit: string(m.Unit), N: len(values),
			Min: values[0], Max: values[len(values)-1],
		}
		f.Q1, f.Median, f.Q3 = stats.Quartiles(values)
		list = append(list, f)
	}
	return list
}

// logs are the logarithms of the pairs' ratios of one metric.
func (r *run) logs(arm int, name string) (list []float64) {
	for _, pair := range r.values {
		a, okA := pair[0][name]
		b, okB := pair[arm][name]
		if okA && okB {
			list = append(list, math.Log(b/a))
		}
	}
	return list
}

func (r *run) effects(arm int) (list []result.Effect) {
	for _, m := range r.metrics {
		if m.Name == "bandwidth" && !r.differentBlocks() {
			continue // it says what IOPS say
		}
		e := stats.Paired(r.logs(arm, m.Name))
		if m.Name == r.metrics[0].Name {
			r.deciding = append(r.deciding, e)
		}
		if e.N == 0 {
			continue
		}
		if e.N < len(r.values) { // which ones have it is no chance, so they say nothing of all
			e.Known, e.P = false, 1
		}
		list = append(list, effect(&m, &e))
	}
	return list
}

// differentBlocks says whether arms move different amounts of data per I/O.
func (r *run) differentBlocks() bool {
	for i := range r.res.Arms {
		if a, b := r.res.Arms[i].Spec, r.res.Arms[0].Spec; a != nil && b != nil && a.BlockSize != b.BlockSize {
			return true
		}
	}
	return false
}

func effect(m *metric.Metric, e *stats.Effect) result.Effect {
	out := result.Effect{
		Metric: m.Name, Unit: string(m.Unit), Better: m.Better(), Pairs: e.N,
		Change: percentOf(e.Log), P: e.P,
	}
	if e.Known {
		low, high := percentOf(e.Low), percentOf(e.High)
		out.Low, out.High = &low, &high
	}
	return out
}

// holm adjusts each metric's P for the number of arms, and says what is
// significant.
func (r *run) holm() {
	for _, m := range r.metrics {
		var found []*result.Effect
		var p []float64
		for i := range r.res.Outcomes {
			for j := range r.res.Outcomes[i].Effects {
				if e := &r.res.Outcomes[i].Effects[j]; e.Metric == m.Name {
					found, p = append(found, e), append(p, e.P)
				}
			}
		}
		for i, adjusted := range stats.Holm(p) {
			e := found[i]
			e.P = adjusted
			e.Significant = e.Low != nil && (*e.Low > 0 || *e.High < 0) && e.P <= alpha
		}
	}
}

// percentOf is the change that the logarithm of a ratio is, in percent.
func percentOf(log float64) float64 { return 100 * math.Expm1(log) }

// interval is that of an effect, in words.
func interval(e *result.Effect) string {
	return metric.SignedPercent(*e.Low) + " to " + metric.SignedPercent(*e.High)
}

// precision is the half-width to be reached, as a logarithm.
func (r *run) precision() float64 {
	if p := r.Plan.Precision; p != nil {
		return math.Log1p(*p / 100)
	}
	return math.Log1p(defaultPrecision / 100)
}

// precise says whether every arm's effect is known as precisely as was asked
// for. It looks at widths alone: who stops at a small P finds differences where
// there are none.
func (r *run) precise() bool {
	if r.Plan.Precision == nil || len(r.values) < max(preciseAfter, r.least()) {
		return false
	}
	return !slices.ContainsFunc(r.deciding, func(e stats.Effect) bool { return !e.Known || e.HalfWidth() > r.precision() })
}

// judge makes a verdict of an outcome's first effect, which e is.
func (r *run) judge(o *result.ABResult, e *stats.Effect) {
	main := &o.Effects[0]
	pair := fmt.Sprintf("%d pairs", e.N)
	if e.N == 1 {
		pair = "1 pair"
	}
	switch {
	case e.N < r.least():
		o.Verdict = result.ABInconclusive
		more := int64(r.least() - e.N)
		o.MorePairs = &more
		o.Text = fmt.Sprintf("inconclusive: %s against %s %s after %s, of the %d that it takes at least", o.Arm, o.Against, metric.SignedPercent(main.Change), pair, r.least())
	case main.Significant && main.Change > 0:
		o.Verdict = result.ABFaster
		o.Text = fmt.Sprintf("%s is faster than %s by %s (95%%: %s), %s", o.Arm, o.Against, metric.Percent(main.Change), interval(main), pair)
	case main.Significant:
		o.Verdict = result.ABSlower
		o.Text = fmt.Sprintf("%s is slower than %s by %s (95%%: %s), %s", o.Arm, o.Against, metric.Percent(-main.Change), interval(main), pair)
	case e.HalfWidth() <= r.precision() && (e.Low <= 0 && e.High >= 0):
		within := math.Max(-*main.Low, *main.High)
		o.Verdict, o.Within = result.ABSame, &within
		o.Text = fmt.Sprintf("no difference larger than %s between %s and %s (95%%: %s), %s", metric.Percent(within), o.Against, o.Arm, interval(main), pair)
	default:
		o.Verdict = result.ABInconclusive
		o.Text = fmt.Sprintf("inconclusive: %s against %s %s (95%%: %s), %s", o.Arm, o.Against, metric.SignedPercent(main.Change), interval(main), pair) + r.more(o, e)
	}
}

// least is how many pairs it takes at least.
func (r *run) least() int { return LeastPairs(len(r.res.Arms)) }

// LeastPairs is how many pairs it takes for anything to be significant: were all
// ratios of one sign, signed ranks would give 2/2^n, which Holm multiplies by
// the number of comparisons.
func LeastPairs(arms int) int {
	return max(stats.MinPairs, int(math.Ceil(math.Log2(2/alpha*float64(arms-1)))))
}

// more says how many pairs it would take, as far as that can be told.
func (r *run) more(o *result.ABResult, e *stats.Effect) string {
	if e.Low > 0 || e.High < 0 {
		return fmt.Sprintf("; the interval leaves out 0, and p=%.2g does not agree yet: measure more pairs", o.Effects[0].P)
	}
	n := e.PairsFor(r.precision())
	if n <= e.N || n > manyPairs {
		return fmt.Sprintf("; not even %d would tell it to ±%s: make slices longer or this machine quieter", manyPairs, metric.Percent(percentOf(r.precision())))
	}
	more := int64(n - e.N)
	o.MorePairs = &more
	return fmt.Sprintf("; about %d more would tell it to ±%s", more, metric.Percent(percentOf(r.precision())))
}

// noise is what an A/A comparison is for.
func (r *run) noise() {
	if !r.Plan.AA || len(r.values) < r.least() {
		return
	}
	e := &r.deciding[0]
	n := &result.ABNoise{Floor: percentOf(e.HalfWidth()), Pairs: e.N, SpreadOfSlices: r.spreadOfSlices()}
	for _, pairs := range detectableOf(e.N) {
		n.Detectable = append(n.Detectable, result.Detectable{Pairs: pairs, Change: percentOf(e.Detectable(pairs))})
	}
	r.res.Noise = n
}

// detectableOf are the numbers of pairs that are told of.
func detectableOf(n int) []int {
	list := []int{10, 20, 50, 100, 200, 500}
	if !slices.Contains(list, n) {
		list = append(list, n)
		slices.Sort(list)
	}
	return list
}

// spreadOfSlices is the standard deviation over all slices of both arms.
func (r *run) spreadOfSlices() float64 {
	var values []float64
	for _, pair := range r.values {
		for _, v := range pair {
			values = append(values, v[r.metrics[0].Name])
		}
	}
	return 100 * stats.RelativeSpread(values)
}
