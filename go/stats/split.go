package stats

import "ringpeak/go/result"

// AddSplits is where the time of two runs went together: each part by the I/Os
// that were sampled. nil is none.
func AddSplits(a, b *result.TimeSplit) *result.TimeSplit {
	switch {
	case a == nil || a.SampledIOs == 0:
		return b
	case b == nil || b.SampledIOs == 0:
		return a
	}
	n, m := float64(a.SampledIOs), float64(b.SampledIOs)
	mean := func(x, y float64) float64 { return (x*n + y*m) / (n + m) }
	return &result.TimeSplit{
		SampledRounds:  a.SampledRounds + b.SampledRounds,
		SampledIOs:     a.SampledIOs + b.SampledIOs,
		WaitingRounds:  a.WaitingRounds + b.WaitingRounds,
		PrepareNSPerIO: mean(a.PrepareNSPerIO, b.PrepareNSPerIO),
		EnterNSPerIO:   mean(a.EnterNSPerIO, b.EnterNSPerIO),
		ReapNSPerIO:    mean(a.ReapNSPerIO, b.ReapNSPerIO),
	}
}
